// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.line.Compat._
import latebloom.line.{Collations, LineExpressions}
import latebloom.read.predicate.{ColumnPredicate, DecimalKeys, LongRanges, OrderedKeys}
import latebloom.read.text.{BytesPredicate, LikePattern}

/** Compiles a condition on one column into the set of its values for which the condition is TRUE.
  *
  * In three-valued logic a condition splits the rows into those where it is TRUE, FALSE and NULL.
  * [[Truth]] holds the first two; the rest is NULL. That is enough to compose AND, OR and NOT
  * exactly, because the TRUE and FALSE rows of each depend only on the operands' TRUE and FALSE
  * rows.
  */
object ColumnPredicates {

  /** Most prefixes to compare one by one. */
  private val MaxBeginnings = 16

  /** The rows for which `condition`, which refers only to `column`, is TRUE. */
  def compile(condition: Expression, column: Attribute): Option[ColumnPredicate] =
    condition match {
      case CaseMapping(mapping, ofMapped) => direct(ofMapped, column).map(mapping.before)
      case And(left, right)               =>
        for { l <- compile(left, column); r <- compile(right, column) } yield l.and(r)
      case Or(left, right) =>
        for { l <- compile(left, column); r <- compile(right, column) } yield l.or(r)
      case _ => direct(condition, column)
    }

  private def direct(condition: Expression, column: Attribute): Option[ColumnPredicate] =
    Domain.of(column).flatMap(new Compiler(column, _).truth(condition)).map(_.rowsTrue)

  /** The lower or upper case form of a column of strings. */
  final private case class CaseMapping(upper: Boolean, icu: Boolean) {
    def before(p: ColumnPredicate): ColumnPredicate = p match {
      case b: ColumnPredicate.Bytes =>
        new ColumnPredicate.Bytes(b.nullPasses, BytesPredicate.caseMapped(b.predicate, upper, icu))
      case other => other
    }
  }

  private object CaseMapping {

    /** Matches a condition that uses `c` only as `lower(c)`, or only as `upper(c)`; returns it as a
      * condition on `c` itself.
      */
    def unapply(condition: Expression): Option[(CaseMapping, Expression)] = {
      val mapped = condition.collect { case m @ (Lower(_: Attribute) | Upper(_: Attribute)) => m }
      val columns = condition.collect { case a: Attribute => a }
      val same = mapped.map(_.getClass).distinct.size == 1 && mapped.size == columns.size
      when(same && columns.forall(_.dataType == StringType)) {
        val upper = mapped.head.isInstanceOf[Upper]
        val icu = LineExpressions.icuCaseMappings
        (
          CaseMapping(upper, icu),
          condition.transform { case m if mapped.contains(m) => m.children.head }
        )
      }
    }
  }

  final private case class Truth(rowsTrue: ColumnPredicate, rowsFalse: ColumnPredicate) {
    def and(that: Truth): Truth =
      Truth(rowsTrue.and(that.rowsTrue), rowsFalse.or(that.rowsFalse))
    def or(that: Truth): Truth = Truth(rowsTrue.or(that.rowsTrue), rowsFalse.and(that.rowsFalse))
    def not: Truth = Truth(rowsFalse, rowsTrue)
  }

  final private class Compiler(column: Attribute, domain: Domain) {
    import domain.{none, valuesOnly}

    private val always = Truth(domain.all, none)
    private val never = always.not
    private val unknown = Truth(none, none)

    def truth(e: Expression): Option[Truth] = e match {
      case And(left, right)            => both(left, right)(_ and _)
      case Or(left, right)             => both(left, right)(_ or _)
      case Not(child)                  => truth(child).map(_.not)
      case Literal(value, BooleanType) =>
        Some(if (value == null) unknown else if (value == true) always else never)

      case Column() if column.dataType == BooleanType => Some(ofValues(domain.in(Seq(true))))
      case IsNull(Column())                           => Some(Truth(domain.nullOnly, valuesOnly))
      case IsNotNull(Column())                        => Some(Truth(valuesOnly, domain.nullOnly))
      case IsNaN(Column())                            =>
        val nan = domain.in(Seq(if (column.dataType == FloatType) Float.NaN else Double.NaN))
        Some(Truth(nan, domain.orNull(domain.others(nan))))

      case EqualNullSafe(Column(), OfColumnType(value))        => Some(sameAs(value))
      case EqualNullSafe(OfColumnType(value), Column())        => Some(sameAs(value))
      case c @ BinaryComparison(Column(), OfColumnType(value)) => compare(c, value, flipped = false)
      case c @ BinaryComparison(OfColumnType(value), Column()) => compare(c, value, flipped = true)

      case In(Column(), list) if list.nonEmpty && list.forall(isOfColumnType) =>
        Some(oneOf(list.map(_.asInstanceOf[Literal].value)))
      case InSet(Column(), values) if values.nonEmpty => Some(oneOf(values.toSeq))

      case EqualTo(Beginning(chars), OfColumnType(value)) => begins(chars, Seq(value))
      case EqualTo(OfColumnType(value), Beginning(chars)) => begins(chars, Seq(value))
      case In(Beginning(chars), list) if list.nonEmpty && list.forall(isOfColumnType) =>
        begins(chars, list.map(_.asInstanceOf[Literal].value))
      case InSet(Beginning(chars), values) if values.nonEmpty => begins(chars, values.toSeq)

      case s: StringPredicate                            => strings(s)
      case Like(Column(), OfColumnType(pattern), escape) => like(e, pattern, escape)
      case RLike(Column(), OfColumnType(pattern))        => rlike(pattern)
      case LikeAll(Column(), patterns)                   => likes(e, patterns)(identity, _ and _)
      case NotLikeAll(Column(), patterns)                => likes(e, patterns)(_.not, _ and _)
      case LikeAny(Column(), patterns)                   => likes(e, patterns)(identity, _ or _)
      case NotLikeAny(Column(), patterns)                => likes(e, patterns)(_.not, _ or _)

      case _ => None
    }

