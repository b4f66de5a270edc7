// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.nio.file.{Files, Path, StandardCopyOption}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, SparkSession}

/** A good file, which cases damage.
  *
  * @param name
  *   `table_writer_variant.format`
  * @param values
  *   some of the values of each flat column and each flat struct field
  */
final class Seed(
    val name: String,
    val bytes: Array[Byte],
    val schema: StructType,
    val values: Seq[Seed.Column]
) {
  def isParquet: Boolean = name.endsWith(".parquet")

  def format: String = if (isParquet) "parquet" else "orc"

  /** The path of the file in memory. */
  lazy val path: String = MemoryFiles.put(s"seeds/$name", bytes)

  def table(session: SparkSession): DataFrame =
    session.read.schema(schema).format(format).load(path)
}

object Seed {

  /** A flat column, or a flat field of a struct.
    *
    * @param sql
    *   its name in SQL
    * @param values
    *   distinct values in Catalyst's internal form
    */
  final case class Column(sql: String, dataType: DataType, values: IndexedSeq[Any]) {
    def literal(value: Any): String = Literal(value, dataType).sql
  }
}

/** Loads the good files, and writes those of Spark on first use. */
object Seeds {
  private val Made = "made"

  /** Loads all good files.
    *
    * @param folder
    *   the output of `seeds.py`; receives Spark's files on first use
    */
  def of(session: SparkSession, folder: Path): IndexedSeq[Seed] = {
    val tables = list(folder).filter(Files.isDirectory(_))
    require(tables.nonEmpty, s"no good files in $folder: tests/fuzz/files/seeds.py makes them")
    tables.flatMap { table =>
      if (!Files.exists(table.resolve(Made))) {
        writeAll(session, table)
        Files.createFile(table.resolve(Made))
      }
      val files = list(table).filterNot { f =>
        f.endsWith(Made) || Files.isDirectory(f) || f.getFileName.toString.startsWith("source")
      }
      files.flatMap(load(session, table, _))
    }
  }

  private def list(folder: Path): IndexedSeq[Path] =
    Using.resource(Files.list(folder))(_.iterator.asScala.toIndexedSeq.sortBy(_.toString))

  private def load(session: SparkSession, table: Path, file: Path): Option[Seed] = {
    val name = s"${table.getFileName}_${file.getFileName}"
    val bytes = Files.readAllBytes(file)
    val path = MemoryFiles.put(s"seeds/$name", bytes)
    val format = if (name.endsWith(".orc")) "orc" else "parquet"
    val schema = session.read.format(format).load(path).schema
    Some(new Seed(name, bytes, schema, columns(session, table, schema)))
  }

  private val known = collection.mutable.Map.empty[(Path, StructType), Seq[Seed.Column]]

  private def columns(session: SparkSession, table: Path, schema: StructType) =
    known.getOrElseUpdate(
      (table, schema), {
        val flat = paths(schema, "")
        val from = session.read.schema(schema).parquet(table.resolve("source.parquet").toString)
        val rows = from.selectExpr(flat.map(_._1): _*).queryExecution.executedPlan.executeCollect()
        flat.zipWithIndex.map { case ((sql, dataType), i) =>
          Seed.Column(sql, dataType, distinct(rows, i, dataType))
        }
      }
    )

  private def distinct(rows: Array[InternalRow], i: Int, dataType: DataType): IndexedSeq[Any] =
    rows.toIndexedSeq.filterNot(_.isNullAt(i)).map(r => Literal(r.get(i, dataType), dataType))
      .distinct
      .take(40)
      .map(_.value)

  private def paths(schema: StructType, prefix: String): Seq[(String, DataType)] =
    schema.toSeq.flatMap { f =>
      f.dataType match {
        case s: StructType             => paths(s, s"$prefix${f.name}.")
        case _: ArrayType | _: MapType => Nil
        case flat                      => Seq(s"$prefix`${f.name}`" -> flat)
      }
    }

