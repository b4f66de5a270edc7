// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import org.apache.hadoop.conf.Configuration

import org.apache.spark.internal.config.{ConfigBuilder, ConfigEntry}
import org.apache.spark.network.util.ByteUnit
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

import latebloom.bloom.KeyLimits
import latebloom.read.ScanSpec

/** LateBloom's confs, registered among Spark's own, so that Spark validates them and `SET -v` lists
  * them. They are in Spark's package because the conf builder is private to it.
  */
object LateBloomConf {

  /** The settings of one planning. */
  final case class Settings(
      enabled: Boolean,
      scanEnabled: Boolean,
      join: JoinSettings,
      topK: TopKSettings,
      cache: CacheSettings,
      index: IndexSettings,
      statistics: StatisticsSettings,
      limitEnabled: Boolean,
      aggregateEnabled: Boolean,
      mergeGapBytes: Long,
      pageCacheBytes: Long,
      eagerFraction: Double
  ) {

    /** The options of a scan with batches of at most so many rows, of which a LIMIT takes some, or
      * whose consumer ignores duplicates.
      */
    def options(
        batchRows: Int,
        wanted: Option[Int],
        distinct: Boolean
    ): ScanSpec.Options = new ScanSpec.Options(
      mergeGapBytes,
      pageCacheBytes,
      eagerFraction,
      batchRows,
      wanted.getOrElse(ScanSpec.Options.ALL),
      distinct,
      if (cache.enabled) cache.metadataBytes else 0
    )
  }

  /** The settings of join filters. */
  final case class JoinSettings(
      enabled: Boolean,
      minScanBytes: Long,
      rescanBytes: Long,
      relistBytes: Long,
      patience: Double,
      limits: KeyLimits
  )

  /** The settings of searches for the first rows of an order. */
  final case class TopKSettings(
      enabled: Boolean,
      maxRows: Int,
      minScanBytes: Long,
      minSaved: Double
  )

  /** The settings of what one query remembers for the next. */
  final case class CacheSettings(enabled: Boolean, maxBytes: Long, metadataBytes: Long)

  /** The settings of skip indexes.
    *
    * @param folders
    *   that have sidecars
    */
  final case class IndexSettings(enabled: Boolean, folders: Seq[String], maxBytes: Long)

  /** The settings of what scans count for the planning of later queries. */
  final case class StatisticsSettings(enabled: Boolean, patience: Double)

  /** One conf, for users. */
  final case class Described(
      key: String,
      default: String,
      value: String,
      kind: String,
      doc: String
  )

  final private case class Conf[T](entry: ConfigEntry[T], kind: String)

  /** Two class loaders may load the class over one registry. */
  private def conf[T](key: String, kind: String, doc: String)(
      build: ConfigBuilder => ConfigEntry[T]
  ): Conf[T] = synchronized {
    val entry = Option(ConfigEntry.findEntry(key))
      .map(_.asInstanceOf[ConfigEntry[T]])
      .getOrElse(build(SQLConf.buildConf(key).doc(doc).version("0.1.0")))
    Conf(entry, kind)
  }

  private val enabled = conf(
    "spark.latebloom.enabled",
    "boolean",
    "The master switch. When it is off, Spark plans every query as if LateBloom were absent."
  )(_.booleanConf.createWithDefault(true))

  private val scanEnabled = conf(
    "spark.latebloom.scan.enabled",
    "boolean",
    "Whether scans of Parquet and ORC files evaluate the Filter above them. They then read the " +
      "filter columns first, and of the other columns only what the surviving rows need."
  )(_.booleanConf.createWithDefault(true))

  private val eagerFraction = conf(
    "spark.latebloom.scan.eagerFraction",
    "double",
    "A scan fetches a row group (of ORC: a stripe) whole, without a second visit for the other " +
      "columns, if it expects at least this share of the rows to survive. 0 is always eager, " +
      "1 (nearly) never."
  )(share(_, 0.5))

  private val mergeGapBytes = conf(
    "spark.latebloom.io.mergeGapBytes",
    "bytes",
    "A scan fetches byte ranges of a file that lie at most this far apart with one request. " +
      "Raise it for object stores, where a request costs more than the bytes between."
  )(bytes(_, "128k"))

  private val pageCacheBytes = conf(
    "spark.latebloom.scan.pageCacheBytes",
    "bytes",
    "Most bytes of decompressed pages of filter columns that one task keeps for the output, so " +
      "that it decompresses no page twice."
  )(bytes(_, "64m"))

  private val joinEnabled = conf(
    "spark.latebloom.join.enabled",
    "boolean",
    "Whether the keys of one side of a join become a filter in the scans of the other side."
  )(_.booleanConf.createWithDefault(true))

  private val joinMinScanBytes = conf(
    "spark.latebloom.join.minScanBytes",
    "bytes",
    "A scan of fewer bytes gets no join filter: waiting for the keys would cost more than " +
      "reading it."
  )(bytes(_, "10m"))

  private val joinRescanBytes = conf(
    "spark.latebloom.join.rescanBytes",
    "bytes",
    "If no exchange of the join carries the keys, LateBloom evaluates the side that they come " +
      "from once more, provided that it reads no more than this."
  )(bytes(_, "10m"))

