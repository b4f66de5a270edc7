// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, FileIndex}
import org.apache.spark.sql.latebloom.{FileColumns, LateFiles, PushedFilters}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

import latebloom.decision.Reason
import latebloom.line.Compat._
import latebloom.read.ScanSpec

/** A table format whose data files are Parquet files, as the scan of a table's files sees it. It
  * answers what the files alone do not:
  *
  *   - which files: the scan's file index lists them, pruned by their statistics; [[isPinned]] says
  *     whether it would list the same files again
  *   - which rows of a file are deleted: [[live]]
  *   - which column is which: [[physical]], [[pushable]]
  *   - which values are constants of a file: [[own]] knows, as Spark asks it
  */
private[latebloom] trait TableFormat {

  /** In the spelling of users. */
  def name: String

  /** The table format's own file format. Its reader reads the files that LateBloom leaves. */
  def own: ParquetFileFormat

  /** Why a scan must be executed as the table format does it. */
  def whyNot(scan: FileSourceScanExec): Option[Reason]

  /** Whether the file index lists the same files whenever it is asked. */
  def isPinned(index: FileIndex): Boolean

  /** Whether the table has statistics of the files that the index lists. */
  def prunes(index: FileIndex): Boolean

  /** The filters as the file index knows them, which compares them with those that it has already
    * selected its files by: a part of a plan that occurs twice has columns of its own each time.
    */
  def asListed(index: FileIndex, filters: Seq[Expression]): Seq[Expression]

  /** Says of a file whether none of its rows can meet the conditions, by the statistics of the
    * table. Asking takes a job or two.
    *
    * @param partitionFilters
    *   the filters that the index has been asked with; so are `dataFilters`
    */
  def excludes(
      index: FileIndex,
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression],
      conditions: Seq[Expression]
  ): Path => Boolean

  /** Whether the table has left out files by conditions that the plan does not show any more. */
  def isFiltered(index: FileIndex): Boolean

  /** Whether files may have deleted rows. */
  def deletesRows: Boolean

  /** Whether the plan has a condition that drops them. */
  def plansDeletions: Boolean

  /** Whether a column of the plan only says which rows are deleted. */
  def marksDeleted(column: Attribute): Boolean

  /** Whether a conjunct of the plan only drops the deleted rows. */
  def dropsDeleted(conjunct: Expression): Boolean

  /** The rows of each file that the table still has. */
  def live: LateFiles.Live

  /** Columns as files name them. */
  def physical(columns: StructType): StructType

  /** The work of a scan, on the columns as files name them. */
  final def physical(spec: ScanSpec): ScanSpec = {
    val leaves = new java.util.ArrayList[StructField]
    spec.leaves.forEach(leaf => leaves.add(physical(StructType(Seq(leaf))).head))
    new ScanSpec(
      spec.id,
      physical(spec.columns),
      spec.payload,
      leaves,
      spec.kept,
      spec.filters,
      spec.options
    )
  }

  /** The name that files most likely have for a column. */
  def nameInFiles(column: StructField): String

  /** The columns that differ from file to file. */
  def columns: FileColumns

  /** The filters that statistics and indexes of files may be compared with, on the columns as files
    * name them.
    *
    * @param dataSchema
    *   the table's columns
    */
  def pushable(filters: PushedFilters, dataSchema: StructType): PushedFilters

  /** The table format's own reader, of the live rows. It may append columns.
    *
    * @param build
    *   creates a reader of these columns
    */
  def reader(
      columns: StructType,
      build: StructType => TableFormat.Reader
  ): TableFormat.Reader
}

private[latebloom] object TableFormat {
  import org.apache.spark.sql.catalyst.InternalRow
  import org.apache.spark.sql.execution.datasources.PartitionedFile

  /** Reads a file in batches or rows. */
  type Reader = PartitionedFile => Iterator[InternalRow]

  /** The table format of which `format` is an instance; Left with the reason if LateBloom does not
    * read it.
    */
  def of(format: FileFormat): Option[Either[Reason, TableFormat]] = format match {
    case iceberg: IcebergFileFormat => Some(Right(iceberg.table))
    case parquet: ParquetFileFormat => DeltaFormat.of(parquet)
    case _                          => None
  }

  /** The rows of what a reader of files returns, batches or rows. */
  private[tables] def rows(read: Iterator[Any]): Iterator[InternalRow] = read.flatMap {
    case batch: ColumnarBatch => batch.rowIterator.asScala
    case row: InternalRow     => Iterator.single(row)
  }
}
