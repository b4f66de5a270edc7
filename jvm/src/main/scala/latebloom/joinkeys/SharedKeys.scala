// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Unevaluable}
import org.apache.spark.sql.types.{BinaryType, DataType}

import latebloom.bloom.KeyFilter
import latebloom.read.ScanFilter
import latebloom.read.predicate.ColumnPredicate

/** The keys of a join as the tasks of an executor share them: sent once, their table built once. */
final private[joinkeys] class SharedKeys(filter: KeyFilter) extends Serializable {
  @transient lazy val predicate: ColumnPredicate = filter.predicate
}

/** The keys where a scan looks for them. */
final private[joinkeys] class KeysInTask(keys: Broadcast[SharedKeys])
    extends ScanFilter.JoinKeySource {
  override def predicate: ColumnPredicate = keys.value.predicate
}

/** The keys where a [[JoinFilter]] in a task looks for them. */
final private[joinkeys] case class SharedKeysExpression(keys: Broadcast[SharedKeys])
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = false

  override def dataType: DataType = BinaryType
}
