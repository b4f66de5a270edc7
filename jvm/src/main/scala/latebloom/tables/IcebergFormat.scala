// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.io.Closeable

import scala.collection.AbstractIterator

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  JoinedRow,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, FileIndex, PartitionedFile}
import org.apache.spark.sql.latebloom.{
  FileColumns,
  LateFiles,
  PartitionVectors,
  PushedFilters
}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{StructField, StructType}

import latebloom.decision.Reason
import latebloom.line.Compat._
import latebloom.read.RowNumberCursor
import latebloom.read.selection.LiveRows
import latebloom.read.vector.RowBatches
import latebloom.tables.TableFormat.Reader

/** Apache Iceberg. Why its scans may be executed as scans of plain Parquet files, with the
  * differences that this class answers for:
  *
  *   - ''Files.'' Those that Iceberg has planned for its own scan of the query ([[IcebergFiles]]),
  *     so that snapshots, branches, increments and Iceberg's pruning are Iceberg's.
  *   - ''Columns.'' By ids, file by file; [[IcebergColumns]] says which files Spark's resolution by
  *     ids reads as Iceberg does.
  *   - ''Pushed filters.'' On each file's names. Iceberg's rebases no dates, and so neither does
  *     this scan.
  *   - ''Deleted rows.'' Position deletes and deletion vectors, read by Iceberg's own code, leave
  *     rows out before anything else. Files with equality deletes are read by Iceberg.
  *   - ''Constants.'' Partition columns of an identity transform, if all files have it, are Spark's
  *     partition columns.
  *   - ''Other files.'' Iceberg's own reader reads them, file by file, within the scan.
  */
final private[tables] class IcebergFormat(files: IcebergFiles) extends TableFormat {

  override def name: String = "iceberg"

  override lazy val own: ParquetFileFormat = new IcebergFileFormat(this)

  override def whyNot(scan: FileSourceScanExec): Option[Reason] = None

  override def isPinned(index: FileIndex): Boolean = true

  override def isFiltered(index: FileIndex): Boolean = files.isFiltered

  override def prunes(index: FileIndex): Boolean = index.isInstanceOf[IcebergFiles]

  override def asListed(index: FileIndex, filters: Seq[Expression]): Seq[Expression] = filters

  /** Iceberg plans the scan once more, by the bounds in its manifests. It would take a dot in a
    * name for one between names, and knows no bounds of metadata columns.
    */
  override def excludes(
      index: FileIndex,
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression],
      conditions: Seq[Expression]
  ): Path => Boolean = {
    def isUnknown(column: Attribute) =
      files.metadata.isMade(column) || column.name.exists(c => c == '.' || c == '`')
    files.excludes(
      conditions.filterNot(_.references.exists(isUnknown)).flatMap(PushedFilters.of(_))
    )
  }

  override def deletesRows: Boolean = files.deletesRows

  override def plansDeletions: Boolean = false

  override def marksDeleted(column: Attribute): Boolean = false

  override def dropsDeleted(conjunct: Expression): Boolean = false

  override def live: LateFiles.Live =
    if (deletesRows) new PositionDeletes(files.partition)
    else LateFiles.allLive

  override def columns: FileColumns = files.columns

  override def physical(columns: StructType): StructType = files.columns.physical(columns)

  /** Most files have the name that the table has. */
  override def nameInFiles(column: StructField): String = column.name

  override def pushable(filters: PushedFilters, dataSchema: StructType): PushedFilters = filters

  override def reader(columns: StructType, build: StructType => Reader): Reader = {
    // Puts the settings of Spark's readers into the configuration, for the files that are ours.
    build(columns)
    read(columns, StructType(Nil))
  }

  def isSplitable(path: Path): Boolean = files.isSplitable(path)

  /** Iceberg's own reader of the columns, followed by those of partitions. */
  def read(columns: StructType, partitions: StructType): Reader = {
    val all = files.plannedBy.scan.readSchema.fieldNames.toSeq
    val position = files.metadata.positionIn(all)
    def isNumber(c: StructField) = c.name == IcebergFormat.RowIndex || RowNumberCursor.isFor(c)
    val ordinals = columns.map { c =>
      if (isNumber(c)) position.getOrElse(all.length) else all.indexOf(c.name)
    }
    new IcebergReader(
      if (position.isEmpty && columns.exists(isNumber)) files.partitionWithPosition
      else files.partition,
      files.readers,
      columns,
      ordinals,
      partitions
    )
  }
}