    private def both(left: Expression, right: Expression)(
        combine: (Truth, Truth) => Truth
    ): Option[Truth] =
      for { l <- truth(left); r <- truth(right) } yield combine(l, r)

    /** TRUE for the values in `passing`, FALSE for the other values, NULL for null. */
    private def ofValues(passing: ColumnPredicate): Truth =
      Truth(passing, domain.others(passing))

    private def sameAs(value: Any): Truth =
      if (value == null) {
        Truth(domain.nullOnly, valuesOnly)
      } else {
        val same = domain.in(Seq(value))
        Truth(same, domain.orNull(domain.others(same)))
      }

    /** With a null in the list, a value that equals no other element yields NULL. */
    private def oneOf(values: Seq[Any]): Truth = {
      val (nulls, present) = values.partition(_ == null)
      val found = ofValues(domain.in(present))
      if (nulls.isEmpty) found else found or unknown
    }

    private def compare(
        comparison: BinaryComparison,
        value: Any,
        flipped: Boolean
    ): Option[Truth] =
      if (value == null) {
        Some(unknown)
      } else {
        val passing = comparison match {
          case _: EqualTo         => Some(domain.in(Seq(value)))
          case _: LessThan        => Some(domain.beside(value, below = !flipped, inclusive = false))
          case _: LessThanOrEqual => Some(domain.beside(value, below = !flipped, inclusive = true))
          case _: GreaterThan     => Some(domain.beside(value, below = flipped, inclusive = false))
          case _: GreaterThanOrEqual =>
            Some(domain.beside(value, below = flipped, inclusive = true))
          case _ => None
        }
        passing.map(ofValues)
      }

    private def strings(e: StringPredicate): Option[Truth] = e match {
      case StartsWith(Column(), OfColumnType(part)) => Some(test(part)(BytesPredicate.startsWith))
      case EndsWith(Column(), OfColumnType(part))   => Some(test(part)(BytesPredicate.endsWith))
      case Contains(Column(), OfColumnType(part))   => Some(test(part)(BytesPredicate.contains))
      case _                                        => None
    }

    private def test(part: Any)(of: Array[Byte] => BytesPredicate): Truth =
      if (part == null) unknown else ofTest(of(part.asInstanceOf[UTF8String].getBytes))

    private def ofTest(passing: BytesPredicate): Truth =
      ofValues(new ColumnPredicate.Bytes(false, passing))

    /** TRUE if the first `chars` characters are one of `values`, if those are few enough. Spark
      * derives a character's length from its first byte, whatever the bytes: so strings with the
      * same leading bytes have the same characters there, whatever follows.
      */
    private def begins(chars: Int, values: Seq[Any]): Option[Truth] = {
      val (nulls, present) = values.partition(_ == null)
      val parts = present.map(_.asInstanceOf[UTF8String])
      when(parts.size <= MaxBeginnings && parts.forall(Collations.isValid(_))) {
        val found = parts.map { part =>
          val length = part.numChars
          if (length > chars) ofValues(none)
          else if (length == chars) test(part)(BytesPredicate.startsWith)
          else ofValues(domain.in(Seq(part)))
        }
        (found ++ nulls.headOption.map(_ => unknown)).reduce(_ or _)
      }
    }

    /** Leaves an invalid pattern to Spark, which reports it if a row reaches it. */
    private def like(e: Expression, pattern: Any, escape: Char): Option[Truth] =
      if (pattern == null) {
        Some(unknown)
      } else {
        LikePattern
          .compile(pattern.toString, escape)
          .toScala
          .map(p => ofTest(BytesPredicate.like(p)))
      }

    private def rlike(pattern: Any): Option[Truth] =
      if (pattern == null) Some(unknown) else SimpleRegex.compile(pattern.toString).map(ofTest)

    private def likes(e: Expression, patterns: Seq[UTF8String])(
        one: Truth => Truth,
        combine: (Truth, Truth) => Truth
    ): Option[Truth] =
      patterns.map(like(e, _, '\\').map(one)).reduce[Option[Truth]] { (left, right) =>
        for { l <- left; r <- right } yield combine(l, r)
      }

