// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}
import org.apache.spark.sql.execution.datasources.VariantMetadata
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Expressions, and settings of their evaluation, that only some lines have. */
private[latebloom] object LineExpressions {

  /** Matches a string's collation key: strings that the collation equates have the same key. */
  object KeyOfText {
    def unapply(e: Expression): Option[Expression] = e match {
      case CollationKey(text) => Some(text)
      case _                  => None
    }
  }

  /** Whether the struct holds parts of a VARIANT, which no single file column stores. */
  def isOfVariant(struct: StructType): Boolean = VariantMetadata.isVariantStruct(struct)

  /** Whether the session maps cases with ICU's rules, else with Java's. */
  def icuCaseMappings: Boolean = SQLConf.get.getConf(SQLConf.ICU_CASE_MAPPINGS_ENABLED)
}
