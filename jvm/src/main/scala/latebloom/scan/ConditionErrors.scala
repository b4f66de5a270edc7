// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.collection.AbstractIterator

import org.apache.spark.SparkException

import latebloom.read.predicate.FailedCondition

/** Iterates over rows or batches of files, and throws a failed condition's own error. */
final private[scan] class ConditionErrors[T](read: Iterator[T]) extends AbstractIterator[T] {
  override def hasNext: Boolean = unwrapped(read.hasNext)

  override def next(): T = unwrapped(read.next())

  private def unwrapped[R](body: => R): R =
    try body
    catch {
      case e: SparkException if e.getCause.isInstanceOf[FailedCondition] =>
        throw e.getCause.getCause
    }
}
