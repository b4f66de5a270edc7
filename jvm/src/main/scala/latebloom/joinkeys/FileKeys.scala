// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference, Expression}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.datasources.BucketingUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.line.Compat._

/** What the keys of a join say of a file before it is opened. A task has its own. */
sealed private[latebloom] trait FileKeys extends Serializable {

  /** Whether no row of a file has one of the keys, as far as they are known by now.
    *
    * @param partition
    *   the values of its partition columns
    * @param name
    *   the last part of its path
    */
  def exclude(partition: InternalRow, name: String): Boolean
}

private[latebloom] object FileKeys {

  /** The buckets of a table: by one column, by Spark's own hash. */
  final case class Buckets(column: Attribute, number: Int)

  /** @param condition
    *   a [[JoinFilter]] on the partition columns
    */
  final private[joinkeys] class OfPartitions(condition: Expression, keys: KeysInTask)
      extends FileKeys {
    override def exclude(partition: InternalRow, name: String): Boolean =
      keys.isKnown && condition.eval(partition) == false
  }

  /** Few keys, whose buckets are computed.
    *
    * @param keys
    *   of the column that the buckets are made by
    */
  final private[joinkeys] class OfBuckets(dataType: DataType, number: Int, keys: KeysInTask)
      extends FileKeys {
    @transient @volatile private var wanted: Option[Set[Int]] = _

    override def exclude(partition: InternalRow, name: String): Boolean = {
      if (wanted == null) wanted = keys.now.flatMap(bucketsOf)
      val excludes = for (ids <- wanted; id <- BucketingUtils.getBucketId(name)) yield !ids(id)
      excludes.getOrElse(false)
    }

    private def bucketsOf(shared: SharedKeys): Option[Set[Int]] = {
      val column = BoundReference(0, dataType, nullable = true)
      val bucket = HashPartitioning(Seq(column), number).partitionIdExpression
      val listed = shared.filter.listed(MostListed).asScala.toSeq
      when(listed.nonEmpty) {
        listed.flatMap(valueOf(_, dataType)).map(v => bucket.eval(InternalRow(v)).asInstanceOf[Int])
          .toSet
      }
    }
  }

  /** Most keys whose buckets are computed. */
  private val MostListed = 4096

  /** Whether a key shows the value that a row's bucket was computed of. Files of the old calendar
    * do not keep all dates and times: the row has another one when it is read than when it was
    * written.
    */
  private[joinkeys] def hasBuckets(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | StringType => true
    case _                                                          => false
  }

  /** The value of a column; None if the column cannot have it. */
  private def valueOf(key: Any, dataType: DataType): Option[Any] = (key, dataType) match {
    case (k: Long, ByteType)          => when(k.isValidByte)(k.toByte)
    case (k: Long, ShortType)         => when(k.isValidShort)(k.toShort)
    case (k: Long, IntegerType)       => when(k.isValidInt)(k.toInt)
    case (k: Long, LongType)          => Some(k)
    case (k: Array[Byte], StringType) => Some(UTF8String.fromBytes(k))
    case (other, _)                   =>
      throw new IllegalStateException(s"a key ${other.getClass} of ${dataType.sql}")
  }
}
