// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import java.time.LocalDate

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, RebaseDateTime, quoteIfNeeded}
import org.apache.spark.sql.execution.joinkeys.{KeysSubqueryExec, LateValues, Patience}
import org.apache.spark.sql.latebloom.{KeysToPush, PushedKeys, SharedValue}
import org.apache.spark.sql.sources
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.KeyFilter
import latebloom.cache.{CachedCondition, Digest}
import latebloom.compile.KeyPredicate
import latebloom.joinkeys.FileKeys.Buckets
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

  override def condition: Expression =
    join.copy(keys = SharedKeysExpression(keys), onlyFiles = false)

  /** The key, of columns of the scan. */
  def key: Expression = join.key

  /** Whether no row of a file may be left out that is read. */
  def onlyFiles: Boolean = join.onlyFiles

  /** The key with a digest of the keys, if these were known when the scan began, and are few enough
    * to be worth one.
    */
  def digest: Option[CachedCondition.Keys] = keys match {
    case known: KnownKeys =>
      known.now.map(_.filter).filter(_.bytes <= JoinKeyPredicate.MostDigested)
        .map(f => CachedCondition.Keys(join.key, Digest.of(f.serialize())))
    case _ => None
  }

  /** The column that is the key, or from which a conversion makes it that changes no key. */
  override lazy val column: Option[Attribute] = JoinKeyPredicate.column(join.key)

  /** The keys for comparison with statistics, dictionaries and Bloom filters of columns.
    *
    * @param read
    *   the columns that are read from files; a file may have another one with the name of a column
    *   that is not, of a partition
    */
  def pushed(read: Seq[Attribute]): Seq[KeysToPush] = {
    val ofFiles = AttributeSet(read)
    columns.collect {
      case (column, keys) if ofFiles.contains(column) =>
        new JoinKeysToPush(quoteIfNeeded(column.name), column.dataType, keys)
    }
  }

  /** The columns of the key, each with the keys that it has by itself. */
  private def columns: Seq[(Attribute, KeysInTask)] = join.key match {
    case XxHash64(parts, _) =>
      parts.indices.flatMap { i =>
        JoinKeyPredicate.part(parts, i).map { case (column, isNull) =>
          column -> new KeysOfColumn(keys, i, isNull)
        }
      }
    case _ => column.map(_ -> keys).toSeq
  }

  /** The columns of the key, each with the keys that it has by itself, of those that are known by
    * now.
    */
  def known: Seq[(Attribute, KeyFilter)] =
    columns.flatMap { case (column, keys) => keys.now.map(of => column -> of.filter) }

  /** Conditions on columns that all rows with a key meet, for the statistics of a table format;
    * none of keys that are not known yet.
    */
  def conditions: Seq[Expression] = columns.flatMap { case (column, keys) =>
    keys.now.flatMap(known => JoinKeyPredicate.condition(column, known.filter))
  }

  /** What the keys say of files before they are opened: of a partition with these values, of a
    * bucket.
    */
  def ofFiles(partition: Seq[Attribute], buckets: Option[FileKeys.Buckets]): Seq[FileKeys] =
    if (isOf(partition)) {
      Seq(new FileKeys.OfPartitions(BindReferences.bindReference(condition, partition), keys))
    } else {
      for {
        Buckets(of, number) <- buckets.toSeq
        (column, keys) <- columns if column.exprId == of.exprId && FileKeys.hasBuckets(of.dataType)
      } yield new FileKeys.OfBuckets(of.dataType, number, keys)
    }

  /** Whether the key is made of these columns alone. */
  def isOf(columns: Seq[Attribute]): Boolean = join.key.references.subsetOf(AttributeSet(columns))
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
    val bounds = least.map(sources.GreaterThanOrEqual(name, _)) ++
      greatest.map(sources.LessThanOrEqual(name, _))
    val few = filter.listed(JoinKeysToPush.MostListed).asScala.toSeq.map {
      case bytes: Array[Byte] => value(None, Some(bytes))
      case key: Long          => value(Some(key), None)
    }
    val listed = when(few.nonEmpty && few.forall(_.nonEmpty))(sources.In(name, few.flatten.toArray))
    when(bounds.nonEmpty)(PushedKeys(bounds.toSeq, listed, keys))
  }

  private def value(key: Option[Long], bytes: Option[Array[Byte]]) =
    JoinKeysToPush.value(dataType, key, bytes)
}

