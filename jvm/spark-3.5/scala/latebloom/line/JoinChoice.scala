// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildSide, JoinSelectionHelper}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.internal.SQLConf

/** How Spark chooses the means of a join. */
private[latebloom] trait JoinChoice extends JoinSelectionHelper {

  /** This line has no keys that are equal with other bytes. */
  protected def isHashable(leftKeys: Seq[Expression], rightKeys: Seq[Expression]): Boolean = true

  protected def broadcastSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getBroadcastBuildSide(join.left, join.right, join.joinType, join.hint, hintOnly, conf)

  protected def hashedSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getShuffleHashJoinBuildSide(join.left, join.right, join.joinType, join.hint, hintOnly, conf)

  /** This line has no such joins. */
  protected def isLeftSingle(joinType: JoinType): Boolean = false
}
