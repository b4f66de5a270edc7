// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import latebloom.read.predicate.{FailedCondition, RowPredicate}

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

object CatalystPredicate {

  /** @param columns
    *   what the rows consist of
    */
  def apply(condition: Expression, columns: Seq[Attribute]): CatalystPredicate =
    new CatalystPredicate(BindReferences.bindReference(condition, AttributeSeq(columns)))
}
