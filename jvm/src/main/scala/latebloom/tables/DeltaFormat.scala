// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.io.Closeable

import scala.collection.AbstractIterator

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  EqualTo,
  Expression,
  Literal
}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionedFile}
import org.apache.spark.sql.latebloom.{FileColumns, LateFiles, PushedFilters, RenamedFilters}
import org.apache.spark.sql.types._

import latebloom.decision.{Reason, Reasons}
import latebloom.line.Compat._
import latebloom.read.selection.LiveRows
import latebloom.tables.TableFormat.Reader

/** Delta Lake. Why its scans may be executed as scans of plain Parquet files, with the differences
  * that this class answers for:
  *
  *   - ''Files.'' The plan's file index, `TahoeFileIndex`, lists them for our scan as for Delta's,
  *     with partition values, constants of files, and Delta's pruning by statistics.
  *   - ''Columns.'' Delta's reader is Spark's, asked for the schema that `prepareSchemaForRead`
  *     returns: physical names, or field ids, which Spark resolves. Ours is asked for the same.
  *   - ''Pushed filters.'' Delta translates their names ([[RenamedFilters]]). With field ids a
  *     file's columns may have other names: keys of joins are then not compared with statistics,
  *     and Spark's filters only as Delta does it.
  *   - ''Deleted rows.'' The plan has a column that the reader fills from the file's deletion
  *     vector, and a condition on it below all others. Our scan drops the listed rows before
  *     anything else, which is the same; it reads vectors by Delta's own code.
  *   - ''Change data.'' A scan of it differs by its file index, and by vectors that list the rows
  *     to keep.
  *   - ''Features.'' A feature of the protocol that readers must know may change the meaning of
  *     files. Those in [[KnownFeatures]] do not, beyond the points above.
  *
  * @param mapping
  *   how columns are found in files: `none`, `name` or `id`
  * @param tablePath
  *   where deletion vectors are, if the scan has them
  */
final private[tables] class DeltaFormat private (
    override val own: ParquetFileFormat,
    delta: DeltaClasses,
    mapping: String,
    tablePath: Option[String]
) extends TableFormat {
  import DeltaFormat._

  override def name: String = "delta"

  /** Delta's commands may ask its reader to number the rows of a file by counting them. */
  override def whyNot(scan: FileSourceScanExec): Option[Reason] =
    scan.requiredSchema.fieldNames
      .filter(_.startsWith(Internal))
      .find(column => column != IsDeleted || tablePath.isEmpty)
      .map(Reasons.deltaColumn)

  override def isPinned(index: FileIndex): Boolean =
    Pinned.contains(index.getClass.getName)

  override def prunes(index: FileIndex): Boolean = Pruning.contains(index.getClass.getName)

  override def asListed(index: FileIndex, filters: Seq[Expression]): Seq[Expression] =
    if (index.getClass.getName != Prepared) filters
    else {
      // Spark may have pruned fields of a struct since: their ordinals are those of its own type.
      def key(a: Attribute) = (a.name, a.dataType)
      val prepared = delta.preparedFilters(index).flatMap(_.references).groupBy(key(_))
        .collect { case (k, same) if same.map(_.exprId).distinct.size == 1 => k -> same.head }
      filters.map(_.transform {
        case a: AttributeReference => prepared.getOrElse(key(a), a)
      })
    }

  /** A list of files, as that of a command, keeps no statistics: its snapshot has them, if the
    * files are of that snapshot.
    */
  override def excludes(
      index: FileIndex,
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression],
      conditions: Seq[Expression]
  ): Path => Boolean =
    if (index.getClass.getName == Prepared) {
      val kept = index.listFiles(partitionFilters, dataFilters ++ conditions)
        .flatMap(_.files).map(_.getPath).toSet
      !kept.contains(_)
    } else {
      val kept = delta.filesOfSnapshot(index, conditions)
      delta.filesOfSnapshot(index, Nil).diff(kept)
    }

  override def isFiltered(index: FileIndex): Boolean = false

  override def deletesRows: Boolean = tablePath.nonEmpty

  override def plansDeletions: Boolean = deletesRows

  override def marksDeleted(column: Attribute): Boolean = column.name == IsDeleted

  override def dropsDeleted(conjunct: Expression): Boolean = conjunct match {
    case EqualTo(c: Attribute, Literal(kept: Byte, ByteType)) => marksDeleted(c) && kept == Keep
    case _                                                    => false
  }

  override def live: LateFiles.Live = tablePath.fold(LateFiles.allLive)(new DeletionVectors(_))

  override def nameInFiles(column: StructField): String =
    physical(StructType(Seq(column))).head.name

  override def physical(schema: StructType): StructType =
    if (mapping == NoMapping) schema else delta.physicalSchema(own, schema)

  override def columns: FileColumns = FileColumns.SameNames

  override def pushable(filters: PushedFilters, dataSchema: StructType): PushedFilters =
    if (mapping == NoMapping) filters
    else {
      val renamed = new RenamedFilters(dataSchema, physical(dataSchema))
      val keys = if (mapping == NameMapping) filters.keys.map(renamed.of(_)) else Nil
      PushedFilters(filters.filters.flatMap(renamed.of(_)), keys)
    }

  override def reader(columns: StructType, build: StructType => Reader): Reader =
    if (!deletesRows) build(columns)
    else {
      val withIndex =
        if (!delta.takesRowIndex(own) || columns.fieldNames.contains(RowIndex)) columns
        else columns.add(RowIndex, LongType)
      val read = build(withIndex.add(IsDeleted, ByteType))
      val deleted = withIndex.length
      file => new UndeletedRows(read(file), deleted)
    }
}

