// SPDX-License-Identifier: Apache-2.0
package latebloom.decision

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}

/** Formats an expression for people: SQL with bare column names. */
object ShortSql {
  def apply(e: Expression): String =
    e.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql
}