private[latebloom] object JoinKeysToPush {

  /** Most keys that are compared with dictionaries and Bloom filters of a file, one by one: as many
    * as Spark's own `spark.sql.parquet.pushdown.inFilterThreshold` allows by default.
    */
  private val MostListed = 10

  /** A key as a value of Spark's data sources; None if the value would differ from the key.
    *
    * Dates and times are values of `java.time`, whatever the query's own literals are: Spark's
    * filters of both formats accept them. `java.sql.Date` and `Timestamp` lack the days 1582-10-05
    * to 1582-10-14, and days or hours that a time zone skipped. Files in the old calendar store
    * dates before 1582-10-15, and times before the first year in which all zones have whole
    * offsets, in a different order: such keys have no value here.
    */
  def value(
      dataType: DataType,
      key: Option[Long],
      bytes: Option[Array[Byte]]
  ): Option[Any] = {
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
        val most = math.pow(10, d.precision.toDouble).toLong
        catalyst(key.filter(k => -most < k && k < most).map(Decimal(_, d.precision, d.scale)))
      case _: StringType =>
        catalyst(bytes.map(UTF8String.fromBytes(_)).filter(Collations.isValid(_)))
      case _ => None
    }
  }
}

private[latebloom] object JoinKeyPredicate {

  /** The filter with its keys, if they are there in time; else with a way to ask for them. None if
    * it is known to be none.
    */
  def of(join: JoinFilter, context: SparkContext, patience: Patience): Option[JoinKeyPredicate] = {
    def known(filter: KeyFilter) = {
      val shared = SharedValue(new SharedKeys(filter), context)
      new JoinKeyPredicate(join, new KnownKeys(shared), filter.form == "empty")
    }
    join.gathering match {
      case None       => join.filter.map(known)
      case Some(node) =>
        node.within(patience) match {
          case Some(keys) => keys.flatMap(JoinFilter.deserialized(_)).map(known)
          // The files are chosen before the first task.
          case None if join.onlyFiles => None
          case None => Some(new JoinKeyPredicate(join, late(node, context), false))
        }
    }
  }

  private def late(node: KeysSubqueryExec, context: SparkContext): KeysInTask = {
    val keys = node.later.thenApply[Option[AnyRef]] { keys =>
      keys.flatMap(JoinFilter.deserialized(_)).map(new SharedKeys(_))
    }
    new AwaitedKeys(new LateValues.OnDriver(context, keys))
  }

  /** Bytes of keys: their digest takes a few milliseconds. */
  private val MostDigested = 1L << 20

  /** Ranges to compare with the statistics of a file. */
  private val MostRanges = 32

  private def condition(column: Attribute, keys: KeyFilter): Option[Expression] = {
    def literal(key: Option[Long], bytes: Option[Array[Byte]]) =
      JoinKeysToPush.value(column.dataType, key, bytes).map { value =>
        Literal(CatalystTypeConverters.convertToCatalyst(value), column.dataType)
      }
    def between(least: Option[Literal], greatest: Option[Literal]): Option[Expression] =
      for (l <- least; g <- greatest)
        yield And(GreaterThanOrEqual(column, l), LessThanOrEqual(column, g))
    val ranges =
      if (keys.minBytes.isPresent) {
        Seq(between(literal(None, keys.minBytes.toScala), literal(None, keys.maxBytes.toScala)))
      } else {
        keys.ranges(MostRanges).asScala.toSeq.map { case Array(least, greatest) =>
          between(literal(Some(least), None), literal(Some(greatest), None))
        }
      }
    when(ranges.nonEmpty && ranges.forall(_.nonEmpty))(ranges.flatten.reduce[Expression](Or))
  }

  /** One of several columns of a key, if the keys that it has by itself rule out values of it.
    * Spark turns a null-safe equality into two: of the values, with a default for nulls, and of
    * being null. If no key is null, the default matters as little as a null.
    *
    * @return
    *   the column, and which part of the key says whether it is null, if it matters
    */
  private def part(parts: Seq[Expression], i: Int): Option[(Attribute, Option[Int])] =
    parts(i) match {
      case Coalesce(Seq(value, _: Literal)) =>
        val isNull = parts.indexWhere {
          case IsNull(of) => of.semanticEquals(value)
          case _          => false
        }
        if (isNull < 0) None else column(value).map(_ -> Some(isNull))
      case other => column(other).map(_ -> None)
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