private[tables] object DeltaFormat {
  private val ClassName = "org.apache.spark.sql.delta.DeltaParquetFileFormat"

  /** The releases whose reader was compared with this adapter, without their last number. */
  private val Lines = Set("3.3", "4.0", "4.1", "4.2", "4.3", "4.4")

  /** The parameters of Delta's file format, from 3.3 and from 4.0 on. Another one may change what
    * it reads.
    */
  private val Parameters = Set(
    Seq("Protocol", "Metadata", "boolean", "boolean", "Option", "boolean"),
    Seq("Protocol", "Metadata", "boolean", "boolean", "boolean", "Option", "boolean")
  )

  /** Features of the protocol that readers must know, and that this adapter knows.
    *
    *   - `columnMapping`, `deletionVectors`, `typeWidening`: see [[DeltaFormat]]; Spark's reader
    *     widens types, and refuses to where it cannot.
    *   - `timestampNtz`, `variantType`, `variantShredding`: types that Spark itself stores in
    *     Parquet.
    *   - `v2Checkpoint`, `vacuumProtocolCheck`, `catalogManaged`, `coordinatedCommits`: how the log
    *     is written. Scans do not read it.
    */
  private val KnownFeatures = Set(
    "catalogManaged",
    "columnMapping",
    "coordinatedCommits-preview",
    "deletionVectors",
    "timestampNtz",
    "typeWidening",
    "typeWidening-preview",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "variantShredding",
    "variantShredding-preview",
    "variantType",
    "variantType-preview"
  )

  /** The file index of a query, which selects files anew if it is asked with other conditions. */
  private val Prepared = "org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex"

  /** The file index of a list of files. */
  private val Batch = "org.apache.spark.sql.delta.files.TahoeBatchFileIndex"

  private val Pruning = Set(Prepared, Batch)

  /** File indexes of one version of a table, or of a list of files. */
  private val Pinned = Set(
    Prepared,
    Batch,
    "org.apache.spark.sql.delta.files.TahoeChangeFileIndex",
    "org.apache.spark.sql.delta.files.TahoeRemoveFileIndex",
    "org.apache.spark.sql.delta.files.CdcAddFileIndex"
  )

  private val NoMapping = "none"
  private val NameMapping = "name"
  private val Mappings = Set(NoMapping, NameMapping, "id")

  private val Internal = "__delta_internal_"
  private val IsDeleted = Internal + "is_row_deleted"
  private val Keep: Byte = 0
  private val RowIndex = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME

  /** Left with the reason if LateBloom does not know the Delta, None if it is none. */
  def of(format: ParquetFileFormat): Option[Either[Reason, TableFormat]] =
    when(format.getClass.getName == ClassName) {
      try known(format, DeltaClasses.beside(format.getClass))
      catch {
        case e @ (_: ReflectiveOperationException | _: LinkageError | _: RuntimeException) =>
          val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
          Left(Reasons.deltaNotKnown(causes.mkString(", because of ")))
      }
    }

  private def known(format: ParquetFileFormat, delta: DeltaClasses): Either[Reason, TableFormat] = {
    val mapping = delta.columnMapping(format)
    val unknown = delta.readerFeatures(format).diff(KnownFeatures)
    for {
      _ <- Either.cond(
        Lines.contains(delta.version.split('.').take(2).mkString(".")) &&
          Parameters.contains(delta.formatParameters),
        (),
        Reasons.deltaNotKnown(s"version ${delta.version}")
      )
      _ <- Either.cond(unknown.isEmpty, (), Reasons.deltaFeature(unknown.toSeq.sorted))
      _ <- Either.cond(
        Mappings.contains(mapping),
        (),
        Reasons.deltaFeature(Seq(s"columnMapping=$mapping"))
      )
    } yield new DeltaFormat(format, delta, mapping, delta.tablePath(format))
  }
}

/** Reads the deletion vector of a file, if it has one. The file's constants name the vector and say
  * whether it lists the rows to drop or, in change data, those to keep.
  */
final private class DeletionVectors(tablePath: String)
    extends ((PartitionedFile, Configuration) => LiveRows)
    with Serializable {

  override def apply(file: PartitionedFile, conf: Configuration): LiveRows = {
    val constants = file.otherConstantMetadataColumnValues
    (constants.get("row_index_filter_id_encoded"), constants.get("row_index_filter_type")) match {
      case (None, None)                                => LiveRows.ALL
      case (Some(vector: String), Some(kind: Enum[_])) =>
        val listed = DeltaClasses
          .beside(kind.getDeclaringClass)
          .deletionVector(vector, tablePath, conf)
        kind.name match {
          case "IF_CONTAINED"     => LiveRows.without(listed)
          case "IF_NOT_CONTAINED" => LiveRows.only(listed)
          case other => throw new IllegalStateException(s"Unexpected row index filter type: $other")
        }
      case (vector, kind) =>
        throw new IllegalStateException(
          s"${file.urlEncodedPath} has the deletion vector $vector of type $kind"
        )
    }
  }
}

/** The rows of Delta's own reader that are not deleted.
  *
  * @param isDeleted
  *   the position of the column that says so
  */
final private class UndeletedRows(read: Iterator[InternalRow], isDeleted: Int)
    extends AbstractIterator[InternalRow]
    with Closeable {
  private val rows =
    TableFormat.rows(read.asInstanceOf[Iterator[Any]]).filter(_.getByte(isDeleted) == 0)

  override def hasNext: Boolean = rows.hasNext

  override def next(): InternalRow = rows.next()

  override def close(): Unit = read match {
    case c: Closeable => c.close()
    case _            =>
  }
}
