// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

/** Expressions, and ways to evaluate them, that not all lines have. */
private[latebloom] object LineExpressions {

  /** The key of a text: this line has no collations. */
  object KeyOfText {
    def unapply(e: Expression): Option[Expression] = None
  }

  /** This line has no variants. */
  def isOfVariant(struct: StructType): Boolean = false

  /** This line maps cases as Java does. */
  def icuCaseMappings: Boolean = false
}
