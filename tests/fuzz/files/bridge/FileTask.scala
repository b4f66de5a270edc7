// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.util.Properties
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.{SparkEnv, TaskContext, TaskContextImpl}

/** Reads files as a task of Spark does, in the calling thread and without a job. It is in Spark's
  * package because task contexts are private to Spark.
  *
  * @param readFile
  *   opens a split
  * @param schema
  *   the schema of the rows
  */
final class FileTask(
    session: SparkSession,
    readFile: PartitionedFile => Iterator[InternalRow],
    schema: StructType
) {
  private val rdd =
    new FileScanRDD(
      session,
      readFile,
      Nil,
      schema,
      Nil,
      Map.empty,
      new FileSourceOptions(Map.empty[String, String])
    )

  /** Runs a task that passes the rows of the splits to `use`; each row is valid until the next.
    *
    * @return
    *   the result of `use` or the error, and the bytes of execution memory that were not released
    */
  def run[A](splits: Seq[FileTask.Split])(
      use: Iterator[InternalRow] => A
  ): (Either[Throwable, A], Long) = {
    val id = FileTask.attempts.incrementAndGet()
    val memory = new TaskMemoryManager(SparkEnv.get.memoryManager, id)
    val metrics = TaskMetrics.empty
    val task = new TaskContextImpl(0, 0, 0, id, 0, 1, memory, new Properties, null, metrics)
    val blocks = SparkEnv.get.blockManager
    blocks.registerTask(id)
    FileTask.running = task
    TaskContext.setTaskContext(task)
    val result = attempt(use(rows(splits, task)))
    val end = attempt(task.markTaskCompleted(result.left.toOption))
    TaskContext.unset()
    FileTask.running = null
    blocks.releaseAllLocksForTask(id)
    (result.flatMap(a => end.map(_ => a)), memory.cleanUpAllAllocatedMemory())
  }

  private def attempt[A](body: => A): Either[Throwable, A] =
    try Right(body)
    catch { case e: Throwable => Left(e) }

  private def rows(splits: Seq[FileTask.Split], task: TaskContext): Iterator[InternalRow] = {
    val files = splits.map { s =>
      PartitionedFile(
        InternalRow.empty,
        SparkPath.fromPathString(s.path),
        s.start,
        s.length,
        Array.empty,
        1L,
        s.fileLength
      )
    }
    val batches = rdd.compute(FilePartition(0, files.toArray), task)
    batches.asInstanceOf[Iterator[Any]].flatMap {
      case batch: ColumnarBatch => new Rows(batch.rowIterator())
      case row: InternalRow     => Iterator.single(row)
    }
  }

  final private class Rows(rows: java.util.Iterator[InternalRow]) extends Iterator[InternalRow] {
    override def hasNext: Boolean = rows.hasNext
    override def next(): InternalRow = rows.next()
  }
}

object FileTask {
  private val attempts = new AtomicLong
  @volatile private var running: TaskContextImpl = _

  /** Marks the running task, if any, as killed. */
  def kill(): Unit = Option(running).foreach(_.markInterrupted("takes too long"))

  /** @param fileLength the file's length as the driver listed it */
  final case class Split(path: String, start: Long, length: Long, fileLength: Long)

  /** The function that opens a split of the scan's files, with the arguments that the scan passes.
    *
    * @param format
    *   the scan's own, or another for the same files
    */
  def reader(
      scan: FileSourceScanExec,
      format: FileFormat
  ): PartitionedFile => Iterator[InternalRow] = {
    val relation = scan.relation
    val session = relation.sparkSession
    format.buildReaderWithPartitionValues(
      session,
      relation.dataSchema,
      relation.partitionSchema,
      scan.requiredSchema,
      pushed(scan),
      relation.options + (FileFormat.OPTION_RETURNING_BATCH -> scan.supportsColumnar.toString),
      session.sessionState.newHadoopConfWithOptions(relation.options)
    )
  }

  private def pushed(scan: FileSourceScanExec): Seq[Filter] = {
    val nested = DataSourceUtils.supportNestedPredicatePushdown(scan.relation)
    scan.dataFilters.flatMap(DataSourceStrategy.translateFilter(_, nested))
  }
}
