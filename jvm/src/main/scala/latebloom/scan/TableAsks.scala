// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import latebloom.read.task.RecentlyUsed

/** Decides whether a scan asks its table which files can hold the keys of its joins. The answer
  * takes a job of its own, so it is asked for if it is expected to save more, by what it saved
  * before: how large a share of a table's bytes keys of the same columns excluded. What a table
  * that excluded nothing costs in further questions stays a small part of its scans. Thread safe.
  */
private[scan] object TableAsks {

  /** Core seconds of an answer before one was measured. */
  private val AssumedCost = 0.5

  /** The part of the scans' own time that is spent to learn whether a table has changed. */
  private val Retry = 0.05

  private val Tables = 256

  /** @param share
    *   of the bytes that was excluded; all, before it is known
    * @param unasked
    *   core seconds of the scans since the last question
    */
  final private case class Known(share: Double, unasked: Double)

  private val tables = RecentlyUsed.map[String, Known](Tables)
  private var cost = AssumedCost

  /** @param about
    *   a table, and the columns of the keys
    * @param atStake
    *   core seconds that reading all of the scan's files takes
    */
  def pays(about: String, atStake: Double): Boolean = synchronized {
    val known = of(about)
    val asks = known.share * atStake > cost || Retry * (known.unasked + atStake) > cost
    if (!asks) tables.put(about, known.copy(unasked = known.unasked + atStake))
    asks
  }

  /** Records an answer.
    *
    * @param seconds
    *   core seconds that it took
    * @param share
    *   of the bytes that it excluded
    */
  def answered(about: String, seconds: Double, share: Double): Unit = synchronized {
    cost = (cost + seconds) / 2
    tables.put(about, Known((of(about).share + share) / 2, 0))
  }

  private def of(about: String): Known = tables.getOrDefault(about, Known(1, 0))

  /** Forgets everything, for tests. */
  private[scan] def forget(): Unit = synchronized {
    tables.clear()
    cost = AssumedCost
  }
}
