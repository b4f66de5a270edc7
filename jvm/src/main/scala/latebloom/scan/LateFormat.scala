// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import java.io.Closeable
import java.util.Locale

import scala.collection.AbstractIterator

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.latebloom._
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

import latebloom.cache.Survivors
import latebloom.index.IndexedFiles
import latebloom.joinkeys.FileKeys
import latebloom.line.Archives
import latebloom.line.Compat._
import latebloom.read.selection.LiveRows
import latebloom.read.survivors.SurvivorBlocks
import latebloom.read.task.{Counter, Counters}
import latebloom.read.{BatchSource, ScanSpec, SelectiveScan, SplitAggregates}
import latebloom.statistics.SizeRecorder
import latebloom.tables.TableFormat
import latebloom.toprows.RowsOfFiles

/** What the readers of a scan's files do.
  *
  * @param spec
  *   the filters and the output of the scan
  * @param keys
  *   the keys of joins on columns, for statistics
  * @param files
  *   the keys of joins on what is known of a file before it is opened
  * @param known
  *   which rows the scan needs to read, before it reads any
  * @param aggregation
  *   what a scan returns in place of rows, a row for each file split; None for rows
  * @param counters
  *   the node's metrics
  * @param totals
  *   what its filters have done, and what was read of its columns
  */
final private[latebloom] case class ScanWork(
    spec: ScanSpec,
    keys: Seq[KeysToPush],
    files: Seq[FileKeys],
    known: KnownRows,
    aggregation: Option[Aggregation],
    counters: TaskCounters,
    totals: ScanTotals
)

/** What is known of the rows that a scan needs.
  *
  * @param wanted
  *   those that a search has found; None for all
  * @param survivors
  *   what earlier scans found; None if that may not be used
  * @param indexed
  *   what a skip index knows of the files; None if it knows nothing
  */
final private[latebloom] case class KnownRows(
    wanted: Option[WantedRows],
    survivors: Option[Survivors],
    indexed: Option[IndexedFiles]
)

/** The rows that a search has found, as tasks look them up.
  *
  * @param nameOf
  *   how Spark names a file
  * @param files
  *   the files that have them
  */
final private[latebloom] class WantedRows private (
    rows: RowsOfFiles,
    nameOf: PartitionedFile => Any,
    @transient files: Set[Path]
) extends Serializable {

  /** Whether no row of a file is among them; on the driver. */
  def exclude(path: Path): Boolean = !files(path)

  /** Whether no row of a split is among them. */
  def exclude(split: PartitionedFile): Boolean =
    rows.exclude(nameOf(split).toString, split.start, split.length)

  /** The rows of a file. */
  def of(file: PartitionedFile): LiveRows = rows.of(nameOf(file).toString)
}

private[scan] object WantedRows {

  /** The rows in the files of a scan; None if it does not list one of their files. */
  def among(listed: Seq[Path], rows: RowsOfFiles, format: FileFormat): Option[WantedRows] = {
    val nameOf = format.fileConstantMetadataExtractors(FileFormat.FILE_PATH)
    def hasRows(path: Path) = {
      val file = PartitionedFile(InternalRow.empty, SparkPath.fromPath(path), 0, 0)
      !rows.exclude(nameOf(file).toString)
    }
    val files = listed.filter(hasRows).toSet
    when(files.size == rows.files.size)(new WantedRows(rows, nameOf, files))
  }
}

/** A file format that reads selectively. The scan node's inner scan uses it, so that splits,
  * buckets, partition values and metadata columns stay Spark's. Mixed into Spark's own format.
  */
