// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.UUID
import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent, SparkListenerJobStart}
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/** One gathering of the keys of a join.
  *
  * @param execution
  *   the execution of the query that began it
  */
final private[joinkeys] class Gathering(val execution: String, val context: SparkContext) {
  private val tag = s"latebloom-join-keys-${UUID.randomUUID()}"

  /** The serialised filter; None for no filter. */
  @volatile var keys: CompletableFuture[Option[Array[Byte]]] = _

  /** Why it ended without keys, if they would not have paid. */
  @volatile var ended: Option[String] = None

  /** Whether its query ended before it had the keys. */
  @volatile var isAbandoned: Boolean = false

  /** Gathers the keys in the current thread. */
  def run(body: => Option[Array[Byte]]): Option[Array[Byte]] = {
    context.addJobTag(tag)
    try if (isAbandoned) None else body
    finally context.removeJobTag(tag)
  }

  /** Ends it, with its jobs. */
  def abandon(): Unit = {
    isAbandoned = true
    context.cancelJobsWithTag(tag)
  }
}

/** Ends the gatherings that a query did not wait for when the query ends. */
private[joinkeys] object GatheringsOfExecutions {
  private val byContext = mutable.WeakHashMap.empty[SparkContext, Ends]

  def add(gathering: Gathering): Unit = if (gathering.execution != null) {
    val ends = synchronized {
      byContext.getOrElseUpdate(gathering.context, listening(gathering.context))
    }
    ends.add(gathering)
  }

  private def listening(context: SparkContext): Ends = {
    val ends = new Ends
    context.addSparkListener(ends)
    ends
  }

  final private class Ends extends SparkListener {
    private val gatherings = mutable.Set.empty[Gathering]

    def add(gathering: Gathering): Unit = synchronized {
      gatherings.filter(_.keys.isDone).foreach(gatherings -= _)
      gatherings += gathering
    }

    override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
      case end: SparkListenerSQLExecutionEnd => abandon(_.execution == end.executionId.toString)
      case _                                 =>
    }

    /** A gathering may begin a job after it was abandoned. */
    override def onJobStart(job: SparkListenerJobStart): Unit = abandon(_.isAbandoned)

    private def abandon(which: Gathering => Boolean): Unit =
      synchronized(gatherings.filter(g => which(g) && !g.keys.isDone).toSeq).foreach(_.abandon())
  }
}
