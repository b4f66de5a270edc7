// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.util.UUID

import scala.collection.mutable
import scala.runtime.AbstractFunction2

import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileScanRDD,
  PartitionDirectory,
  PartitionedFile
}
import org.apache.spark.sql.execution.{QueryExecution, SQLExecution}
import org.apache.spark.sql.latebloom.ListedFiles
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.{KeyCollector, KeyLimits}
import latebloom.compile.WantedKeys
import latebloom.index.sidecar.RangeEntry.{ColumnKeys, FileState}
import latebloom.index.sidecar.{RangeEntry, RangeValues, SidecarWriter}
import latebloom.line.Compat._
import latebloom.line.Sent
import latebloom.read.io.UnchangedFiles

/** Builds an index of some columns of a table's files, of those that it does not have yet.
  *
  * Spark's own scan reads the columns, so that the values are those that a query sees. A task
  * gathers the keys of a split while it reads it: nothing is shuffled. The driver collects them,
  * some partitions at a time, and writes sidecars with the entries of many files each.
  *
  * @param table
  *   its relation, as [[IndexedTable]] has checked it
  * @param into
  *   the folder
  */
final private[index] class IndexBuild(table: IndexedTable, into: Path, query: QueryExecution) {
  import IndexBuild._

  private val session = query.sparkSession
  private val hadoopConf = session.sessionState.newHadoopConf()
  private val maintenance = new IndexMaintenance(into, hadoopConf)

  def run(): Built = {
    val start = System.nanoTime()
    table.files.location.refresh()
    val directories = table.files.location.listFiles(Nil, Nil)
    val listed = directories.flatMap(_.files).map(f =>
      new FileState(f.getPath.toString, f.getLen, f.getModificationTime)
    )
    val complete = maintenance.complete(table.source, table.columns.map(_.field).toSet)
    val (known, missing) = listed.partition(complete)
    val (rested, fresh) = missing.partition(f => UnchangedFiles.isSettled(f.modified))
    val bytes = if (rested.isEmpty) 0L else index(rested.toSet, directories)
    val dropped = maintenance.dropStale(table.files.location.rootPaths, listed.toSet)
    Built(
      rested.size,
      known.size,
      fresh.size,
      dropped,
      bytes,
      (System.nanoTime() - start) / 1e9
    )
  }

  /** Reads files and writes their entries; returns the bytes of the sidecars. */
  private def index(files: Set[FileState], listing: Seq[PartitionDirectory]): Long = {
    val paths = files.map(_.path)
    val chosen = listing.map(d => d.copy(files = d.files.filter(f => paths(f.getPath.toString))))
      .filter(_.files.nonEmpty)
    val of = table.files.copy(
      location = new ListedFiles(table.files.location, chosen),
      bucketSpec = None
    )(table.files.sparkSession)
    val asked = Seq(FileFormat.FILE_PATH, FileFormat.FILE_BLOCK_START).map { name =>
      UnresolvedAttribute(Seq(FileFormat.METADATA_NAME, name)): NamedExpression
    }
    val plan = Project(asked ++ table.attributes, table.relation.copy(relation = of))
    val execution = session.sessionState.executePlan(plan)
    SQLExecution.withNewExecutionId(execution, Some("latebloom index"))(collect(execution.toRdd))
  }

  private def collect(rows: RDD[InternalRow]): Long = {
    val scan = scanOf(rows).getOrElse(
      throw new IllegalStateException("Spark does not read these files by a scan of files")
    )
    val nameOf = table.files.fileFormat.fileConstantMetadataExtractors(FileFormat.FILE_PATH)
    val left = mutable.LinkedHashMap.empty[(String, Long), PartitionedFile]
    scan.filePartitions.foreach(_.files.foreach(f => left.put((nameOf(f).toString, f.start), f)))
    val found = mutable.Buffer.empty[RangeEntry]
    var waiting = 0L
    var written = 0L
    def add(split: PartitionedFile, columns: java.util.List[ColumnKeys]): Unit = {
      val file =
        new FileState(split.toPath.toString, split.fileSize, split.modificationTime)
      found += new RangeEntry(file, split.start, split.start + split.length, columns)
      waiting += columns.asScala.map(c => if (c.keys == null) 1L else c.keys.length.toLong).sum
      if (waiting >= OfSidecar) flush()
    }
    def flush(): Unit = {
      written += write(found.toSeq)
      found.clear()
      waiting = 0
    }
    val types = table.attributes.map(_.dataType).toArray
    val gather = new Gather(new Sent(types))
    rows.partitions.indices.grouped(AtOnce).foreach { some =>
      rows.sparkContext.runJob(
        rows,
        gather,
        some,
        (_: Int, bytes: Array[Byte]) =>
          RangeValues.read(bytes).asScala.foreach { values =>
            val split = left.remove((values.file, values.start)).getOrElse(
              throw new IllegalStateException(s"${values.file} was read and not listed")
            )
            add(split, values.columns)
          }
      )
    }
    // No row group, and no stripe, belongs to these.
    val none = java.util.Collections.nCopies(types.length, ColumnKeys.NO_ROWS)
    left.values.foreach(add(_, none))
    if (found.nonEmpty) flush()
    written
  }

  /** Writes the entries of files that are still as they were when they were listed. */
  private def write(entries: Seq[RangeEntry]): Long = {
    val run = UUID.randomUUID().toString
    val unchanged = entries.map(_.file).distinct.filter { f =>
      UnchangedFiles.isUnchanged(run, new Path(f.path), f.length, f.modified, hadoopConf)
    }.toSet
    val kept = entries.filter(e => unchanged(e.file))
    if (kept.isEmpty) 0
    else {
      val bytes = SidecarWriter.write(table.source, table.columns.asJava, kept.asJava)
      IndexFolders.write(bytes, into, hadoopConf)
      bytes.length
    }
  }
}

