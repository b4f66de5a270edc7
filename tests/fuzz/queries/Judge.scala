// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

/** @param kind
  *   the kind of difference, which a smaller case must keep
  */
final case class Difference(kind: String, text: String)

sealed trait Verdict
final case class Same(on: Answer) extends Verdict

/** An allowed difference, counted by its name. */
final case class Allowed(why: String, on: Answer) extends Verdict
final case class Differs(difference: Difference, on: Answer) extends Verdict

/** Compares a query's outcome with LateBloom to its outcome without. */
object Judge {

  def verdict(off: Answer, on: Answer, ordered: Boolean): Verdict = (off, on) match {
    case (_: Hung, _)           => Allowed("hangs without LateBloom", on)
    case (_, h: Hung)           => Differs(Difference("hang", h.dump), on)
    case (a: Failed, b: Failed) => failures(a, b)
    case (a: Failed, b: Rows)   =>
      // A join filter may drop the row on which the query fails.
      Allowed(s"fails without LateBloom only: ${a.condition}", b)
    case (_: Rows, b: Failed) => Differs(Difference(s"failure ${b.condition}", b.message), on)
    case (a: Rows, b: Rows)   => answers(a, b, ordered)
  }

  private def failures(a: Failed, b: Failed): Verdict = {
    def wrapped(f: Failed) = f.outer.contains("awaitResult")
    if (Failed.isOfStoppedStage(b)) {
      Allowed("fails by a stage that was stopped when another failed", b)
    } else if (a.condition != b.condition && !(Failed.isOfRows(a) && Failed.isOfRows(b))) {
      Differs(Difference(s"failure ${b.condition}", s"off: ${a.message}\non: ${b.message}"), b)
    } else if (wrapped(b) && !wrapped(a)) {
      Differs(Difference("wrapped failure", s"off: ${a.message}\non: ${b.message}"), b)
    } else if (a.condition != b.condition) Allowed("another of its failures", b)
    else Same(b)
  }

  private def answers(a: Rows, b: Rows, ordered: Boolean): Verdict = {
    def sorted(rows: Seq[String]) = if (ordered) rows else rows.sorted
    if (a.schema != b.schema) {
      Differs(Difference("schema", s"off: ${a.schema.sql}\non: ${b.schema.sql}"), b)
    } else if (sorted(a.rows) != sorted(b.rows)) {
      def missing(x: Rows, y: Rows) = x.rows.diff(y.rows).take(5).mkString(" ")
      Differs(
        Difference(
          "answer",
          s"${a.rows.size} rows off, ${b.rows.size} on\nonly off: ${missing(a, b)}\nonly on: ${missing(b, a)}"
        ),
        b
      )
    } else if (b.planMillis > 500 && b.planMillis > 10 * a.planMillis) {
      Differs(Difference("slow planning", s"${a.planMillis} ms off, ${b.planMillis} ms on"), b)
    } else Same(b)
  }
}
