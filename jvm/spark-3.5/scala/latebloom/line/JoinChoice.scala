// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildSide, JoinSelectionHelper}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.internal.SQLConf

/** Spark's choice between broadcast, shuffled hash and other joins. */
private[latebloom] trait JoinChoice extends JoinSelectionHelper {

  /** Whether equal keys have the same bytes: always in this line, which has no collations. */
  protected def isHashable(leftKeys: Seq[Expression], rightKeys: Seq[Expression]): Boolean = true

  protected def broadcastSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getBroadcastBuildSide(join.left, join.right, join.joinType, join.hint, hintOnly, conf)

  protected def hashedSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getShuffleHashJoinBuildSide(join.left, join.right, join.joinType, join.hint, hintOnly, conf)

  /** Whether the join is a LEFT SINGLE join: never in this line, which has none. */
  protected def isLeftSingle(joinType: JoinType): Boolean = false
}
