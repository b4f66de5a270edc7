// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenFallback, GeneratePredicate}
import org.apache.spark.sql.internal.SQLConf

import latebloom.read.predicate.{FailedCondition, RowPredicate}

/** A condition that Spark's own compiled code evaluates.
  *
  * Spark's interpreted expressions get the elements of an array by `ArrayData.get`, and rely on
  * null for a null. `ColumnarArray`, the array in a vector, returns the number in the place of a
  * null instead. Spark never notices: an expression without generated code keeps its Filter from a
  * stage of generated code, and then it reads `UnsafeRow`s. Here such expressions read copies in
  * that form, too.
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
      val predicate = Compiler.createObject(bound)
      predicate.initialize(0)
      predicate
    }

    override def test(row: InternalRow): Boolean =
      try compiled.eval(row)
      catch { case NonFatal(e) => throw new FailedCondition(e) }
  }

  /** Compiles a condition that may fail as Spark's Filter does within a stage. Spark's other
    * predicates evaluate a part that they have twice before all else, and so for rows that an AND
    * or OR before it keeps from it: it must not fail for these.
    */
  private object Compiler extends CodeGeneratorWithInterpretedFallback[Expression, BasePredicate] {

    override protected def createCodeGeneratedObject(in: Expression): BasePredicate =
      if (in.exists(_.isInstanceOf[CodegenFallback])) OnCopies(in)(compile) else compile(in)

    private def compile(in: Expression): BasePredicate =
      GeneratePredicate.generate(
        in,
        SQLConf.get.subexpressionEliminationEnabled && !Failure.mayFail(in)
      )

    override protected def createInterpretedObject(in: Expression): BasePredicate =
      OnCopies(in)(InterpretedPredicate(_))
  }

  /** Tests copies of the columns that a condition reads. */
  final private case class OnCopies(copies: UnsafeProjection, test: BasePredicate)
      extends BasePredicate {
    override def eval(row: InternalRow): Boolean = test.eval(copies(row))

    override def initialize(partition: Int): Unit = {
      copies.initialize(partition)
      test.initialize(partition)
    }
  }

  private object OnCopies {
    def apply(in: Expression)(test: Expression => BasePredicate): BasePredicate = {
      val read = in.collect { case b: BoundReference => b }.distinct
      if (read.forall(b => ScanFilters.isFlat(b.dataType))) test(in)
      else {
        val onCopies = in.transform { case b: BoundReference => b.copy(ordinal = read.indexOf(b)) }
        OnCopies(UnsafeProjection.create(read), test(onCopies))
      }
    }
  }

  /** @param columns of the rows */
  def apply(condition: Expression, columns: Seq[Attribute]): CatalystPredicate =
    new CatalystPredicate(BindReferences.bindReference(condition, AttributeSeq(columns)))
}
