// SPDX-License-Identifier: Apache-2.0
package latebloom.estimate

import java.util.concurrent.{TimeUnit, TimeoutException}

import scala.concurrent.Await
import scala.concurrent.duration.Duration
import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.vectorized.ColumnarBatch

import latebloom.scan.LateScan

/** Runs a scan while a query is planned, so that its rows are counted. */
private[estimate] object ScanCount {

  /** Whether the scan has come to an end in time, with all rows or with more than asked for.
    *
    * @param most
    *   rows of one task, about
    * @param seconds
    *   to wait for it
    */
  def apply(scan: LateScan, most: Long, seconds: Double): Boolean =
    try {
      if (scan.supportsColumnar) run(scan.executeColumnar(), most, seconds)
      else run(scan.execute(), most, seconds)
      true
    } catch {
      // The query itself will say what is wrong with its files.
      case NonFatal(_) => false
    }

  private def run[A](rows: RDD[A], most: Long, seconds: Double): Unit =
    described(rows.sparkContext) {
      val job = rows.sparkContext.submitJob[A, Unit, Unit](
        rows,
        counted(_, most),
        rows.partitions.indices,
        (_, _) => (),
        ()
      )
      try {
        Await.result(job, Duration((seconds * 1000).toLong, TimeUnit.MILLISECONDS))
      } catch {
        case e @ (_: TimeoutException | _: InterruptedException) =>
          job.cancel()
          throw e
      }
    }

  private def counted[A](rows: Iterator[A], most: Long): Unit = {
    var found = 0L
    while (found <= most && rows.hasNext) {
      found += (rows.next() match {
        case batch: ColumnarBatch => batch.numRows
        case _                    => 1
      })
    }
  }

  private def described[A](context: SparkContext)(run: => A): A = {
    val before = context.getLocalProperty(Description)
    context.setJobDescription("LateBloom counts the rows of a side of a join")
    try run
    finally context.setLocalProperty(Description, before)
  }

  private val Description = "spark.job.description"
}
