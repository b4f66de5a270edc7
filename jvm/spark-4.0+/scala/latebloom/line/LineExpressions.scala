// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}
import org.apache.spark.sql.execution.datasources.VariantMetadata
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Expressions, and ways to evaluate them, that not all lines have. */
private[latebloom] object LineExpressions {

  /** The key of a text: the same for all texts that its collation takes for equal. */
  object KeyOfText {
    def unapply(e: Expression): Option[Expression] = e match {
      case CollationKey(text) => Some(text)
      case _                  => None
    }
  }

  /** Whether it holds parts of a VARIANT, which no single column of a file has. */
  def isOfVariant(struct: StructType): Boolean = VariantMetadata.isVariantStruct(struct)

  /** Whether the session maps cases as ICU does. */
  def icuCaseMappings: Boolean = SQLConf.get.getConf(SQLConf.ICU_CASE_MAPPINGS_ENABLED)
}
