// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.util.{Locale, TimeZone}

import org.apache.hadoop.conf.Configuration

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, HadoopFsRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{MetadataBuilder, StructField, StructType}

import latebloom.cache.Digest
import latebloom.line.Compat._

/** All on which it depends which values Spark reads for the columns of a file. Queries of other
  * applications ask the same index, so that it is less than all confs: those that only steer
  * execution, or what is made of the values above the scan, do not count.
  */
private[latebloom] object IndexSource {

  /** Confs, or the beginnings of their names, that Spark's readers of files look up. */
  private val OfReaders = Seq(
    "spark.sql.parquet.",
    "spark.sql.orc.",
    "spark.sql.legacy.",
    "spark.sql.timestampType",
    "spark.sql.readSideCharPadding",
    "parquet.",
    "orc."
  )

  /** Those of them that change no value: what is pushed down, in batches of how many rows, and how
    * files are written.
    */
  private val Harmless = Seq(
    "spark.sql.parquet.filterPushdown",
    "spark.sql.orc.filterPushdown",
    "spark.sql.parquet.columnarReaderBatchSize",
    "spark.sql.orc.columnarReaderBatchSize",
    "spark.sql.parquet.compression.codec",
    "spark.sql.orc.compression.codec"
  )

  /** Options that say which files there are, or how they are written. */
  private val OfListing = Set(
    "path",
    "paths",
    "basepath",
    "pathglobfilter",
    "recursivefilelookup",
    "modifiedbefore",
    "modifiedafter",
    "compression",
    "serialization.format"
  )

  /** Where Spark keeps that a column of strings was declared as CHAR or VARCHAR. */
  private val CharOrVarchar = "__CHAR_VARCHAR_TYPE_STRING"

  /** A digest.
    *
    * @param hadoopConf
    *   of the session
    */
  def apply(relation: HadoopFsRelation, conf: SQLConf, hadoopConf: Configuration): String = {
    def text(of: Iterable[(String, String)]) =
      of.toSeq.sorted.flatMap { case (key, value) => Seq(key, value) }
    val confs = conf.getAllConfs.filter { case (key, _) =>
      OfReaders.exists(key.startsWith) && !Harmless.exists(key.startsWith)
    }
    val options = relation.options
      .map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
      .filterNot { case (key, _) => OfListing(key) }
    val format = formatOf(relation.fileFormat).getOrElse("")
    // Columns of ORC files may be found by their positions among all columns.
    val positions = if (format == "orc") relation.dataSchema.json else ""
    val all = Seq(
      Seq(SPARK_VERSION, format, positions, TimeZone.getDefault.getID, conf.sessionLocalTimeZone),
      Seq(conf.caseSensitiveAnalysis.toString),
      text(options),
      Seq("parquet.", "orc.").flatMap { prefix =>
        text(hadoopConf.getPropsWithPrefix(prefix).asScala)
      },
      text(confs)
    )
    // With the lengths, so that no two lists are the same text.
    Digest.of(all.map(_.map(s => s"${s.length} $s").mkString).mkString("\n"))
  }

  /** `parquet` or `orc`; None of a format that reads such files in its own way. */
  def formatOf(format: FileFormat): Option[String] =
    if (format.getClass == classOf[ParquetFileFormat]) Some("parquet")
    else if (format.getClass == classOf[OrcFileFormat]) Some("orc")
    else None

  /** A column of files as JSON, with all by which Spark finds it in a file. Not whether a string is
    * a CHAR or VARCHAR: files have strings, and what Spark pads it pads above the scan.
    */
  def field(column: StructField): String = {
    val inFiles = column.copy(
      nullable = true,
      metadata = new MetadataBuilder().withMetadata(column.metadata).remove(CharOrVarchar).build()
    )
    StructType(Seq(inFiles)).json
  }
}
