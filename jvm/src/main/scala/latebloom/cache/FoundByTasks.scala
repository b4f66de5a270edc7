// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import org.apache.spark.SparkContext
import org.apache.spark.util.AccumulatorV2

/** Brings what tasks find to the driver with their results, and there to its place at once, so that
  * nothing is kept. A task that fails brings nothing, and one that is repeated the same once more.
  *
  * @param into
  *   takes what tasks have found, on the driver; None in tasks
  */
final private[latebloom] class FoundByTasks[A] private (
    @transient private val into: Option[Seq[A] => Unit]
) extends AccumulatorV2[A, Seq[A]] {
  private var found = Seq.empty[A]

  override def isZero: Boolean = found.isEmpty

  override def copy(): FoundByTasks[A] = {
    val same = new FoundByTasks(into)
    same.found = found
    same
  }

  override def reset(): Unit = found = Nil

  override def add(one: A): Unit = found = one +: found

  override def merge(other: AccumulatorV2[A, Seq[A]]): Unit = Option(into).flatten match {
    case Some(take) => take(other.value)
    case None       => found = other.value ++ found
  }

  override def value: Seq[A] = found
}

private[latebloom] object FoundByTasks {

  def apply[A](context: SparkContext)(into: Seq[A] => Unit): FoundByTasks[A] = {
    val found = new FoundByTasks(Some(into))
    context.register(found)
    found
  }
}
