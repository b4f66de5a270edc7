// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.types.DataType

import latebloom.read.task.RecentlyUsed

/** The bounds of the searches for first rows that this process takes part in. */
private[latebloom] object SharedBounds {

  /** Searches at a time: the bound of one that is forgotten is found anew. */
  private val Searches = 256

  private val byId = RecentlyUsed.map[String, SharedBound](Searches)

  /** The bound of a search. */
  def of(order: TopOrder, dataType: DataType): SharedBound =
    byId.computeIfAbsent(order.id, _ => new SharedBound(order, dataType))
}

/** The bound of one search for first rows, as far as this process knows it. Thread safe.
  *
  * All tasks may leave out rows after a bound that one of them found. Rows equal to it may not be
  * left out by all: the task that found it may fail and be repeated, and would then leave out the
  * very rows that the bound was made of. The attempt that holds these rows may, if the order has no
  * further part.
  */
final private[latebloom] class SharedBound(order: TopOrder, dataType: DataType) {
  private val values = order.values(dataType)

  @volatile private var ofAll: Option[TopBound] = None

  private val ofAttempts = new ConcurrentHashMap[Long, TopBound]

  /** Learns the worst of as many rows as are wanted, which an attempt of a task holds. */
  def tighten(value: Any, attempt: Long): Unit = synchronized {
    if (order.isWhole) ofAttempts.put(attempt, TopBound(value, isStrict = true))
    learn(TopBound(value, isStrict = false))
  }

  /** Learns a bound that holds for all. */
  def learn(bound: TopBound): Unit = synchronized {
    if (ofAll.forall(isBetter(bound, _))) ofAll = Some(bound)
  }

  /** The best bound for an attempt of a task; None as long as there is none. */
  def now(attempt: Option[Long]): Option[TopBound] = {
    val own = attempt.flatMap(a => Option(ofAttempts.get(a)))
    (own, ofAll) match {
      case (Some(o), Some(a)) => Some(if (isBetter(a, o)) a else o)
      case (o, a)             => o.orElse(a)
    }
  }

  /** Forgets what holds for one attempt alone. */
  def attemptEnds(attempt: Long): Unit = {
    ofAttempts.remove(attempt)
    ()
  }

  private def isBetter(bound: TopBound, than: TopBound): Boolean = {
    val order = values.compare(bound.value, than.value)
    order < 0 || (order == 0 && bound.isStrict && !than.isStrict)
  }
}
