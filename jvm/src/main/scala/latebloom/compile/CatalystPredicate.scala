// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GeneratePredicate

import latebloom.read.predicate.{FailedCondition, RowPredicate}

/** A condition that Spark's own compiled code evaluates.
  *
  * @param bound
  *   refers to the columns of a row by their ordinals
  */
final class CatalystPredicate private (bound: Expression) extends RowPredicate {
  override def cursor: RowPredicate.Cursor = new CatalystPredicate.Cursor(bound)
}

object CatalystPredicate {

  /** Compiles the condition when it is first used. */
  final private class Cursor(bound: Expression) extends RowPredicate.Cursor {
    private lazy val compiled: BasePredicate = {
      val predicate =
        if (Failure.mayFail(bound)) EachWhereItStands.createObject(bound)
        else Predicate.create(bound)
      predicate.initialize(0)
      predicate
    }

    override def test(row: InternalRow): Boolean =
      try compiled.eval(row)
      catch { case NonFatal(e) => throw new FailedCondition(e) }
  }

  /** Compiles as Spark's Filter does within a stage. Spark's other predicates evaluate a part that
    * they have twice before all else, and so for rows that an AND or OR before it keeps from it: it
    * must not fail for these.
    */
  private object EachWhereItStands
      extends CodeGeneratorWithInterpretedFallback[Expression, BasePredicate] {

    override protected def createCodeGeneratedObject(in: Expression): BasePredicate =
      GeneratePredicate.generate(in, useSubexprElimination = false)

    override protected def createInterpretedObject(in: Expression): BasePredicate =
      InterpretedPredicate(in)
  }

  /** @param columns of the rows */
  def apply(condition: Expression, columns: Seq[Attribute]): CatalystPredicate =
    new CatalystPredicate(BindReferences.bindReference(condition, AttributeSeq(columns)))
}
