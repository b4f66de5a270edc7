// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildSide, JoinSelectionHelper}
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.{JoinType, LeftSingle}
import org.apache.spark.sql.internal.SQLConf

/** How Spark chooses the means of a join. */
private[latebloom] trait JoinChoice extends JoinSelectionHelper {

  /** Whether keys are equal only if their bytes are. */
  protected def isHashable(leftKeys: Seq[Expression], rightKeys: Seq[Expression]): Boolean =
    hashJoinSupported(leftKeys, rightKeys)

  protected def broadcastSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getBroadcastBuildSide(join, hintOnly, conf)

  protected def hashedSide(join: Join, hintOnly: Boolean, conf: SQLConf): Option[BuildSide] =
    getShuffleHashJoinBuildSide(join, hintOnly, conf)

  /** Whether each row of the left side is output once, be there a match or not. */
  protected def isLeftSingle(joinType: JoinType): Boolean = joinType == LeftSingle
}
