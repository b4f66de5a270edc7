// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.{BinaryArithmetic, EvalMode}

/** What arithmetic says of itself, where it says it from line to line. */
private[latebloom] object Arithmetic {

  /** What becomes of a result that there is none of. */
  def evalMode(e: BinaryArithmetic): EvalMode.Value = e.evalMode
}
