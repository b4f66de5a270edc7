// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf

/** Which scans report how their rows are grouped to a plan that may make use of it. Those are
  * better left as they are, since files are not read in groups; all others lose nothing by it.
  *
  * Spark shuffles the rows of a scan or not; the answer is the same. It takes groups by the values
  * of partitions for a distribution that a node asks for, if each of the columns that the
  * partitions are made of is among the node's keys, or one of them if
  * `allowJoinKeysSubsetOfPartitionKeys` is on. By node above the scan, with the columns that are
  * derived from these:
  *
  *   - `Join`: by equal keys. The sides must be grouped alike, so a column counts only if it is
  *     compared with one of another scan's partitions, or with any if Spark may group the other
  *     side by the values of this one (`shuffle.enabled`).
  *   - `Aggregate`: by its groups, and by what it counts of distinct values.
  *   - `Window`: by its partitions.
  *   - Row by row, by an order, by a limit or a repartitioning of its own, `Union`: no
  *     distribution.
  *   - Any other node that mentions the columns: perhaps.
  */
final private class GroupedScans(plan: LogicalPlan, conf: SQLConf) extends PredicateHelper {

  private val scans: Seq[DataSourceV2ScanRelation] = plan.collect {
    case v2: DataSourceV2ScanRelation if v2.keyGroupedPartitioning.exists(_.nonEmpty) => v2
  }

  private lazy val groupings: Seq[Grouping] = scans.map(new Grouping(_))

  /** Spark 3.5 has none of these settings. */
  private def isOn(setting: String) =
    conf.getConfString(s"spark.sql.sources.v2.bucketing.$setting", "false").toBoolean

  private def canShuffleOne = isOn("shuffle.enabled")

  def used: Seq[DataSourceV2ScanRelation] = groupings.filter(_.isUsed).map(_.scan)

  private class Grouping(val scan: DataSourceV2ScanRelation) {

    /** For each column that the partitions are made of, the columns of the plan that are made of
      * it.
      */
    private val derived: Seq[AttributeSet] =
      AttributeSet(scan.keyGroupedPartitioning.toSeq.flatten.flatMap(_.references)).toSeq
        .map(c => GroupedScans.madeOf(c, plan))

    private lazy val ofOthers: Seq[AttributeSet] = groupings.filterNot(_ eq this).flatMap(_.derived)

    def isUsed: Boolean = plan.exists(node => node.exists(_ eq scan) && isUsed(node))

    private def isUsed(node: LogicalPlan): Boolean = node match {
      case j: Join =>
        val pairs = j.condition.toSeq.flatMap(splitConjunctivePredicates).collect {
          case Equality(left, right) => Seq(left -> right, right -> left)
        }.flatten
        areKeys(column =>
          pairs.exists { case (own, other) =>
            refers(own, column) && (canShuffleOne || ofOthers.exists(refers(other, _)))
          }
        )
      case a: Aggregate =>
        val distinct = a.aggregateExpressions.flatMap(_.collect {
          case e: AggregateExpression if e.isDistinct => e
        })
        areKeys(column => (a.groupingExpressions ++ distinct).exists(refers(_, column)))
      case w: Window => areKeys(column => w.partitionSpec.exists(refers(_, column)))
      case _: LeafNode | _: Project | _: Filter | _: Sort         => false
      case _: GlobalLimit | _: LocalLimit | _: Offset | _: Sample => false
      case _: Generate | _: Expand | _: Union                     => false
      case _: RepartitionOperation                                => false
      case other => other.expressions.exists(e => derived.exists(refers(e, _)))
    }

    private def areKeys(isKey: AttributeSet => Boolean): Boolean =
      if (isOn("allowJoinKeysSubsetOfPartitionKeys.enabled")) derived.exists(isKey)
      else derived.nonEmpty && derived.forall(isKey)

    private def refers(e: Expression, to: AttributeSet) = e.references.exists(to.contains)
  }
}

private[tables] object GroupedScans {

  /** The scans of a plan and of its subqueries that may be of use as they are grouped. */
  def used(plan: LogicalPlan, conf: SQLConf): Seq[DataSourceV2ScanRelation] =
    if (!conf.v2BucketingEnabled) Nil
    else (plan +: plan.subqueriesAll).flatMap(new GroupedScans(_, conf).used)

  /** The columns of a plan that are computed from one of its scans', itself among them. */
  private def madeOf(column: Attribute, plan: LogicalPlan): AttributeSet = {
    var found = AttributeSet(column)
    plan.foreachUp {
      case u: Union =>
        val columns = u.children.flatMap(c => u.output.zip(c.output))
        found = found ++ AttributeSet(columns.collect {
          case (own, below) if found.contains(below) => own
        })
      case node =>
        val computed = node.expressions.flatMap(_.collect { case a: Alias => a })
          .filter(_.references.exists(found.contains)).map(_.toAttribute)
        val others = node match {
          case _: LeafNode | _: Project | _: Aggregate | _: Window               => Nil
          case _ if node.expressions.exists(_.references.exists(found.contains)) =>
            node.producedAttributes.toSeq
          case _ => Nil
        }
        found = found ++ AttributeSet(computed ++ others)
    }
    found
  }
}
