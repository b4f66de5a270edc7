// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Unevaluable}
import org.apache.spark.sql.types.{BinaryType, DataType}

import latebloom.bloom.KeyFilter
import latebloom.read.ScanFilter
import latebloom.read.predicate.ColumnPredicate

/** The keys of a join, shared by the tasks of an executor: sent once, their table built once. */
final private[joinkeys] class SharedKeys(filter: KeyFilter) extends Serializable {
  @transient lazy val predicate: ColumnPredicate = filter.predicate
}

/** Gives a scan in a task its keys. */
final private[joinkeys] class KeysInTask(keys: Broadcast[SharedKeys])
    extends ScanFilter.JoinKeySource {
  override def predicate: ColumnPredicate = keys.value.predicate
}

/** Gives a [[JoinFilter]] in a task its keys. */
final private[joinkeys] case class SharedKeysExpression(keys: Broadcast[SharedKeys])
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = false

  override def dataType: DataType = BinaryType
}
