// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.io.{Closeable, IOException}

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.filter2.predicate.{FilterApi, FilterPredicate}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, FileMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec
import org.apache.spark.sql.execution.datasources.parquet._
import org.apache.spark.sql.execution.datasources.{DataSourceUtils, PartitionedFile}
import org.apache.spark.sql.internal.LegacyBehaviorPolicy.CORRECTED
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.{Filter, IsNotNull}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.{AccumulatorV2, SerializableConfiguration}

import latebloom.line.Compat._
import latebloom.line.FooterReaders
import latebloom.parquet.footer.{FooterCache, TrustedStatistics}
import latebloom.parquet.types.Calendars
import latebloom.parquet.{JoinKeysPredicate, ParquetSplit, RedactedPredicate, SparkReader}
import latebloom.read.io.MetadataCache
import latebloom.read.selection.LiveRows
import latebloom.read.task.{Counter, Counters}
import latebloom.read.{ScanSpec, SelectiveScan}

/** Opens the files of one scan as Spark's Parquet format does: with the same footer, pushed
  * predicates, rebase modes and resolution of columns. Created on the driver, used by tasks.
  */
final class ParquetFiles private (
    spec: ScanSpec,
    partitionSchema: StructType,
    pushed: PushedFilters,
    columns: FileColumns,
    live: LateFiles.Live,
    conf: Broadcast[SerializableConfiguration],
    settings: ParquetFiles.Settings
) extends LateFiles(spec, partitionSchema, settings.offHeap) {
  import ParquetFiles._

  override def configuration: Configuration = conf.value.value

  override def open(file: PartitionedFile, counters: Counters): Either[Counter, SelectiveScan] =
    if (columns.areIn(file)) read(file, counters) else Left(Counter.FILES_OF_TABLE)

  private def read(file: PartitionedFile, counters: Counters): Either[Counter, SelectiveScan] = {
    val shared = conf.value.value
    val Opened(input, stream, read) = opened(file, shared, counters)
    val footer = read.metadata
    var owned: Closeable = stream
    try {
      val meta = footer.getFileMetaData
      notOurs(file, footer, input.getLength).toLeft {
        val pushed = columns.named(this.pushed, meta)
        val datetime =
          DataSourceUtils.datetimeRebaseSpec(
            meta.getKeyValueMetaData.get,
            settings.datetimeRebaseMode
          )
        val int96 =
          DataSourceUtils.int96RebaseSpec(meta.getKeyValueMetaData.get, settings.int96RebaseMode)
        val calendars = calendarsOf(shared, meta, datetime, int96)
        val options = readOptions(shared, file, predicate(pushed, meta, datetime), datetime)
        val reader = FooterReaders.open(input, footer, options, stream)
        owned = reader
        countRowGroups(reader.getRowGroups.size)
        counters.add(Counter.ROW_GROUPS_PRUNED, footer.getBlocks.size - reader.getRowGroups.size)
        val split = new ParquetSplit(
          spec,
          new ParquetSplit.OpenFile(reader, options, stream, read.tail, input.getLength),
          resolve(shared, meta).asJava,
          predicate(
            pushed.copy(filters = pushed.filters.filterNot(_.isInstanceOf[IsNotNull])),
            meta,
            datetime
          ).orNull,
          calendars,
          new SparkReader.Context(
            input,
            footer,
            shared,
            calendars,
            useOffHeap,
            spec.options.batchRows
          ),
          counters
        )
        owned = split
        // Listing the live rows takes a request or two, which a split without rows can do without.
        val rows = if (reader.getRowGroups.isEmpty) LiveRows.ALL else live(file, shared)
        val selective = scan(split, rows, split.payloadTypes(), file, counters)
        owned = null
        selective
      }
    } finally if (owned != null) owned.close()
  }

  /** Trusts the file status of the driver's listing, which saves a request to the store. If the
    * file has changed, its end is not a footer, and the store is asked. The store is also asked
    * before a task uses a footer that another task read: once for all files of a directory.
    */
  private def opened(
      file: PartitionedFile,
      shared: Configuration,
      counters: Counters
  ): Opened = {
    val end = file.start + file.length

    def now: FileStatus = file.toPath.getFileSystem(shared).getFileStatus(file.toPath)

    def read(status: FileStatus): Opened = {
      val input = HadoopInputFile.fromStatus(status, shared)
      val stream = input.newStream()
      try {
        val key = LateFiles.metadataKey(spec, status)
        val most = spec.options.metadataBytes.max(LeastOfRun)
        Opened(input, stream, FooterCache.footer(key, input, stream, file.start, end, most))
      } catch {
        case e: Throwable =>
          Try(stream.close())
          throw e
      }
    }

    val listed = LateFiles.listed(file)
    val key = LateFiles.metadataKey(spec, listed)
    val known = MetadataCache.has(key)
    if (file.fileSize == 0 || known && !LateFiles.isUnchanged(spec.id, file, shared)) read(now)
    else {
      counters.add(Counter.METADATA_REMEMBERED, if (known && key.isForAll) 1 else 0)
      try read(listed)
      catch {
        case e @ (_: IOException | _: RuntimeException) =>
          val found = now
          if (found.getLen == listed.getLen) throw e
          read(found)
      }
    }
  }

  /** The reason to leave a file to Spark's reader, if any. A chunk that is longer than the file is
    * no reason: Spark's reader would allocate the claimed length.
    */
  private def notOurs(
      file: PartitionedFile,
      footer: ParquetMetadata,
      length: Long
  ): Option[Counter] = {
    def tooLarge(block: BlockMetaData) = block.getRowCount > Int.MaxValue ||
      block.getColumns.asScala.map(_.getTotalSize).exists(n => n > MaxChunkBytes && n <= length)
    if (FooterCache.isEncrypted(footer)) Some(Counter.FILES_ENCRYPTED)
    else if (!columns.areIn(file, footer.getFileMetaData)) Some(Counter.FILES_OF_TABLE)
    else when(footer.getBlocks.asScala.exists(tooLarge))(Counter.FILES_TOO_LARGE)
  }

  /** Disables pruning by dictionaries: the scan tests them anyway, before any data page, and
    * parquet-java fails on some LZ4_RAW files. It stays on where dates are rebased, since a row
    * group that it rules out may then hide a date that cannot be read.
    */
  private def readOptions(
      shared: Configuration,
      file: PartitionedFile,
      pushed: Option[FilterPredicate],
      datetime: RebaseSpec
  ): ParquetReadOptions = {
    val builder = HadoopReadOptions
      .builder(shared, file.toPath)
      .withRange(file.start, file.start + file.length)
    if (datetime.mode == CORRECTED) builder.useDictionaryFilter(false)
    pushed.foreach(p => builder.withRecordFilter(FilterCompat.get(p)))
    builder.build()
  }

  private def predicate(
      pushed: PushedFilters,
      meta: FileMetaData,
      datetime: RebaseSpec
  ): Option[FilterPredicate] = {
    lazy val convert = new ParquetFilters(
      meta.getSchema,
      settings.pushDownDate,
      settings.pushDownTimestamp,
      settings.pushDownDecimal,
      settings.pushDownStringPredicate,
      settings.pushDownInFilterThreshold,
      settings.caseSensitive,
      datetime
    )
    def converted(filters: Seq[Filter]) =
      if (settings.pushDown) filters.flatMap(convert.createFilter(_)) else Nil

    def ofKeys(keys: PushedKeys): Seq[FilterPredicate] = {
      val bounds = converted(keys.bounds)
      val between = bounds.headOption.filter(_ => keys.areComparable)
        .flatMap(JoinKeysPredicate.of(_, keys.source.predicate, meta.getSchema).toScala)
      val listed = converted(keys.listed.toSeq)
      between.toSeq ++
        (if (between.isEmpty) bounds ++ listed else listed).map(new RedactedPredicate(_))
    }

    // Spark does not prune by these, so pruning by them requires trusted bounds.
    val keys =
      if (TrustedStatistics.of(meta.getCreatedBy).bounds) pushed.keys.flatMap(_.now) else Nil
    (converted(pushed.filters) ++ keys.flatMap(ofKeys)).reduceOption(FilterApi.and)
  }

  private def resolve(shared: Configuration, meta: FileMetaData): Seq[ParquetColumn] = {
    def resolved(columns: StructType): Seq[ParquetColumn] = {
      val requested = ParquetReadSupport.getRequestedSchema(
        meta.getSchema,
        columns,
        shared,
        enableVectorizedReader = true
      )
      new ParquetToSparkSchemaConverter(shared).convertParquetColumn(
        requested,
        Some(columns)
      ).children
    }
    // Resolves each leaf separately: names may repeat among leaves and columns.
    resolved(spec.columns) ++ spec.leaves.asScala.flatMap(leaf => resolved(StructType(Seq(leaf))))
  }

  private def calendarsOf(
      shared: Configuration,
      meta: FileMetaData,
      datetime: RebaseSpec,
      int96: RebaseSpec
  ): Calendars = {
    val convertTz =
      if (settings.convertInt96 && !meta.getCreatedBy.startsWith("parquet-mr")) {
        DateTimeUtils.getZoneId(shared.get(SQLConf.SESSION_LOCAL_TIMEZONE.key))
      } else null
    new Calendars(
      datetime.mode.toString,
      datetime.timeZone,
      int96.mode.toString,
      int96.timeZone,
      convertTz
    )
  }
}

