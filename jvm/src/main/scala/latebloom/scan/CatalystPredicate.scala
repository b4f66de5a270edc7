// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import latebloom.read.{FailedCondition, RowPredicate}

/** A condition as Spark itself evaluates it, compiled where it is first used.
  *
  * @param bound
  *   refers to the columns of a row by their ordinals
  */
final class CatalystPredicate private (bound: Expression) extends RowPredicate {
  @transient private lazy val compiled: BasePredicate = {
    val predicate = Predicate.create(bound)
    predicate.initialize(0)
    predicate
  }

  override def test(row: InternalRow): Boolean =
    try compiled.eval(row)
    catch { case NonFatal(e) => throw new FailedCondition(e) }
}

/** Rows or batches of files, whose failed conditions come out as what they are. */
final private[scan] class ConditionErrors[T](read: Iterator[T]) extends Iterator[T] {
  override def hasNext: Boolean = unwrapped(read.hasNext)

  override def next(): T = unwrapped(read.next())

  private def unwrapped[R](body: => R): R =
    try body
    catch {
      case e: SparkException if e.getCause.isInstanceOf[FailedCondition] =>
        throw e.getCause.getCause
    }
}

object CatalystPredicate {

  /** @param columns
    *   what the rows consist of
    */
  def apply(condition: Expression, columns: Seq[Attribute]): CatalystPredicate =
    new CatalystPredicate(BindReferences.bindReference(condition, AttributeSeq(columns)))
}
