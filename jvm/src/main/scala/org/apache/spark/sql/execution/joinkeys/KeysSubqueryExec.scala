// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit}

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{BaseSubqueryExec, SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.util.{ThreadUtils, Utils}

import latebloom.bloom.KeyFilter

/** Gathers the keys of a join filter beside the query, once for all scans that wait for it. Uses
  * its own threads: the creation side may itself wait for another join filter, and waiting
  * subqueries could fill Spark's limited pool.
  *
  * The answer never depends on it. If gathering failed, there is no filter: a failure is an error
  * of the query only if the query itself meets it. Only a cancellation is passed on. A scan that
  * must not wait for the keys (see [[PoolThreads]]), or waited as long as they are worth (see
  * [[Patience]]), begins without them and takes them up when they come (see [[LateValues]]). If the
  * query ends before, they are no longer gathered.
  */
case class KeysSubqueryExec(name: String, child: SparkPlan)
    extends BaseSubqueryExec
    with UnaryExecNode
    with Logging {
  import KeysSubqueryExec._

  override lazy val metrics = Map(
    "keys" -> SQLMetrics.createMetric(sparkContext, "number of keys"),
    "filterSize" -> SQLMetrics.createSizeMetric(sparkContext, "size of the join filter"),
    "buildTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to gather the keys")
  )

  @transient private var gathering: Gathering = _

  /** The running gathering of the keys. A failed one starts anew with the plan's next execution. */
  private def begun: Gathering = synchronized {
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    if (
      gathering == null ||
      (gathering.keys.isCompletedExceptionally && gathering.execution != execution)
    ) {
      gathering = gather(new Gathering(execution, sparkContext))
    }
    gathering
  }

  private def gather(gathering: Gathering): Gathering = {
    gathering.keys = LineExecution.submit(session, threads) {
      SQLExecution.withExecutionId(session, gathering.execution) {
        gathering.run {
          val start = System.nanoTime()
          val rows =
            try child.executeCollect()
            catch {
              case KeysDoNotPay(why) =>
                gathering.ended = Some(why.getMessage)
                Array.empty[InternalRow]
            }
          longMetric("buildTime").set(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
          val keys = rows.headOption.filterNot(_.isNullAt(0)).map(_.getBinary(0))
          keys.foreach { bytes =>
            longMetric("filterSize").set(bytes.length)
            KeyFilter.deserialize(bytes).ifPresent(f => longMetric("keys").set(f.keys))
          }
          SQLMetrics.postDriverMetricUpdates(
            sparkContext,
            gathering.execution,
            metrics.values.toList
          )
          keys
        }
      }
    }
    gathering
  }

  override protected def doPrepare(): Unit = begun

  /** The serialised filter, or None for no filter; None if it is not there in time. */
  def within(patience: Patience): Option[Option[Array[Byte]]] = {
    val gathering = begun
    try {
      val keys = PoolThreads.await(gathering.keys, conf, patience)
      if (keys.isEmpty) GatheringsOfExecutions.add(gathering)
      keys
    } catch {
      case e: ExecutionException =>
        val cause = Option(e.getCause).getOrElse(e)
        if (!gathering.isAbandoned && (isCancelled(cause) || !NonFatal(cause))) throw cause
        logWarning(s"The scans are not filtered by $name: its keys could not be gathered", cause)
        Some(None)
    }
  }

  /** The serialised filter once it is there; None for no filter. Does not fail. */
  def later: CompletableFuture[Option[Array[Byte]]] =
    begun.keys.handle((keys: Option[Array[Byte]], e: Throwable) => if (e == null) keys else None)

  /** What has become of the keys, for people; None before the query runs. */
  def outcome: Option[String] = synchronized(Option(gathering)).map { begun =>
    if (!begun.keys.isDone) "its keys are still gathered"
    else if (begun.isAbandoned) "the query ended before its keys came"
    else if (begun.keys.isCompletedExceptionally) "its keys could not be gathered"
    else if (begun.keys.join().isEmpty) s"none, ${begun.ended.getOrElse("too many keys")}"
    else {
      val size = Utils.bytesToString(longMetric("filterSize").value)
      val time = Utils.msDurationToString(longMetric("buildTime").value)
      val count = longMetric("keys").value
      f"$count%,d ${if (count == 1) "key" else "keys"} in $size, gathered in $time"
    }
  }

  override def executeCollect(): Array[InternalRow] =
    Array(InternalRow(within(Patience.endless).flatten.orNull))

  override protected def doExecute(): RDD[InternalRow] =
    throw SparkException.internalError("the keys of a join filter are collected, not executed")

  override protected def doCanonicalize(): SparkPlan = KeysSubqueryExec("keys", child.canonicalized)

  override def stringArgs: Iterator[Any] = Iterator(name, child, s"[id=#$id]")

  override protected def withNewChildInternal(newChild: SparkPlan): KeysSubqueryExec =
    copy(child = newChild)
}

object KeysSubqueryExec {
  private val threads = ThreadUtils.newDaemonCachedThreadPool("latebloom-join-keys")

  /** A cancelled query must end, not continue without a filter. */
  private def isCancelled(e: Throwable): Boolean =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(20).exists {
      case _: InterruptedException => true
      case other                   => LineExecution.isJobCancelled(other)
    }
}
