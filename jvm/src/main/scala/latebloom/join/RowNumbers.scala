// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

/** Numbers that a plan gives to rows, by `monotonically_increasing_id`, to tell them apart. Delta's
  * MERGE numbers the rows of its target so.
  */
private[join] object RowNumbers {

  /** The numbers of which the plan sees nothing but whether two are equal: nodes pass them on as
    * they are, and group by them. Other numbers, as different from each other, would do as well.
    */
  def unseen(plan: LogicalPlan): AttributeSet = {
    val numbers = plan.flatMap {
      case p: Project => p.projectList.collect { case a @ Alias(_: MonotonicallyIncreasingID, _) =>
          a.toAttribute
        }
      case _ => Nil
    }
    AttributeSet(numbers.filterNot { number =>
      plan.outputSet.contains(number) || plan.exists(sees(_, number))
    })
  }

  private def sees(node: LogicalPlan, number: Attribute): Boolean = {
    def isIt(e: Expression) = e match {
      case a: Attribute => a.exprId == number.exprId
      case _            => false
    }
    val used = node match {
      case p: Project   => p.projectList.filterNot(isIt)
      case a: Aggregate => (a.groupingExpressions ++ a.aggregateExpressions).filterNot(isIt)
      case other        => other.expressions
    }
    val passesOn = node match {
      case _: Project | _: Aggregate | _: Filter | _: Join | _: SubqueryAlias => true
      case _ => !node.children.exists(_.outputSet.contains(number))
    }
    !passesOn || used.exists(_.references.contains(number))
  }
}
