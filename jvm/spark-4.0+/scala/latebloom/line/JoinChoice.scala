// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildSide, JoinSelectionHelper}
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.{JoinType, LeftSingle}
import org.apache.spark.sql.internal.SQLConf

/** Spark's choice between broadcast, shuffled hash and other joins. */
private[latebloom] trait JoinChoice extends JoinSelectionHelper {

  /** Whether equal keys have the same bytes, so that Spark can hash them. */
  protected def isHashable(leftKeys: Seq[Expression], rightKeys: Seq[Expression]): Boolean =
    hashJoinSupported(leftKeys, rightKeys)

  protected def broadcastSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getBroadcastBuildSide(join, hintOnly, conf)

  protected def hashedSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getShuffleHashJoinBuildSide(join, hintOnly, conf)

  /** Whether the join is a LEFT SINGLE join, which outputs each left row once, matched or not. */
  protected def isLeftSingle(joinType: JoinType): Boolean = joinType == LeftSingle
}
