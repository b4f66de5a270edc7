// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import latebloom.read.ScanFilter

/** Whether the key of a row may be among known keys: a condition that may be left out. */
private[latebloom] trait KeyPredicate {

  /** What EXPLAIN says of it, without a key. */
  def text: String

  /** The column whose values have the very keys that the key has. */
  def column: Option[Attribute]

  /** The predicate on [[column]]. */
  def ofColumn: ScanFilter.JoinKeySource

  /** The predicate as an expression on the columns of the scan. */
  def condition: Expression
}
