// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.expressions._

/** What arithmetic says of itself, where it says it from line to line. */
private[latebloom] object Arithmetic {

  /** What becomes of a result that there is none of; an error, where this line does not tell. */
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
