// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}

/** Expressions that not all lines have. */
private[latebloom] object LineExpressions {

  /** The key of a text: the same for all texts that its collation takes for equal. */
  object KeyOfText {
    def unapply(e: Expression): Option[Expression] = e match {
      case CollationKey(text) => Some(text)
      case _                  => None
    }
  }
}
