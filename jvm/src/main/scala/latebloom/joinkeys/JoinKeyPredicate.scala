// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import java.time.LocalDate

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Cast,
  Expression,
  KnownFloatingPointNormalized,
  KnownNotNull
}
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, RebaseDateTime, quoteIfNeeded}
import org.apache.spark.sql.execution.joinkeys.{KeysSubqueryExec, LateValues, Patience}
import org.apache.spark.sql.latebloom.{KeysToPush, PushedKeys}
import org.apache.spark.sql.sources.{GreaterThanOrEqual, In, LessThanOrEqual}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.KeyFilter
import latebloom.compile.KeyPredicate
import latebloom.line.Collations
import latebloom.line.Compat._
import latebloom.read.ScanFilter

/** A join filter whose keys are known, or will be.
  *
  * @param none
  *   whether the other side is known to have no key at all
  */
final private[latebloom] class JoinKeyPredicate private (
    join: JoinFilter,
    keys: KeysInTask,
    val none: Boolean
) extends KeyPredicate {

  override def text: String = join.text

  override def source: ScanFilter.JoinKeySource = keys

  override def condition: Expression = join.copy(keys = SharedKeysExpression(keys))

  /** The column that is the key, or from which a conversion makes it that changes no key. */
  override lazy val column: Option[Attribute] = JoinKeyPredicate.column(join.key)

  /** The keys for comparison with statistics, dictionaries and Bloom filters of the column. */
  def pushed: Option[KeysToPush] =
    column.map(a => new JoinKeysToPush(quoteIfNeeded(a.name), a.dataType, keys))
}

/** The keys of a join on one column.
  *
  * @param name
  *   of the column, quoted
  */
final private class JoinKeysToPush(name: String, dataType: DataType, keys: KeysInTask)
    extends KeysToPush {

  override def now: Option[PushedKeys] = keys.now.flatMap(known => pushed(known.filter))

  private def pushed(filter: KeyFilter): Option[PushedKeys] = {
    val least = value(filter.min.toScala, filter.minBytes.toScala)
    val greatest = value(filter.max.toScala, filter.maxBytes.toScala)
    val bounds = least.map(GreaterThanOrEqual(name, _)) ++ greatest.map(LessThanOrEqual(name, _))
    val few = filter.listed(JoinKeysToPush.MostListed).asScala.toSeq.map {
      case bytes: Array[Byte] => value(None, Some(bytes))
      case key: Long          => value(Some(key), None)
    }
    val listed = when(few.nonEmpty && few.forall(_.nonEmpty))(In(name, few.flatten.toArray))
    when(bounds.nonEmpty)(PushedKeys(bounds.toSeq, listed, keys))
  }

  /** A key as a value of Spark's data sources; None if the value would differ from the key.
    *
    * Dates and times are values of `java.time`, whatever the query's own literals are: Spark's
    * filters of both formats accept them. `java.sql.Date` and `Timestamp` lack the days 1582-10-05
    * to 1582-10-14, and days or hours that a time zone skipped. Files in the old calendar store
    * dates before 1582-10-15, and times before the first year in which all zones have whole
    * offsets, in a different order: such keys have no value here.
    */
  private def value(key: Option[Long], bytes: Option[Array[Byte]]): Option[Any] = {
    def catalyst(value: Option[Any]) =
      value.map(CatalystTypeConverters.convertToScala(_, dataType))
    dataType match {
      case ByteType    => catalyst(key.filter(_.isValidByte).map(_.toByte))
      case ShortType   => catalyst(key.filter(_.isValidShort).map(_.toShort))
      case IntegerType => catalyst(key.filter(_.isValidInt).map(_.toInt))
      case DateType    =>
        key.filter(k => k.isValidInt && k >= RebaseDateTime.lastSwitchJulianDay)
          .map(LocalDate.ofEpochDay)
      case TimestampType =>
        key.filter(_ >= RebaseDateTime.lastSwitchJulianTs).map(DateTimeUtils.microsToInstant)
      case LongType | TimestampNTZType                              => catalyst(key)
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS =>
        catalyst(key.map(Decimal(_, d.precision, d.scale)))
      case _: StringType =>
        catalyst(bytes.map(UTF8String.fromBytes(_)).filter(Collations.isValid(_)))
      case _ => None
    }
  }
}

private object JoinKeysToPush {

  /** Most keys that are compared with dictionaries and Bloom filters of a file, one by one: as many
    * as Spark's own `spark.sql.parquet.pushdown.inFilterThreshold` allows by default.
    */
  private val MostListed = 10
}

private[latebloom] object JoinKeyPredicate {

  /** The filter with its keys, if they are there in time; else with a way to ask for them. None if
    * it is known to be none.
    */
  def of(join: JoinFilter, context: SparkContext, patience: Patience): Option[JoinKeyPredicate] = {
    def known(filter: KeyFilter) = {
      val shared = context.broadcast(new SharedKeys(filter))
      new JoinKeyPredicate(join, new KnownKeys(shared), filter.form == "empty")
    }
    join.gathering match {
      case None       => join.filter.map(known)
      case Some(node) =>
        node.within(patience) match {
          case Some(keys) => keys.flatMap(JoinFilter.deserialized(_)).map(known)
          case None       => Some(new JoinKeyPredicate(join, late(node, context), false))
        }
    }
  }

  private def late(node: KeysSubqueryExec, context: SparkContext): KeysInTask = {
    val keys = node.later.thenApply[Option[AnyRef]] { keys =>
      keys.flatMap(JoinFilter.deserialized(_)).map(new SharedKeys(_))
    }
    new AwaitedKeys(new LateValues.OnDriver(context, keys))
  }

  private def column(key: Expression): Option[Attribute] = key match {
    case a: Attribute                                         => Some(a)
    case Cast(c, to, _, _) if widens(c.dataType, to)          => column(c)
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(c)) => column(c)
    case KnownNotNull(c)                                      => column(c)
    case _                                                    => None
  }

  private def widens(from: DataType, to: DataType) = {
    val integers = Seq[DataType](ByteType, ShortType, IntegerType, LongType)
    integers.contains(from) && integers.indexOf(from) <= integers.indexOf(to)
  }
}
