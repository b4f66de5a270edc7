// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Unevaluable}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joinkeys.KeysSubqueryExec
import org.apache.spark.sql.types.{BinaryType, DataType}

/** The keys of one source, shared by all filters of them.
  *
  * A query's plan contains the subquery that gathers them once, in one filter; all other filters of
  * the same keys refer to it, also those in the plans that gather other keys. Otherwise a plan
  * would grow with the number of paths through its joins, since each source contains the filters of
  * its own scans.
  *
  * @param source
  *   the source of the keys, in a form that is equal for equal sources: plans with filters of equal
  *   keys are then equal, and Spark executes their exchange once
  */
final private[latebloom] class GatheredKeys(@transient @volatile private var source: AnyRef)
    extends Serializable {
  @transient @volatile private var subquery: KeysSubqueryExec = _
  override val hashCode: Int = source.hashCode

  /** Sources contain filters of other keys in turn. Unifies equal ones, so that none is compared
    * twice: there may be many paths from one to another.
    */
  override def equals(other: Any): Boolean = other match {
    case that: GatheredKeys =>
      (this eq that) || (source eq that.source) || {
        val same = hashCode == that.hashCode && source == that.source
        if (same) that.source = source
        same
      }
    case _ => false
  }

  /** The node that gathers the keys by executing `child`; the same node for the same plan. */
  def by(name: String, child: SparkPlan): KeysSubqueryExec = synchronized {
    if (subquery == null || !(subquery.child eq child)) {
      subquery = KeysSubqueryExec(name, child)
    }
    subquery
  }

  /** Called whenever a plan takes the node: rules copy it, and the last copy is executed. */
  def heldBy(node: KeysSubqueryExec): Unit = synchronized { subquery = node }

  /** The node that gathers the keys; None if the query was planned without one. */
  def node: Option[KeysSubqueryExec] = Option(subquery)

  override def toString: String = s"#${Integer.toHexString(hashCode)}"
}

/** Refers to keys that a subquery elsewhere in the query gathers. */
final private[latebloom] case class KeysGatheredElsewhere(keys: GatheredKeys)
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = true

  override def dataType: DataType = BinaryType

  override def toString: String = s"keys $keys"
}
