// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.io.ObjectInputStream

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.metric.SQLMetric

import latebloom.read.task.Counter

/** The metrics of a scan as its tasks use them. A task has only those that it counts something for:
  * Spark sends, keeps and shows every metric that a task has, be it zero.
  *
  * @param metrics
  *   by [[Counter.key]]
  */
final class TaskCounters(metrics: Map[String, SQLMetric]) extends Serializable {
  @transient private lazy val used = mutable.HashSet.empty[String]

  /** Adds to a metric, in the thread of the task. */
  def add(counter: Counter, n: Long): Unit = if (n != 0) {
    val metric = metrics(counter.key)
    if (used.add(counter.key)) Option(TaskContext.get()).foreach(_.registerAccumulator(metric))
    counter.kind match {
      case Counter.Kind.PEAK_BYTES => metric.set(metric.value.max(n))
      case _                       => metric.add(n)
    }
  }

  /** Metrics become those of the task in whose thread they are read. */
  private def readObject(in: ObjectInputStream): Unit = {
    val task = TaskContext.get()
    TaskContext.unset()
    try in.defaultReadObject()
    finally if (task != null) TaskContext.setTaskContext(task)
  }
}
