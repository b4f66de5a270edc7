// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

/** Expressions, and settings of their evaluation, that only some lines have. */
private[latebloom] object LineExpressions {

  /** Matches a string's collation key: nothing in this line, which has no collations. */
  object KeyOfText {
    def unapply(e: Expression): Option[Expression] = None
  }

  /** Whether the struct holds parts of a VARIANT: never in this line, which has no such type. */
  def isOfVariant(struct: StructType): Boolean = false

  /** Whether the session maps cases with ICU's rules: never in this line, which uses Java's. */
  def icuCaseMappings: Boolean = false
}