  private val joinRelistBytes = conf(
    "spark.latebloom.join.relistBytes",
    "bytes",
    "Once the keys are known, a table that keeps statistics of its files is asked again which of " +
      "them to read, if the files of the scan have at least so many bytes and asking, which takes " +
      "a job, is expected to save more than it costs. With 0 it is asked always."
  )(bytes(_, "64m"))

  private val joinPatience = conf(
    "spark.latebloom.join.patience",
    "double",
    "A scan waits for the keys of a join while that costs less idle time of cores than so many " +
      "times the processor time that the filter may save it. Then it begins without them, and " +
      "takes them up when they come. 0: it never waits."
  )(
    _.doubleConf.checkValue(_ >= 0, "must not be negative").createWithDefault(2.0)
  )

  private val joinMaxBytes = conf(
    "spark.latebloom.join.maxBytes",
    "bytes",
    "Most bytes of one join filter, from 32 to 128 MiB. Larger ones have fewer false positives " +
      "where there are many keys."
  )(
    _.bytesConf(ByteUnit.BYTE)
      .checkValue(b => b >= 32 && b <= (128L << 20), "must lie between 32 and 128m")
      .createWithDefaultString("8m")
  )

  private val joinMaxKeys = conf(
    "spark.latebloom.join.maxKeys",
    "integer",
    "A join with more keys than these gets no filter."
  )(_.longConf.checkValue(_ >= 1, "must be at least 1").createWithDefault(8L << 20))

  private val limitEnabled = conf(
    "spark.latebloom.limit.enabled",
    "boolean",
    "Whether a scan below LIMIT or EXISTS, with a filter or without, reads no more than it takes " +
      "to find as many rows. spark.latebloom.topK.maxRows and minScanBytes apply to it, too."
  )(_.booleanConf.createWithDefault(true))

  private val aggregateEnabled = conf(
    "spark.latebloom.aggregate.enabled",
    "boolean",
    "Whether counts, minima and maxima of columns, of all rows or by partition columns, are " +
      "taken from what files say of their row groups, where all rows of a row group count; and " +
      "whether DISTINCT and extremes of one column take its values from dictionaries."
  )(_.booleanConf.createWithDefault(true))

  private val topKEnabled = conf(
    "spark.latebloom.topK.enabled",
    "boolean",
    "Whether ORDER BY with LIMIT first finds the rows, by the columns of the order and of the " +
      "filters alone, and then reads the other columns for these rows."
  )(_.booleanConf.createWithDefault(true))

  private val topKMaxRows = conf(
    "spark.latebloom.topK.maxRows",
    "integer",
    "A query for more first rows than these, those of OFFSET included, reads all columns at once."
  )(_.intConf.checkValue(_ >= 1, "must be at least 1").createWithDefault(10000))

  private val topKMinScanBytes = conf(
    "spark.latebloom.topK.minScanBytes",
    "bytes",
    "A scan of fewer bytes is not searched for first rows before its other columns are read: " +
      "that would take longer than reading them."
  )(bytes(_, "10m"))

  private val topKMinSaved = conf(
    "spark.latebloom.topK.minSaved",
    "double",
    "A scan is searched for first rows if that is expected to save reading at least this share " +
      "of its bytes, or if most of its pages hold none of them. 0: always."
  )(share(_, 0.1))

  private val cacheEnabled = conf(
    "spark.latebloom.cache.enabled",
    "boolean",
    "Whether a scan remembers which stretches of rows of each file had survivors, and begins there " +
      "when a later query asks for the same, or for less. A file that was written since is read " +
      "anew."
  )(_.booleanConf.createWithDefault(true))

  private val cacheMaxBytes = conf(
    "spark.latebloom.cache.maxBytes",
    "bytes",
    "Most bytes that the driver keeps of what scans remember, for all sessions together."
  )(bytes(_, "64m"))

  private val cacheMetadataBytes = conf(
    "spark.latebloom.cache.metadataBytes",
    "bytes",
    "Most bytes that each executor keeps of the metadata of files, parsed, for later scans: footers, " +
      "tails and indexes. 0: a scan keeps them for its own tasks alone."
  )(bytes(_, "64m"))

  private val reportEnabled = conf(
    "spark.latebloom.report.enabled",
    "boolean",
    "Whether what the scans of a query did is kept when it has ended: for the tab LateBloom of the " +
      "Spark UI, the event log and latebloom.profile(execution_id=...)."
  )(_.booleanConf.createWithDefault(true))

  private val indexEnabled = conf(
    "spark.latebloom.index.enabled",
    "boolean",
    "Whether scans leave out the files, and the splits of files, in which a skip index shows that no " +
      "row meets the conditions. Without spark.latebloom.index.path there is none."
  )(_.booleanConf.createWithDefault(true))

  private val indexPath = conf(
    "spark.latebloom.index.path",
    "string",
    "The folders in which scans look for skip indexes, separated by commas: those that " +
      "latebloom.index.build was told to write into."
  )(_.stringConf.createWithDefault(""))

