// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.execution.ExecSubqueryExpression
import org.apache.spark.sql.types.{DecimalType, NumericType}

import latebloom.line.Arithmetic

/** An expression of ours of which Spark does not know that it cannot fail. */
trait CannotFail extends Expression

/** Whether evaluating an expression may be an error: an ANSI cast or division, the access of an
  * element, a user's function. Spark has no usable test of its own (`Expression.throwable` is false
  * for most of them), so what is known not to fail is listed, and all else may.
  */
private[latebloom] object Failure {

  def mayFail(e: Expression): Boolean = !cannotFail(e) || e.children.exists(mayFail)

  private def cannotFail(e: Expression): Boolean = e match {
    case _: Attribute | _: BoundReference | _: Literal | _: Alias                            => true
    case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: IsNaN | _: AtLeastNNonNulls => true
    case _: BinaryComparison | _: In | _: InSet                                              => true
    case _: If | _: CaseWhen | _: Coalesce | _: NaNvl | _: Greatest | _: Least               => true
    case _: StartsWith | _: EndsWith | _: Contains                                           => true
    case FixedPattern(valid)                                                            => valid
    case _: Upper | _: Lower | _: Length | _: OctetLength | _: BitLength                => true
    case _: Substring | _: StringTrim | _: StringTrimLeft | _: StringTrimRight          => true
    case _: StringReplace | _: StringInstr | _: Reverse | _: SubstringIndex | _: Concat => true
    case _: Year | _: Month | _: DayOfMonth | _: DayOfWeek | _: DayOfYear | _: Quarter  => true
    case _: WeekOfYear | _: WeekDay | _: Hour | _: Minute | _: Second | _: LastDay      => true
    case _: DateDiff | _: DateAdd | _: DateSub                                          => true
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: BitwiseNot                   => true
    case _: GetStructField | _: Size | _: ArrayContains                                 => true
    case _: Murmur3Hash | _: XxHash64 | _: CannotFail | _: BloomFilterMightContain      => true
    case _: ExecSubqueryExpression                                                      => true
    case a: BinaryArithmetic => Arithmetic.evalMode(a) != EvalMode.ANSI && fixedSize(a)
    case c: Cast             =>
      c.evalMode != EvalMode.ANSI || Cast.canUpCast(c.child.dataType, c.dataType)
    case KnownNotNull(_) | KnownFloatingPointNormalized(_) | NormalizeNaNAndZero(_) => true
    case _                                                                          => false
  }

  /** Decimals that do not fit may be an error in other modes than ANSI, too. */
  private def fixedSize(e: Expression): Boolean =
    e.dataType.isInstanceOf[NumericType] && !e.dataType.isInstanceOf[DecimalType]

  /** Whether Spark refuses a pattern in it: it does so when it compiles it, whatever the rows. */
  def hasInvalidPattern(e: Expression): Boolean = e.exists {
    case FixedPattern(valid) => !valid
    case _                   => false
  }

  /** A match of text with patterns that are literals: whether they are valid. */
  private object FixedPattern {
    def unapply(e: Expression): Option[Boolean] = e match {
      case Like(_, _: Literal, _) | RLike(_, _: Literal) | (_: MultiLikeBase) =>
        val text = Literal.create("", e.children.head.dataType)
        Some(Try(e.withNewChildren(text +: e.children.tail).eval()).isSuccess)
      case _ => None
    }
  }
}
