// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions.{BinaryArithmetic, EvalMode}

/** The evaluation mode of arithmetic, which expressions expose differently from line to line. */
private[latebloom] object Arithmetic {

  /** Whether an undefined result raises an error or is null or wrapped. */
  def evalMode(e: BinaryArithmetic): EvalMode.Value = e.evalMode
}
