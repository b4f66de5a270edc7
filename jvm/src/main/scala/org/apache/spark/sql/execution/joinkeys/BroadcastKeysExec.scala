// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  BroadcastDistribution,
  Distribution,
  IdentityBroadcastMode
}
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import latebloom.bloom.{KeyFilter, KeyLimits}
import latebloom.compile.{JoinKeys, WantedKeys}

/** Reads the keys from the rows that a broadcast join needs anyway: requests the same broadcast,
  * which Spark's reuse of exchanges executes once, and walks it on the driver, without a job.
  *
  * @param keys
  *   all keys of the join; none for a nested loop join
  * @param wanted
  *   the key to gather
  * @param hashed
  *   whether it is a hash of several columns
  */
case class BroadcastKeysExec(
    keys: Seq[Expression],
    wanted: Expression,
    hashed: Boolean,
    limits: KeyLimits,
    child: SparkPlan,
    override val output: Seq[Attribute]
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def stringArgs: Iterator[Any] = Iterator(wanted)

  override def requiredChildDistribution: Seq[Distribution] = {
    val mode =
      if (keys.isEmpty) IdentityBroadcastMode
      else {
        val rewritten = HashJoin.rewriteKeyExpr(keys)
        HashedRelationBroadcastMode(BindReferences.bindReferences(rewritten, child.output))
      }
    BroadcastDistribution(mode) :: Nil
  }

  /** Subqueries in the keys have run by then. Fails with [[KeysDoNotPay]] if the broadcast rows are
    * known to be nearly all.
    */
  override def executeCollect(): Array[InternalRow] = executeQuery {
    val broadcast = child.executeBroadcast[Any]()
    PassRate.check(child)
    val filter = broadcast.value match {
      case rows: Array[InternalRow @unchecked] => gathered(rows.iterator)
      case relation: HashedRelation            => gathered(relation.asReadOnlyCopy())
    }
    val bytes: Any = filter.map[Array[Byte]](_.serialize()).orNull
    Array(UnsafeProjection.create(output.map(_.dataType).toArray).apply(InternalRow(bytes)))
  }

  private def gathered(relation: HashedRelation): Option[KeyFilter] = {
    val at = keys.indexWhere(_.semanticEquals(wanted))
    relation match {
      case _ if hashed || at < 0 => gathered(relation.keys().flatMap(relation.get(_)))
      // Spark stores a single integer key as a long; other longs pack several keys.
      case longs: LongHashedRelation if keys.size == 1 =>
        JoinKeys.collectLongs(longs.keys(), limits)
      // Each key of the relation once.
      case _ =>
        val key = relation match {
          case _: LongHashedRelation => HashJoin.extractKeyExprAt(keys, at)
          case _                     => BoundReference(at, wanted.dataType, nullable = true)
        }
        val values = UnsafeProjection.create(Seq(key))
        WantedKeys(key, hashed = false).collect(relation.keys().map(values), limits)
    }
  }

  private def gathered(rows: Iterator[InternalRow]): Option[KeyFilter] = {
    val of = WantedKeys(wanted, hashed)
    val values = UnsafeProjection.create(of.values, child.output)
    of.collect(rows.map(values), limits)
  }

  override def executeTake(n: Int): Array[InternalRow] = executeCollect().take(n)

  override protected def doExecute(): RDD[InternalRow] =
    sparkContext.parallelize(executeCollect().toSeq, 1)

  override protected def withNewChildInternal(newChild: SparkPlan): BroadcastKeysExec =
    copy(child = newChild)
}
