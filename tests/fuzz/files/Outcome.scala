// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

/** The outcome of a case.
  *
  * @param reason
  *   identifies the cause: the same text for all cases with that cause
  * @param detail
  *   answers, stack traces or thread dumps for the report
  */
final case class Outcome(kind: Outcome.Kind, reason: String = "", detail: String = "") {
  def isForbidden: Boolean = kind.isForbidden
}

object Outcome {
  sealed abstract class Kind(val name: String, val isForbidden: Boolean)

  case object Same extends Kind("the same answer", false)
  case object BothFail extends Kind("both fail", false)
  case object Refused extends Kind("refused, Spark answers", false)
  case object Answered extends Kind("answered, Spark fails", false)
  case object Excluded extends Kind("excluded", false)
  case object PrunedByKeys extends Kind("pruned by the keys of a join", false)
  case object Unpruned extends Kind("same as Spark's with less pruning by statistics", false)
  case object TrustedStatistics extends Kind("pruned by a trusted writer's statistics", false)
  case object TrustedIndex extends Kind("follows a row index that streams contradict", false)
  case object LeftToSpark extends Kind("no query that LateBloom reads", false)

  case object Different extends Kind("DIFFERENT ANSWER", true)
  case object Bare extends Kind("BARE ERROR", true)
  case object Unnamed extends Kind("ERROR WITHOUT THE FILE", true)
  case object Fatal extends Kind("FATAL ERROR", true)
  case object Hang extends Kind("HANG", true)
  case object Crash extends Kind("CRASH OF THE JVM", true)
  case object Allocates extends Kind("HUGE ALLOCATION", true)
  case object Leaks extends Kind("LEAK", true)

  val kinds: Seq[Kind] = Seq(
    Same,
    BothFail,
    Answered,
    Refused,
    PrunedByKeys,
    Unpruned,
    TrustedStatistics,
    TrustedIndex,
    Excluded,
    LeftToSpark,
    Different,
    Bare,
    Unnamed,
    Fatal,
    Hang,
    Crash,
    Allocates,
    Leaks
  )
}
