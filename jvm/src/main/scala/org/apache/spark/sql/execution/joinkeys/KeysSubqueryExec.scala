// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.concurrent.duration.Duration

import org.apache.spark.SparkException
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{BaseSubqueryExec, SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.util.ThreadUtils

import latebloom.bloom.KeyFilter

/** Runs what gathers the keys of a join filter, beside the query, once for all scans that wait for
  * it. Threads are its own: the creation side may wait for another join filter in turn, and Spark's
  * pool for subqueries, which has a limit, could be full of those that wait.
  */
case class KeysSubqueryExec(name: String, child: SparkPlan)
    extends BaseSubqueryExec
    with UnaryExecNode {

  override lazy val metrics = Map(
    "keys" -> SQLMetrics.createMetric(sparkContext, "number of keys"),
    "filterSize" -> SQLMetrics.createSizeMetric(sparkContext, "size of the join filter"),
    "buildTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to gather the keys")
  )

  @transient private lazy val gathering: CompletableFuture[Array[InternalRow]] = {
    val executionId = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLExecution.withThreadLocalCaptured(session, KeysSubqueryExec.threads) {
      SQLExecution.withExecutionId(session, executionId) {
        val start = System.nanoTime()
        val rows = child.executeCollect()
        longMetric("buildTime").set(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
        rows.headOption.filterNot(_.isNullAt(0)).map(_.getBinary(0)).foreach { bytes =>
          longMetric("filterSize").set(bytes.length)
          KeyFilter.deserialize(bytes).ifPresent(f => longMetric("keys").set(f.keys))
        }
        SQLMetrics.postDriverMetricUpdates(sparkContext, executionId, metrics.values.toSeq)
        rows
      }
    }
  }

  override protected def doPrepare(): Unit = gathering

  override def executeCollect(): Array[InternalRow] =
    ThreadUtils.awaitResult(gathering, Duration.Inf)

  override protected def doExecute(): RDD[InternalRow] =
    throw SparkException.internalError("the keys of a join filter are collected, not executed")

  override protected def doCanonicalize(): SparkPlan = KeysSubqueryExec("keys", child.canonicalized)

  override def stringArgs: Iterator[Any] = Iterator(name, child, s"[id=#$id]")

  override protected def withNewChildInternal(newChild: SparkPlan): KeysSubqueryExec =
    copy(child = newChild)
}

object KeysSubqueryExec {
  private val threads = ThreadUtils.newDaemonCachedThreadPool("latebloom-join-keys")
}
