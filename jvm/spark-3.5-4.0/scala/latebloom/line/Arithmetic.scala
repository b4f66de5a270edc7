// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions._

/** The evaluation mode of arithmetic, which expressions expose differently from line to line. */
private[latebloom] object Arithmetic {

  /** Whether an undefined result raises an error or is null or wrapped; ANSI, so an error, for
    * operators that do not tell in these lines.
    */
  def evalMode(e: BinaryArithmetic): EvalMode.Value = e match {
    case a: Add            => a.evalMode
    case s: Subtract       => s.evalMode
    case m: Multiply       => m.evalMode
    case d: Divide         => d.evalMode
    case d: IntegralDivide => d.evalMode
    case r: Remainder      => r.evalMode
    case p: Pmod           => p.evalMode
    case _                 => EvalMode.ANSI
  }
}