private[scan] trait LateFormat extends FileFormat {

  protected def work: ScanWork

  final protected def spec: ScanSpec = work.spec

  /** Of the rows that a table still has, those that the scan may read. */
  final protected def wanted(live: LateFiles.Live): LateFiles.Live = work.known.wanted match {
    case Some(rows) => (file, conf) => live(file, conf).and(rows.of(file))
    case None       => live
  }

  /** The filters to pass to Spark's own reader. */
  protected def forSpark(filters: Seq[Filter]): Seq[Filter] = filters

  /** The column order of the spec in which to call Spark's own reader. */
  protected def forSpark(dataSchema: StructType): Seq[Int] = spec.columns.indices

  /** Creates the object that opens the files.
    *
    * @param hadoopConf
    *   with the settings that Spark's readers look up
    */
  protected def files(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): LateFiles

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    // Spark's own reader of all columns, for files that we decline; creating it also puts the
    // settings of Spark's readers into the configuration.
    val order = forSpark(dataSchema)
    val sparkRead = super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      StructType(order.map(spec.column(_))),
      forSpark(filters),
      options,
      hadoopConf
    )
    val lateFiles = files(session, dataSchema, partitionSchema, filters, options, hadoopConf)
    val returningBatch = options.get(FileFormat.OPTION_RETURNING_BATCH).contains("true")
    val totals = work.counters
    val ofParts = work.totals
    val columns = spec.columns
    val keys = work.files
    val aggregation = work.aggregation
    val wanted = work.known.wanted
    val survivors = work.known.survivors
    val indexed = work.known.indexed

    def read(file: PartitionedFile, known: SurvivorBlocks): Iterator[InternalRow] = {
      val counters = new Counters
      val opened =
        if (Archives.isArchive(file.toPath)) Left(Counter.FILES_ARCHIVED)
        else lateFiles.open(file, counters)
      val size = ofParts.sizes.map(_.begin(file, counted = opened.isRight))
      val drain = () => {
        counters.drainTo { (c: Counter, n: Long) =>
          totals.add(c, n)
          size.foreach(_.count(c, n))
        }
        ofParts.add(counters)
      }
      val source: BatchSource = opened match {
        case Right(scan)  => scan
        case Left(reason) =>
          counters.add(reason, 1)
          lateFiles.filter(file, Reordered(sparkRead(file), order, columns))
      }
      val recorded = for (s <- survivors; scan <- opened.toOption) yield s.begin(file, known, scan)
      val batches = new BatchIterator(source, size, drain, () => recorded.foreach(end => end()))
      val result = aggregation match {
        case Some(a)                => new AggregateIterator(a, file, source, batches)
        case None if returningBatch => batches
        case None                   => new RowIterator(batches)
      }
      result.asInstanceOf[Iterator[InternalRow]]
    }

    ReadFile(file =>
      if (keys.exists(_.exclude(file.partitionValues, file.toPath.getName))) {
        if (file.start == 0) totals.add(Counter.FILES_EXCLUDED, 1)
        Iterator.empty
      } else if (wanted.exists(_.exclude(file))) {
        totals.add(Counter.SPLITS_NOT_BEST, 1)
        Iterator.empty
      } else if (indexed.exists(_.hasNoMatch(file, lateFiles.configuration))) {
        totals.add(Counter.SPLITS_INDEXED, 1)
        ofParts.sizes.foreach(_.leaveOut(file))
        Iterator.empty
      } else {
        val known =
          survivors.fold(SurvivorBlocks.UNKNOWN)(_.of(file, lateFiles.configuration))
        if (known.isEmpty(file.start, file.start + file.length)) {
          totals.add(Counter.SPLITS_REMEMBERED, 1)
          ofParts.sizes.foreach(_.leaveOut(file))
          survivors.foreach(_.leaveOut())
          Iterator.empty
        } else {
          read(file, known)
        }
      }
    )
  }
}

/** Reads the Parquet files of a table format. */
final private[scan] class LateTableFormat(
    table: TableFormat,
    override protected val work: ScanWork
) extends OwnFormat(table)
    with LateFormat {

  override protected def files(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): LateFiles =
    ParquetFiles(
      session,
      table.physical(spec),
      partitionSchema,
      table.pushable(PushedFilters(filters, work.keys), dataSchema),
      table.columns,
      wanted(table.live),
      options,
      hadoopConf
    )
}

/** Answers Spark as a table format's own file format does, and reads the rows that the table still
  * has.
  */
private[scan] class OwnFormat(table: TableFormat) extends ParquetFileFormat {

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] =
    table.reader(
      requiredSchema,
      table.own.buildReaderWithPartitionValues(
        session,
        dataSchema,
        partitionSchema,
        _,
        filters,
        options,
        hadoopConf
      )
    )

  override def isSplitable(
      session: SparkSession,
      options: Map[String, String],
      path: Path
  ): Boolean = table.own.isSplitable(session, options, path)

  override def fileConstantMetadataExtractors: Map[String, PartitionedFile => Any] =
    table.own.fileConstantMetadataExtractors

  override def metadataSchemaFields: Seq[StructField] = table.own.metadataSchemaFields

  override def supportFieldName(name: String): Boolean = table.own.supportFieldName(name)
}

final private[scan] class LateParquetFormat(override protected val work: ScanWork)
    extends ParquetFileFormat
    with LateFormat {

  override protected def files(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): LateFiles =
    ParquetFiles(
      session,
      spec,
      partitionSchema,
      PushedFilters(filters, work.keys),
      FileColumns.SameNames,
      wanted(LateFiles.allLive),
      options,
      hadoopConf
    )
}