  private val small = Map(
    "parquet.page.row.count.limit" -> "32",
    "parquet.page.size" -> "1024",
    "parquet.page.size.row.check.min" -> "16",
    "parquet.block.size" -> "16384",
    "parquet.block.size.row.check.min" -> "100"
  )

  private val parquet: Seq[(String, Map[String, String])] = Seq(
    "v1_snappy" -> Map("compression" -> "snappy"),
    "v1_plain" -> Map("compression" -> "uncompressed", "parquet.enable.dictionary" -> "false"),
    "v1_dictionary" -> Map("compression" -> "uncompressed"),
    "v2_zstd" -> Map("compression" -> "zstd", "parquet.writer.version" -> "v2"),
    "v2_deltas" -> Map(
      "compression" -> "snappy",
      "parquet.writer.version" -> "v2",
      "parquet.enable.dictionary" -> "false"
    ),
    "fallback_gzip" -> Map("compression" -> "gzip", "parquet.dictionary.page.size" -> "200"),
    "bloom_lz4_raw" -> Map(
      "compression" -> "lz4_raw",
      "parquet.bloom.filter.enabled" -> "true",
      "parquet.bloom.filter.max.bytes" -> "256"
    )
  )

  private val orc: Seq[(String, Map[String, String])] = Seq(
    "none_direct" -> Map("compression" -> "none", "orc.dictionary.key.threshold" -> "0"),
    "none_dictionary" -> Map("compression" -> "none", "orc.dictionary.key.threshold" -> "1"),
    "old" -> Map("compression" -> "none", "orc.write.format" -> "0.11"),
    "zlib" -> Map("compression" -> "zlib"),
    "snappy_bloom" -> Map("compression" -> "snappy", "orc.bloom.filter.columns" -> "*"),
    "lz4_no_index" -> Map("compression" -> "lz4", "orc.create.index" -> "false"),
    "zstd_small_chunks" -> Map(
      "compression" -> "zstd",
      "orc.compress.size" -> "256",
      "orc.buffer.size.enforce" -> "true"
    )
  )

  private def writeAll(session: SparkSession, table: Path): Unit = {
    val source = session.read.parquet(table.resolve("source.parquet").toString).coalesce(1)
    parquet.foreach { case (name, options) =>
      write(source, "parquet", small ++ options, table, s"spark_$name")
    }
    val times = Seq("INT96", "TIMESTAMP_MILLIS")
    if (source.schema.exists(_.dataType == TimestampType)) times.foreach { kind =>
      session.conf.set("spark.sql.parquet.outputTimestampType", kind)
      write(source, "parquet", small + ("compression" -> "none"), table, s"spark_$kind")
      session.conf.unset("spark.sql.parquet.outputTimestampType")
    }
    if (source.schema.exists(_.dataType.isInstanceOf[DecimalType])) {
      session.conf.set("spark.sql.parquet.writeLegacyFormat", "true")
      write(source, "parquet", small + ("compression" -> "none"), table, "spark_legacy")
      session.conf.unset("spark.sql.parquet.writeLegacyFormat")
    }
    orc.foreach { case (name, options) =>
      val strides = Map("orc.stripe.row.count" -> "120", "orc.row.index.stride" -> "1000")
      val bloom = options.get("orc.bloom.filter.columns")
        .map(_ => "orc.bloom.filter.columns" -> source.columns.mkString(","))
      write(source, "orc", strides ++ options ++ bloom, table, s"spark_$name")
    }
  }

  private def write(
      rows: DataFrame,
      format: String,
      options: Map[String, String],
      table: Path,
      name: String
  ): Unit = {
    val folder = table.resolve(s"$name.folder")
    rows.write.mode("overwrite").options(options).format(format).save(folder.toString)
    val part = list(folder).find(_.getFileName.toString.startsWith("part")).get
    Files.move(part, table.resolve(s"$name.$format"), StandardCopyOption.REPLACE_EXISTING)
    list(folder).foreach(Files.delete)
    Files.delete(folder)
  }
}