    private object Column {
      def unapply(e: Expression): Boolean = e match {
        case a: AttributeReference => a.exprId == column.exprId
        case _                     => false
      }
    }

    /** Matches the column's first characters; returns how many. */
    private object Beginning {
      def unapply(e: Expression): Option[Int] = e match {
        case Substring(Column(), Literal(0 | 1, IntegerType), Literal(chars: Int, IntegerType))
            if column.dataType == StringType && chars > 0 =>
          Some(chars)
        case _ => None
      }
    }

    private object OfColumnType {
      def unapply(e: Expression): Option[Any] = e match {
        case Literal(value, dataType) if dataType == column.dataType => Some(value)
        case _                                                       => None
      }
    }

    private def isOfColumnType(e: Expression): Boolean = OfColumnType.unapply(e).isDefined
  }

  /** Sets of one column's values, in the form that the scan tests. */
  sealed private trait Domain {
    protected def predicate(nullPasses: Boolean, allValues: Boolean): ColumnPredicate

    final lazy val none: ColumnPredicate = predicate(nullPasses = false, allValues = false)
    final lazy val all: ColumnPredicate = predicate(nullPasses = true, allValues = true)
    final lazy val nullOnly: ColumnPredicate = predicate(nullPasses = true, allValues = false)
    final lazy val valuesOnly: ColumnPredicate = predicate(nullPasses = false, allValues = true)

    final def orNull(p: ColumnPredicate): ColumnPredicate = p.or(nullOnly)

    /** The non-null values that equal one of `values`. */
    def in(values: Seq[Any]): ColumnPredicate

    /** The values below or above `value`. */
    def beside(value: Any, below: Boolean, inclusive: Boolean): ColumnPredicate

    /** The non-null values outside `p`. */
    def others(p: ColumnPredicate): ColumnPredicate
  }

  final private class Keys(key: Any => Long) extends Domain {
    override protected def predicate(nullPasses: Boolean, allValues: Boolean): ColumnPredicate =
      new ColumnPredicate.Longs(nullPasses, if (allValues) LongRanges.all else LongRanges.none)

    override def in(values: Seq[Any]): ColumnPredicate =
      of(LongRanges.ofPoints(values.map(key): _*))

    override def beside(value: Any, below: Boolean, inclusive: Boolean): ColumnPredicate = {
      val k = key(value)
      of((below, inclusive) match {
        case (true, true)   => LongRanges.atMost(k)
        case (true, false)  => LongRanges.lessThan(k)
        case (false, true)  => LongRanges.atLeast(k)
        case (false, false) => LongRanges.greaterThan(k)
      })
    }

    override def others(p: ColumnPredicate): ColumnPredicate =
      of(p.asInstanceOf[ColumnPredicate.Longs].ranges.complement)

    private def of(ranges: LongRanges) = new ColumnPredicate.Longs(false, ranges)
  }

  final private class ByteStrings(bytes: Any => Array[Byte]) extends Domain {
    override protected def predicate(nullPasses: Boolean, allValues: Boolean): ColumnPredicate =
      new ColumnPredicate.Bytes(
        nullPasses,
        if (allValues) BytesPredicate.all else BytesPredicate.none
      )

    override def in(values: Seq[Any]): ColumnPredicate =
      of(BytesPredicate.in(values.map(bytes).asJava))

    override def beside(value: Any, below: Boolean, inclusive: Boolean): ColumnPredicate = {
      val bound = bytes(value)
      of(
        if (below) BytesPredicate.range(null, true, bound, inclusive)
        else BytesPredicate.range(bound, inclusive, null, true)
      )
    }

    override def others(p: ColumnPredicate): ColumnPredicate =
      of(p.asInstanceOf[ColumnPredicate.Bytes].predicate.negate)

    private def of(test: BytesPredicate) = new ColumnPredicate.Bytes(false, test)
  }

  private object Domain {
    def of(column: Attribute): Option[Domain] = column.dataType match {
      case BooleanType => Some(new Keys(v => if (v.asInstanceOf[Boolean]) 1 else 0))
      case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType |
          TimestampNTZType | _: YearMonthIntervalType | _: DayTimeIntervalType =>
        Some(new Keys(_.asInstanceOf[Number].longValue))
      case FloatType  => Some(new Keys(v => OrderedKeys.of(v.asInstanceOf[Float])))
      case DoubleType => Some(new Keys(v => OrderedKeys.of(v.asInstanceOf[Double])))
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS =>
        Some(new Keys(unscaled(_, d.scale).longValueExact))
      case d: DecimalType => Some(new ByteStrings(v => DecimalKeys.of(unscaled(v, d.scale))))
      case s: StringType  =>
        if (Collations.isBinary(s)) {
          Some(new ByteStrings(_.asInstanceOf[UTF8String].getBytes))
        } else {
          None
        }
      case BinaryType => Some(new ByteStrings(_.asInstanceOf[Array[Byte]]))
      case _          => None
    }

    private def unscaled(value: Any, scale: Int): java.math.BigInteger =
      value.asInstanceOf[Decimal].toJavaBigDecimal.setScale(scale).unscaledValue
  }
}