final private[scan] class LateOrcFormat(override protected val work: ScanWork)
    extends OrcFileFormat
    with LateFormat {

  /** None: orc-core evaluates some of them incorrectly, and fails on others. */
  override protected def forSpark(filters: Seq[Filter]): Seq[Filter] = Nil

  /** The table's order, in which Spark's own scan would read: orc-core reads a file of a
    * transactional table by position unless the columns are those of the file, in its order.
    */
  override protected def forSpark(dataSchema: StructType): Seq[Int] = {
    val exact = dataSchema.fieldNames.zipWithIndex.toMap
    val any = dataSchema.fieldNames.map(_.toLowerCase(Locale.ROOT)).zipWithIndex.toMap
    spec.columns.indices.sortBy { c =>
      val name = spec.column(c).name
      exact.getOrElse(name, any.getOrElse(name.toLowerCase(Locale.ROOT), Int.MaxValue))
    }
  }

  override protected def files(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): LateFiles =
    OrcFiles(
      session,
      spec,
      dataSchema,
      partitionSchema,
      PushedFilters(filters, work.keys),
      wanted(LateFiles.allLive),
      hadoopConf
    )
}

/** Brings columns from Spark's reader into the order of the spec. */
final private class Reordered(read: Iterator[_], ordinals: Array[Int], columns: StructType)
    extends AbstractIterator[Any]
    with Closeable {
  private lazy val row = ProjectingInternalRow(columns, ordinals.toIndexedSeq)

  override def hasNext: Boolean = read.hasNext

  override def next(): Any = read.next() match {
    case batch: ColumnarBatch => new ColumnarBatch(ordinals.map(batch.column), batch.numRows)
    case one: InternalRow     =>
      row.project(one)
      row
  }

  override def close(): Unit = read match {
    case c: Closeable => c.close()
    case _            =>
  }
}

private object Reordered {

  /** @param order the column of the spec at each position of the input */
  def apply(read: Iterator[_], order: Seq[Int], columns: StructType): Iterator[_] =
    if (order == order.indices) read
    else new Reordered(read, columns.indices.map(order.indexOf(_)).toArray, columns)
}

/** Iterates over a file's batches, and updates the metrics with each.
  *
  * @param size
  *   counts the rows for later plans
  * @param atEnd
  *   called once, when no more batch will be read
  */
final private class BatchIterator(
    source: BatchSource,
    size: Option[SizeRecorder.Split],
    drain: () => Unit,
    atEnd: () => Unit
) extends AbstractIterator[ColumnarBatch]
    with Closeable {
  private var batch: ColumnarBatch = _
  private var ended = false
  private var closed = false

  override def hasNext: Boolean = {
    if (batch == null && !ended) {
      batch = source.next()
      ended = batch == null
      drain()
      size.foreach(s => if (ended) s.end() else s.add(batch))
    }
    batch != null
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException("the scan has ended")
    val b = batch
    batch = null
    b
  }

  override def close(): Unit = {
    ended = true
    source.close()
    if (!closed) {
      closed = true
      atEnd()
    }
    drain()
  }
}

/** One row, with the aggregates of all batches of a file split; none for a group without rows. */
final private class AggregateIterator(
    aggregation: Aggregation,
    file: PartitionedFile,
    source: BatchSource,
    batches: Iterator[ColumnarBatch] with Closeable
) extends AbstractIterator[InternalRow]
    with Closeable {
  private lazy val result = {
    val found = new SplitAggregates(aggregation.asked.asJava)
    source match {
      case scan: SelectiveScan => scan.aggregateTo(found)
      case _                   =>
    }
    batches.foreach(found.add)
    aggregation.buffers(file, found).iterator
  }

  override def hasNext: Boolean = result.hasNext

  override def next(): InternalRow = result.next()

  override def close(): Unit = batches.close()
}

/** The rows of batches, for a plan that takes rows; a row is valid until the next one. */
final private class RowIterator(batches: Iterator[ColumnarBatch] with Closeable)
    extends AbstractIterator[InternalRow]
    with Closeable {
  private var rows: java.util.Iterator[InternalRow] = java.util.Collections.emptyIterator()

  override def hasNext: Boolean = {
    while (!rows.hasNext && batches.hasNext) rows = batches.next().rowIterator()
    rows.hasNext
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("the scan has ended")
    rows.next()
  }

  override def close(): Unit = batches.close()
}
