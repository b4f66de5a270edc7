// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.collection.mutable

import org.apache.commons.lang3.SerializationUtils

import org.apache.spark.sql.execution.metric.SQLMetric

import latebloom.read.task.Counter

/** The metrics of a scan as its tasks use them. A task has only those that it counts something for:
  * Spark sends, keeps and shows every metric that a task has, be it zero.
  *
  * A metric becomes the task's when it is deserialised, in the thread of the task.
  *
  * @param metrics
  *   by [[Counter.key]], on the driver
  */
final private[latebloom] class TaskCounters(metrics: Map[String, SQLMetric]) extends Serializable {
  private val sent: Map[String, Array[Byte]] =
    metrics.map { case (key, metric) => key -> SerializationUtils.serialize(metric) }

  @transient private lazy val used = mutable.HashMap.empty[String, SQLMetric]

  def add(counter: Counter, n: Long): Unit = if (n != 0) {
    val metric = used.getOrElseUpdate(
      counter.key,
      SerializationUtils.deserialize[SQLMetric](sent(counter.key))
    )
    counter.kind match {
      case Counter.Kind.PEAK_BYTES => metric.set(metric.value.max(n))
      case _                       => metric.add(n)
    }
  }
}
