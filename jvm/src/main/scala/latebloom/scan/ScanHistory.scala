// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.collection.mutable

import org.apache.spark.sql.execution.metric.SQLMetric

import latebloom.read.task.Counter

/** What the application's latest scans needed, by their metrics: how much time for how many bytes,
  * and how many rows their join filters passed. Thread safe.
  */
private[scan] object ScanHistory {

  /** Scans to remember. */
  private val Scans = 64

  /** Bytes in a second of a core, as long as too few were read to know. */
  private val AssumedSpeed = 100e6
  private val FewBytes = 32L << 20
  private val FewRows = 10000L

  /** @param joins
    *   says which tables and join filters the scan has
    */
  final private case class Entry(joins: String, metrics: Map[String, SQLMetric]) {
    def apply(counters: Counter*): Long = counters.map(c => metrics(c.key).value).filter(_ > 0).sum
  }

  private val entries = mutable.Queue.empty[Entry]

  /** Records that a scan begins. */
  def add(joins: String, metrics: Map[String, SQLMetric]): Unit = synchronized {
    entries.enqueue(Entry(joins, metrics))
    if (entries.size > Scans) entries.dequeue()
  }

  /** How many bytes a scan reads in a second of a core. */
  def speed: Double = {
    val all = snapshot
    val bytes = all.map(_(Counter.BYTES_FETCHED)).sum
    val nanos = all.map(_(Counter.FETCH_TIME, Counter.FILTER_TIME, Counter.PAYLOAD_TIME)).sum
    if (bytes < FewBytes || nanos == 0) AssumedSpeed else bytes * 1e9 / nanos
  }

  /** The share of rows that join filters passed in scans with the same; 0 as long as unknown. */
  def passing(joins: String): Double = {
    val same = snapshot.filter(_.joins == joins)
    val tested = same.map(_(Counter.JOIN_ROWS_TESTED)).sum
    val dropped = same.map(_(Counter.JOIN_ROWS_DROPPED)).sum
    if (tested < FewRows) 0 else 1 - dropped.toDouble / tested
  }

  private def snapshot: Seq[Entry] = synchronized(entries.toList)
}