private[index] object IndexBuild {

  /** What a build did.
    *
    * @param indexed
    *   files that it read
    * @param known
    *   files that the folder had entries of already
    * @param fresh
    *   files that were written a moment ago, which the next build reads
    * @param dropped
    *   files that are no more as they were, whose entries it dropped
    * @param bytes
    *   that it wrote
    */
  final case class Built(
      indexed: Int,
      known: Int,
      fresh: Int,
      dropped: Int,
      bytes: Long,
      seconds: Double
  )

  /** Bytes of keys in a sidecar, about. */
  private val OfSidecar = 32L << 20

  /** Partitions whose results the driver takes at once. */
  private val AtOnce = 128

  /** Few keys are listed, close ones are a bitmap, others a Bloom filter of ten bits a key and
    * more; where there would be fewer, the range of the keys is left.
    */
  private val Limits = new KeyLimits(256, 2 << 20, (2L << 20) * 8 / 10)

  private def scanOf(rows: RDD[_]): Option[FileScanRDD] = rows match {
    case scan: FileScanRDD => Some(scan)
    case other             => other.dependencies.flatMap(d => scanOf(d.rdd)).headOption
  }

  /** Gathers the keys of the splits of a partition, in a task: of rows of a file's name, the start
    * of the split, and the columns.
    *
    * @param types
    *   of the columns
    */
  @SerialVersionUID(1L)
  final private class Gather(types: Sent[Array[DataType]])
      extends AbstractFunction2[TaskContext, Iterator[InternalRow], Array[Byte]]
      with Serializable {

    override def apply(task: TaskContext, rows: Iterator[InternalRow]): Array[Byte] = {
      val out = new RangeValues.Output
      var current: SplitKeys = null
      while (rows.hasNext) {
        val row = rows.next()
        val file = row.getUTF8String(0)
        val start = row.getLong(1)
        if (current == null || current.start != start || current.file != file) {
          if (current != null) out.add(current.finish())
          current = new SplitKeys(file.copy(), start, types.get)
        }
        current.add(row)
      }
      if (current != null) out.add(current.finish())
      out.finish()
    }
  }

  /** Gathers the keys of a split. */
  final private class SplitKeys(val file: UTF8String, val start: Long, types: Array[DataType]) {
    private val wanted = types.map(t => WantedKeys(BoundReference(0, t, nullable = true), false))
    private val keys = wanted.map(_.gathering(Limits).asInstanceOf[KeyCollector])
    private val hasNull = new Array[Boolean](types.length)
    private val value = new GenericInternalRow(1)

    def add(row: InternalRow): Unit = {
      var c = 0
      while (c < types.length) {
        if (row.isNullAt(c + 2)) hasNull(c) = true
        else {
          value.update(0, row.get(c + 2, types(c)))
          wanted(c).add(keys(c), value)
        }
        c += 1
      }
    }

    def finish(): RangeValues = {
      val columns = keys.zip(hasNull).map { case (of, isNull) =>
        val filter = of.finish().toScala.orElse(of.range.toScala)
        new ColumnKeys(isNull, filter.map(_.serialize()).orNull)
      }
      new RangeValues(file.toString, start, columns.toSeq.asJava)
    }
  }
}
