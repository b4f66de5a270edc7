// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{TypeCheckFailure, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, GenericInternalRow}
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.{KeyCollector, KeyDomain, KeyFilter, KeyGathering, KeyLimits}
import latebloom.line.Collations
import latebloom.line.Compat._
import latebloom.read.predicate.{DecimalKeys, OrderedKeys}

/** Gathers the keys of one side of a join. The result is a serialised [[KeyFilter]], or null if
  * there are too many keys. Nulls are not keys.
  *
  * @param child
  *   the key; a [[KeyRange]] for ranges of keys
  * @param hashed
  *   whether it is a hash of several columns, of type long
  */
final case class JoinKeys(
    child: Expression,
    limits: KeyLimits = KeyLimits.DEFAULT,
    hashed: Boolean = false,
    override val mutableAggBufferOffset: Int = 0,
    override val inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[KeyGathering]
    with UnaryLike[Expression] {

  @transient private lazy val wanted = WantedKeys(child, hashed)
  @transient private lazy val values = wanted.values.toArray
  @transient private lazy val row = new GenericInternalRow(values.length)

  override def prettyName: String = "join_keys"

  override protected def flatArguments: Iterator[Any] = Iterator(child)

  override def nullable: Boolean = true

  override def dataType: DataType = BinaryType

  override def checkInputDataTypes(): TypeCheckResult =
    if (WantedKeys.areKeys(child, hashed)) TypeCheckSuccess
    else TypeCheckFailure(s"values of type ${child.dataType.sql} are no keys of a join filter")

  override def createAggregationBuffer(): KeyGathering = wanted.gathering(limits)

  override def update(keys: KeyGathering, input: InternalRow): KeyGathering = {
    var i = 0
    while (i < values.length) {
      row.update(i, values(i).eval(input))
      i += 1
    }
    wanted.add(keys, row)
    keys
  }

  override def merge(keys: KeyGathering, more: KeyGathering): KeyGathering = {
    keys.merge(more)
    keys
  }

  override def eval(keys: KeyGathering): Any = keys.finish().toScala.map(_.serialize()).orNull

  override def serialize(keys: KeyGathering): Array[Byte] = keys.serialize()

  override def deserialize(bytes: Array[Byte]): KeyGathering = KeyGathering.deserialize(bytes)

  override def withNewMutableAggBufferOffset(offset: Int): JoinKeys =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): JoinKeys =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildInternal(newChild: Expression): JoinKeys =
    copy(child = newChild)
}

/** Chooses the form of a key by its type. Values that a join treats as equal must have the same
  * key, here and in the tested column; unequal values may share one, at the cost of an extra row.
  *
  *   - Integers of any width, booleans, dates, times and intervals: Spark's own number. Both sides
  *     of a join have the same type, so the same unit.
  *   - `float` and `double`: a number in their order ([[OrderedKeys]]), the same for both zeros and
  *     for all NaNs, as Spark compares them.
  *   - `decimal`: the unscaled value at the scale of the type, whatever the scale of the object;
  *     from 19 digits on, bytes of a fixed length.
  *   - `string` of the collation UTF8_BINARY, and `binary`: the bytes. In other collations equal
  *     strings may differ in their bytes. Spark replaces columns of such strings in a join's
  *     condition by their collation keys, which are binary; other expressions it compares as they
  *     are, and these are never a key.
  *   - Several keys at once: Spark's own hash of them, which is the same for both zeros and for all
  *     NaNs, also inside structs and arrays. Strings of other collations hash by their bytes: a
  *     join with such a key has no filter for all keys at once ([[hashesEqually]]).
  *   - Structs, arrays, maps alone: none.
  */
object JoinKeys {

  /** The domain of a type's keys; None if it has no join filters. */
  def domain(dataType: DataType, hashed: Boolean = false): Option[KeyDomain] = dataType match {
    case _ if hashed => when(dataType == LongType)(KeyDomain.HASHES)
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
        DateType | TimestampType | TimestampNTZType | _: YearMonthIntervalType |
        _: DayTimeIntervalType =>
      Some(KeyDomain.LONGS)
    case d: DecimalType =>
      Some(if (isLong(d)) KeyDomain.LONGS else KeyDomain.BYTES)
    case s: StringType if Collations.isBinary(s) => Some(KeyDomain.BYTES)
    case BinaryType                              => Some(KeyDomain.BYTES)
    case _                                       => None
  }

  /** Whether equal values of a type have the same hash by Spark's `xxhash64`. */
  def hashesEqually(dataType: DataType): Boolean = dataType match {
    case s: StringType         => Collations.isBinary(s)
    case a: ArrayType          => hashesEqually(a.elementType)
    case s: StructType         => s.forall(field => hashesEqually(field.dataType))
    case u: UserDefinedType[_] => hashesEqually(u.sqlType)
    case _: MapType            => false
    case _                     => true
  }

  /** The filter of the keys in the first column of `rows`, whose type has a domain; None if there
    * are too many.
    */
  def collect(
      rows: Iterator[InternalRow],
      dataType: DataType,
      limits: KeyLimits = KeyLimits.DEFAULT,
      hashed: Boolean = false
  ): Option[KeyFilter] =
    WantedKeys(BoundReference(0, dataType, nullable = true), hashed).collect(rows, limits)

  /** As [[collect]], for integers of any width that rows hold as longs. */
  def collectLongs(rows: Iterator[InternalRow], limits: KeyLimits): Option[KeyFilter] = {
    val keys = new KeyCollector(KeyDomain.LONGS, limits)
    while (rows.hasNext && !keys.overflowed) {
      keys.add(rows.next().getLong(0))
    }
    keys.finish().toScala
  }

  private[compile] type Adder = (KeyCollector, Any) => Unit

  private[compile] def adder(dataType: DataType): Adder = dataType match {
    case d: DecimalType if !isLong(d) =>
      (keys, v) => {
        val unscaled = v.asInstanceOf[Decimal].toJavaBigDecimal.setScale(d.scale).unscaledValue
        keys.add(DecimalKeys.of(unscaled), 0, DecimalKeys.LENGTH)
      }
    case _: StringType => (keys, v) => addText(keys, v.asInstanceOf[UTF8String])
    case BinaryType    => (keys, v) => {
        val bytes = v.asInstanceOf[Array[Byte]]
        keys.add(bytes, 0, bytes.length)
      }
    case _ => (keys, v) => keys.add(long(dataType, v))
  }

  /** A value of a type of the domain LONGS as a key. */
  private[compile] def long(dataType: DataType, value: Any): Long = dataType match {
    case BooleanType    => if (value.asInstanceOf[Boolean]) 1L else 0L
    case FloatType      => OrderedKeys.of(value.asInstanceOf[Float])
    case DoubleType     => OrderedKeys.of(value.asInstanceOf[Double])
    case d: DecimalType => unscaled(value.asInstanceOf[Decimal], d.scale)
    case _              => value.asInstanceOf[Number].longValue
  }

  private def isLong(d: DecimalType) = d.precision <= Decimal.MAX_LONG_DIGITS

  private def unscaled(d: Decimal, scale: Int): Long =
    if (d.scale == scale) d.toUnscaledLong
    else d.toJavaBigDecimal.setScale(scale).unscaledValue.longValueExact

  private def addText(keys: KeyCollector, text: UTF8String): Unit =
    text.getBaseObject match {
      case bytes: Array[Byte] =>
        keys.add(bytes, (text.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, text.numBytes)
      case _ => keys.add(text.getBytes, 0, text.numBytes)
    }
}