  private val indexMaxBytes = conf(
    "spark.latebloom.index.maxBytes",
    "bytes",
    "Most bytes that the driver keeps of skip indexes, for all sessions together. What a query would " +
      "need beyond them is not read, and the files are scanned as if they had no index."
  )(bytes(_, "256m"))

  private val statisticsEnabled = conf(
    "spark.latebloom.statistics.enabled",
    "boolean",
    "Whether Spark plans a query with the number of rows that scans have counted for its conditions " +
      "in the same files: it then broadcasts a side of a join that is small behind its filter."
  )(_.booleanConf.createWithDefault(true))

  private val statisticsPatience = conf(
    "spark.latebloom.statistics.patience",
    "double",
    "If no scan has counted the rows of a filtered side of a join yet, and they decide how Spark joins, " +
      "they are counted while the query is planned, for at most this share of the time that reading " +
      "the other side takes, and at most half a second. 0: never."
  )(share(_, 0.01))

  private val all: Seq[Conf[_]] = Seq(
    enabled,
    scanEnabled,
    eagerFraction,
    mergeGapBytes,
    pageCacheBytes,
    joinEnabled,
    joinMinScanBytes,
    joinRescanBytes,
    joinRelistBytes,
    joinPatience,
    joinMaxBytes,
    joinMaxKeys,
    limitEnabled,
    aggregateEnabled,
    topKEnabled,
    topKMaxRows,
    topKMinScanBytes,
    topKMinSaved,
    cacheEnabled,
    cacheMaxBytes,
    cacheMetadataBytes,
    reportEnabled,
    indexEnabled,
    indexPath,
    indexMaxBytes,
    statisticsEnabled,
    statisticsPatience
  )

  /** The current settings in `conf`. */
  def settings(conf: SQLConf): Settings = Settings(
    enabled = conf.getConf(enabled.entry),
    scanEnabled = conf.getConf(scanEnabled.entry),
    join = JoinSettings(
      enabled = conf.getConf(joinEnabled.entry),
      minScanBytes = conf.getConf(joinMinScanBytes.entry),
      rescanBytes = conf.getConf(joinRescanBytes.entry),
      relistBytes = conf.getConf(joinRelistBytes.entry),
      patience = conf.getConf(joinPatience.entry),
      limits = new KeyLimits(
        KeyLimits.DEFAULT.exactKeys,
        conf.getConf(joinMaxBytes.entry).toInt,
        conf.getConf(joinMaxKeys.entry)
      )
    ),
    topK = TopKSettings(
      enabled = conf.getConf(topKEnabled.entry),
      maxRows = conf.getConf(topKMaxRows.entry),
      minScanBytes = conf.getConf(topKMinScanBytes.entry),
      minSaved = conf.getConf(topKMinSaved.entry)
    ),
    cache = CacheSettings(
      enabled = conf.getConf(cacheEnabled.entry),
      maxBytes = conf.getConf(cacheMaxBytes.entry),
      metadataBytes = conf.getConf(cacheMetadataBytes.entry)
    ),
    index = IndexSettings(
      enabled = conf.getConf(indexEnabled.entry),
      folders = conf.getConf(indexPath.entry).split(',').map(_.trim).filter(_.nonEmpty).toSeq,
      maxBytes = conf.getConf(indexMaxBytes.entry)
    ),
    statistics = StatisticsSettings(
      enabled = conf.getConf(statisticsEnabled.entry),
      patience = conf.getConf(statisticsPatience.entry)
    ),
    limitEnabled = conf.getConf(limitEnabled.entry),
    aggregateEnabled = conf.getConf(aggregateEnabled.entry),
    mergeGapBytes = conf.getConf(mergeGapBytes.entry),
    pageCacheBytes = conf.getConf(pageCacheBytes.entry),
    eagerFraction = conf.getConf(eagerFraction.entry)
  )

  /** Whether a query of the session is reported when it has ended. */
  def reports(session: SparkSession): Boolean =
    of(session).getConf(enabled.entry) && of(session).getConf(reportEnabled.entry)

  /** The confs of a session. */
  def of(session: SparkSession): SQLConf = session.sessionState.conf

  /** Hadoop's configuration with the confs of a session. */
  def hadoopConf(session: SparkSession): Configuration = session.sessionState.newHadoopConf()

  /** Every conf of LateBloom, with its value in `conf`. */
  def describe(conf: SQLConf): Seq[Described] = all.map { c =>
    val key = c.entry.key
    Described(key, c.entry.defaultValueString, conf.getConfString(key), c.kind, c.entry.doc)
  }

  private def share(builder: ConfigBuilder, default: Double): ConfigEntry[Double] =
    builder.doubleConf
      .checkValue(v => v >= 0 && v <= 1, "must lie between 0 and 1")
      .createWithDefault(default)

  private def bytes(builder: ConfigBuilder, default: String): ConfigEntry[Long] =
    builder
      .bytesConf(ByteUnit.BYTE)
      .checkValue(_ >= 0, "must not be negative")
      .createWithDefaultString(default)
}