object ParquetFiles {
  private val MaxChunkBytes = 1L << 30

  /** Bytes of metadata to cache for the splits of one run, if no other one may use them. */
  private val LeastOfRun = 16L << 20

  final private case class Opened(
      input: HadoopInputFile,
      stream: SeekableInputStream,
      footer: FooterCache.Footer
  )

  final private case class Settings(
      pushDown: Boolean,
      pushDownDate: Boolean,
      pushDownTimestamp: Boolean,
      pushDownDecimal: Boolean,
      pushDownStringPredicate: Boolean,
      pushDownInFilterThreshold: Int,
      caseSensitive: Boolean,
      datetimeRebaseMode: String,
      int96RebaseMode: String,
      convertInt96: Boolean,
      offHeap: Boolean
  )

  /** @param pushed
    *   whose keys must not be logged
    * @param columns
    *   what the files' table knows of their columns
    * @param live
    *   the rows of each file that its table still has
    * @param hadoopConf
    *   prepared by Spark's Parquet format; broadcast to the tasks
    */
  def apply(
      session: SparkSession,
      spec: ScanSpec,
      partitionSchema: StructType,
      pushed: PushedFilters,
      columns: FileColumns,
      live: LateFiles.Live,
      options: Map[String, String],
      hadoopConf: Configuration
  ): ParquetFiles = {
    val sql = session.sessionState.conf
    val parquet = new ParquetOptions(options, sql)
    val settings = Settings(
      sql.parquetFilterPushDown,
      sql.parquetFilterPushDownDate,
      sql.parquetFilterPushDownTimestamp,
      sql.parquetFilterPushDownDecimal,
      sql.parquetFilterPushDownStringPredicate,
      sql.parquetFilterPushDownInFilterThreshold,
      sql.caseSensitiveAnalysis,
      parquet.datetimeRebaseModeInRead,
      parquet.int96RebaseModeInRead,
      sql.isParquetINT96TimestampConversion,
      sql.offHeapColumnVectorEnabled
    )
    val conf = session.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    new ParquetFiles(spec, partitionSchema, pushed, columns, live, conf, settings)
  }

  /** Spark's tests count the row groups read through an accumulator of this name. */
  private def countRowGroups(n: Int): Unit =
    Option(TaskContext.get()).foreach {
      _.taskMetrics().withExternalAccums {
        _.lastOption.filter(_.getClass.getSimpleName == "NumRowGroupsAcc").foreach {
          _.asInstanceOf[AccumulatorV2[Integer, Integer]].add(n)
        }
      }
    }
}