private[tables] object IcebergFormat {
  val RowIndex: String = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME
}

/** The format of a relation whose files Iceberg has planned: Iceberg's own reader, for a plan that
  * Spark executes as it is.
  */
final private[latebloom] class IcebergFileFormat(val table: IcebergFormat)
    extends ParquetFileFormat {

  override def shortName(): String = "iceberg"

  override def toString: String = "Iceberg"

  override def isSplitable(
      session: SparkSession,
      options: Map[String, String],
      path: Path
  ): Boolean = table.isSplitable(path)

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): Reader = {
    super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      requiredSchema,
      Nil,
      options,
      hadoopConf
    )
    val conf = session.sessionState.conf
    val most = conf.parquetVectorizedReaderBatchSize
    val offHeap = conf.offHeapColumnVectorEnabled
    // The vectors must be of the classes that Spark's Parquet format names.
    if (options.get(FileFormat.OPTION_RETURNING_BATCH).contains("true")) {
      val rows = table.read(requiredSchema, StructType(Nil))
      file =>
        val constants = PartitionVectors(partitionSchema, file.partitionValues, most)
        val batches = new RowBatches(rows(file).asJava, requiredSchema, constants, most, offHeap)
        TaskContext.get().addTaskCompletionListener[Unit](_ => batches.close())
        batches.asScala.asInstanceOf[Iterator[InternalRow]]
    } else table.read(requiredSchema, partitionSchema)
  }
}

/** The rows of a file that position deletes, or a deletion vector, do not list. */
final private class PositionDeletes(partition: InputPartition)
    extends ((PartitionedFile, Configuration) => LiveRows)
    with Serializable {

  override def apply(file: PartitionedFile, conf: Configuration): LiveRows = {
    val iceberg = IcebergClasses.beside(partition.getClass)
    val task = IcebergFile.of(file).task
    if (iceberg.deletes(task).isEmpty) LiveRows.ALL
    else LiveRows.without(iceberg.deletedRows(partition, task))
  }
}

/** Reads whole files as Iceberg does: with the split that begins a file. */
final private class IcebergReader(
    partition: InputPartition,
    readers: PartitionReaderFactory,
    columns: StructType,
    ordinals: Seq[Int],
    partitions: StructType
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] =
    if (file.start != 0) Iterator.empty
    else {
      val iceberg = IcebergClasses.beside(partition.getClass)
      iceberg.setTasks(partition, Seq(IcebergFile.of(file).task))
      val read: OpenReader[_] =
        if (readers.supportColumnarReads(partition)) {
          new OpenReader(readers.createColumnarReader(partition))
        } else {
          new OpenReader(readers.createReader(partition))
        }
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => read.close()))
      val row = ProjectingInternalRow(columns, ordinals)
      val joined = new JoinedRow
      val unsafe = UnsafeProjection.create(StructType(columns ++ partitions))
      new RowsOfReader(
        read,
        one => {
          row.project(one)
          unsafe(joined(row, file.partitionValues))
        }
      )
    }
}

/** The rows of an open reader; a row is valid until the next one. */
final private class RowsOfReader(read: OpenReader[_], of: InternalRow => InternalRow)
    extends AbstractIterator[InternalRow]
    with Closeable {
  private val rows = TableFormat.rows(read).map(of)

  override def hasNext: Boolean = rows.hasNext
  override def next(): InternalRow = rows.next()
  override def close(): Unit = read.close()
}

/** Iterates over what a reader of Spark's DataSource V2 returns. */
final private class OpenReader[A](reader: PartitionReader[A]) extends AbstractIterator[Any]
    with Closeable {
  private var isAhead = false
  private var isOpen = true

  override def hasNext: Boolean = {
    if (!isAhead && isOpen) {
      isAhead = reader.next()
      if (!isAhead) close()
    }
    isAhead
  }

  override def next(): Any = {
    if (!hasNext) throw new NoSuchElementException("the file has ended")
    isAhead = false
    reader.get()
  }

  override def close(): Unit = if (isOpen) {
    isOpen = false
    reader.close()
  }
}
