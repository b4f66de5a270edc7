// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastDistribution, Distribution}
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import latebloom.bloom.KeyLimits
import latebloom.compile.JoinKeys

/** Reads the keys from the hashed relation that a broadcast join needs anyway: requests the same
  * broadcast, which Spark's reuse of exchanges executes once, and walks it on the driver, without a
  * job.
  */
case class BroadcastKeysExec(
    keys: Seq[Expression],
    wanted: Expression,
    limits: KeyLimits,
    child: SparkPlan,
    override val output: Seq[Attribute]
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def stringArgs: Iterator[Any] = Iterator(wanted)

  override def requiredChildDistribution: Seq[Distribution] = {
    val bound = BindReferences.bindReferences(HashJoin.rewriteKeyExpr(keys), child.output)
    BroadcastDistribution(HashedRelationBroadcastMode(bound)) :: Nil
  }

  /** Subqueries in the keys have run by then. */
  override def executeCollect(): Array[InternalRow] = executeQuery {
    val relation = child.executeBroadcast[HashedRelation]().value.asReadOnlyCopy()
    val filter = relation match {
      // Spark stores a single integer key as a long; other longs pack several keys.
      case longs: LongHashedRelation if keys.size == 1 && keys.head.semanticEquals(wanted) =>
        JoinKeys.collectLongs(longs.keys(), limits)
      case _ => JoinKeys.collect(wantedOf(relation), wanted.dataType, limits)
    }
    val bytes: Any = filter.map[Array[Byte]](_.serialize()).orNull
    Array(UnsafeProjection.create(output.map(_.dataType).toArray).apply(InternalRow(bytes)))
  }

  /** The wanted key of the relation's keys, each once, if it is one of them; else of all rows. */
  private def wantedOf(relation: HashedRelation): Iterator[InternalRow] = {
    val at = keys.indexWhere(_.semanticEquals(wanted))
    if (at < 0) {
      val value = UnsafeProjection.create(Seq(wanted), child.output)
      relation.keys().flatMap(relation.get(_)).map(value)
    } else {
      val key = relation match {
        case _: LongHashedRelation => HashJoin.extractKeyExprAt(keys, at)
        case _                     => BoundReference(at, wanted.dataType, nullable = true)
      }
      relation.keys().map(UnsafeProjection.create(Seq(key)))
    }
  }

  override def executeTake(n: Int): Array[InternalRow] = executeCollect().take(n)

  override protected def doExecute(): RDD[InternalRow] =
    sparkContext.parallelize(executeCollect().toSeq, 1)

  override protected def withNewChildInternal(newChild: SparkPlan): BroadcastKeysExec =
    copy(child = newChild)
}
