// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.execution.ExecSubqueryExpression
import org.apache.spark.sql.types._

import latebloom.line.Arithmetic

/** One of our own expressions that cannot fail, which Spark does not know. */
trait CannotFail extends Expression

/** Decides whether evaluating an expression may fail: an ANSI cast or division, an element access,
  * a user's function. Spark has no usable test (`Expression.throwable` is false for most of them),
  * so this object lists the expressions that cannot fail; all others may.
  */
private[latebloom] object Failure {

  def mayFail(e: Expression): Boolean = !cannotFail(e) || e.children.exists(mayFail)

  private def cannotFail(e: Expression): Boolean = e match {
    case _: Attribute | _: BoundReference | _: Literal | _: Alias                            => true
    case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: IsNaN | _: AtLeastNNonNulls => true
    case _: BinaryComparison | _: In | _: InSet                                              => true
    case _: If | _: CaseWhen | _: Coalesce | _: NaNvl | _: Greatest | _: Least               => true
    case _: StartsWith | _: EndsWith | _: Contains                                           => true
    case FixedPattern(valid)                                                   => valid
    case _: Upper | _: Lower | _: Length | _: OctetLength | _: BitLength       => true
    case _: Substring | _: StringTrim | _: StringTrimLeft | _: StringTrimRight => true
    case _: StringReplace | _: StringInstr | _: Reverse | _: Concat            => true
    case SubstringIndex(_, _, Literal(count: Int, _)) => count != Int.MinValue
    case _: Year | _: Month | _: DayOfMonth | _: DayOfWeek | _: DayOfYear | _: Quarter => true
    case _: WeekOfYear | _: WeekDay | _: Hour | _: Minute | _: Second | _: LastDay     => true
    case _: DateDiff | _: DateAdd | _: DateSub                                         => true
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: BitwiseNot                  => true
    case _: GetStructField | _: Size | _: ArrayContains                                => true
    case _: CreateNamedStruct | _: CreateArray                                         => true
    case _: Murmur3Hash | _: XxHash64 | _: CannotFail | _: BloomFilterMightContain     => true
    case _: ExecSubqueryExpression                                                     => true
    case DividesBy(divisor) => divisor != 0
    // What fails in ANSI mode is caught in TRY mode, but not of these (Remainder: in Spark 3.5).
    case d: IntegralDivide   => Arithmetic.evalMode(d) == EvalMode.LEGACY && fixedSize(d)
    case d: Pmod             => Arithmetic.evalMode(d) == EvalMode.LEGACY && fixedSize(d)
    case d: Remainder        => Arithmetic.evalMode(d) == EvalMode.LEGACY && fixedSize(d)
    case a: BinaryArithmetic => Arithmetic.evalMode(a) != EvalMode.ANSI && fixedSize(a)
    case c: Cast             =>
      val (from, to) = (c.child.dataType, c.dataType)
      (c.evalMode != EvalMode.ANSI || Cast.canUpCast(from, to)) && !mayOverflow(from, to)
    case KnownNotNull(_) | KnownFloatingPointNormalized(_) | NormalizeNaNAndZero(_) => true
    case _                                                                          => false
  }

  /** A division of integers by a number that no dividend overflows with, or of fractions by any:
    * such a division fails for 0 only.
    */
  private object DividesBy {
    def unapply(e: Expression): Option[Double] = e match {
      case d @ (_: Remainder | _: Pmod) if Integers.contains(d.dataType) => number(d)
      case d: IntegralDivide if Integers.contains(d.left.dataType)       =>
        number(d).filter(_ != -1)
      case d: Divide if d.dataType == DoubleType => number(d)
      case _                                     => None
    }

    private val Integers = Seq[DataType](ByteType, ShortType, IntegerType, LongType)

    private def number(division: Expression): Option[Double] = division.children.last match {
      case Literal(n: Number, _: NumericType) => Some(n.doubleValue)
      case _                                  => None
    }
  }

  /** Decimals that overflow may fail outside ANSI mode, too. */
  private def fixedSize(e: Expression): Boolean =
    e.dataType.isInstanceOf[NumericType] && !e.dataType.isInstanceOf[DecimalType]

  /** Whether a cast may be an error in other modes than ANSI, and where it counts as one that loses
    * nothing: a date and a time of another kind may be out of a time's range, and intervals are
    * checked in all modes.
    */
  private def mayOverflow(from: DataType, to: DataType): Boolean = (from, to) match {
    case _ if from == to                      => false
    case (ArrayType(f, _), ArrayType(t, _))   => mayOverflow(f, t)
    case (MapType(k, v, _), MapType(l, w, _)) => mayOverflow(k, l) || mayOverflow(v, w)
    case (StructType(fs), StructType(ts))     =>
      fs.zip(ts).exists { case (f, t) => mayOverflow(f.dataType, t.dataType) }
    case (_, _: StringType) => false
    case _ => isInterval(from) || isInterval(to) || isDateOrTime(from) && isTime(to)
  }

  private def isInterval(dataType: DataType): Boolean = dataType match {
    case _: YearMonthIntervalType | _: DayTimeIntervalType => true
    case _                                                 => false
  }

  private def isTime(dataType: DataType): Boolean =
    dataType == TimestampType || dataType == TimestampNTZType

  private def isDateOrTime(dataType: DataType): Boolean = dataType == DateType || isTime(dataType)

  /** Whether it contains a pattern that Spark refuses when it compiles it, whatever the rows. */
  def hasInvalidPattern(e: Expression): Boolean = e.exists {
    case FixedPattern(valid) => !valid
    case _                   => false
  }

  /** Matches text against literal patterns; returns whether these are valid. */
  private object FixedPattern {
    def unapply(e: Expression): Option[Boolean] = e match {
      case Like(_, _: Literal, _) | RLike(_, _: Literal) | (_: MultiLikeBase) =>
        val text = Literal.create("", e.children.head.dataType)
        Some(Try(e.withNewChildren(text +: e.children.tail).eval()).isSuccess)
      case _ => None
    }
  }
}
