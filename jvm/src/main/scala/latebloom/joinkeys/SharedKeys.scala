// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Unevaluable}
import org.apache.spark.sql.execution.joinkeys.LateValues
import org.apache.spark.sql.latebloom.SharedValue
import org.apache.spark.sql.types.{BinaryType, DataType}

import latebloom.bloom.KeyFilter
import latebloom.line.Compat._
import latebloom.read.ScanFilter
import latebloom.read.predicate.ColumnPredicate

/** The keys of a join, shared by the tasks of an executor: sent once, their table built once. */
final private[joinkeys] class SharedKeys(val filter: KeyFilter) extends Serializable {
  @transient lazy val predicate: ColumnPredicate = filter.predicate

  @transient private lazy val columns = new ConcurrentHashMap[Int, Option[SharedKeys]]

  /** The keys of one of several columns by themselves, if they are known. */
  def ofColumn(i: Int): Option[SharedKeys] =
    columns.computeIfAbsent(i, filter.part(_).toScala.map(new SharedKeys(_)))
}

/** Gives a scan in a task its keys. */
sealed abstract private[joinkeys] class KeysInTask extends ScanFilter.JoinKeySource {

  /** The keys, if they are known by now. */
  def now: Option[SharedKeys]

  override def isKnown: Boolean = now.isDefined

  override def predicate: ColumnPredicate = now.get.predicate
}

/** Keys that were known when the scan began. */
final private[joinkeys] class KnownKeys(keys: SharedValue[SharedKeys]) extends KeysInTask {
  override def now: Option[SharedKeys] = Some(keys.value)
}

/** Keys that the scan did not wait for. */
final private[joinkeys] class AwaitedKeys(@transient private val onDriver: LateValues.OnDriver)
    extends KeysInTask {
  private val keys = onDriver.inTask

  override def now: Option[SharedKeys] = keys.get.map(_.asInstanceOf[SharedKeys])
}

/** The keys of one of several columns by themselves.
  *
  * @param isNull
  *   the part of the key that says whether the column is null: if it is null in any key, there are
  *   no keys here
  */
final private[joinkeys] class KeysOfColumn(all: KeysInTask, column: Int, isNull: Option[Int])
    extends KeysInTask {
  override def now: Option[SharedKeys] = all.now.filter(neverNull).flatMap(_.ofColumn(column))

  private def neverNull(keys: SharedKeys): Boolean =
    isNull.forall(keys.ofColumn(_).exists(_.filter.listed(1).asScala.toSeq == Seq(0L)))
}

/** Gives a [[JoinFilter]] in a task its keys. */
final private[joinkeys] case class SharedKeysExpression(keys: KeysInTask)
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = false

  override def dataType: DataType = BinaryType
}
