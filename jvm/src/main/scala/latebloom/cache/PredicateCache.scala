// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import scala.collection.mutable

import latebloom.read.survivors.SurvivorBlocks

/** What scans of this application have found: for a condition and a file, which stretches of its
  * rows may have survivors. One for all sessions, on the driver. The conditions that were asked for
  * least recently are evicted first. Thread safe.
  */
private[latebloom] object PredicateCache {

  /** A file in one state. */
  final case class FileState(path: String, length: Long, modified: Long)

  /** What is known of a file in one state. */
  final case class Known(state: FileState, blocks: SurvivorBlocks) {
    def bytes: Long = blocks.bytes + OfFile + state.path.length
  }

  /** @param conditions
    *   that are cached
    * @param files
    *   over all conditions
    * @param bytes
    *   of heap, about
    * @param maxBytes
    *   the limit that the last scan set
    */
  final case class Totals(
      conditions: Int,
      files: Int,
      bytes: Long,
      maxBytes: Long,
      use: Use
  )

  /** @param lookups
    *   scans that could use the cache
    * @param hits
    *   those of them that it knew something for
    * @param splits
    *   that were not opened
    * @param rows
    *   that were not read, of splits that were opened
    */
  final case class Use(lookups: Long, hits: Long, splits: Long, rows: Long)

  // Of objects, about.
  private val OfFile = 150L

  /** Each lookup compares with all of them. */
  private val MostConditions = 2000

  final private class Entry {
    val files = mutable.HashMap.empty[String, Known]
    var bytes = 0L

    def add(known: Known): Unit = {
      val path = known.state.path
      val (merged, before) = files.get(path) match {
        case Some(old) if old.state == known.state =>
          (Known(old.state, old.blocks.and(known.blocks)), old.bytes)
        case old => (known, old.fold(0L)(_.bytes))
      }
      files.put(path, merged)
      bytes += merged.bytes - before
    }
  }

  /** In the order of their last use. */
  private val entries = new java.util.LinkedHashMap[CachedCondition, Entry](16, 0.75f, true)
  private var maxBytes = 0L
  private var use = Use(0, 0, 0, 0)

  /** What is known of files for a condition, by all conditions that it implies. */
  def lookup(condition: CachedCondition, files: => Seq[FileState]): Map[String, Known] =
    synchronized {
      use = use.copy(lookups = use.lookups + 1)
      val weaker = mutable.Buffer.empty[CachedCondition]
      entries.keySet.forEach(c => if (condition.implies(c)) weaker += c)
      val of = weaker.map(entries.get(_))
      val listed = if (of.isEmpty) Nil else files
      val found = listed.flatMap { file =>
        val known = of.flatMap(_.files.get(file.path)).filter(_.state == file).map(_.blocks)
        known.reduceOption(_.and(_)).map(blocks => file.path -> Known(file, blocks))
      }.toMap
      if (found.nonEmpty) use = use.copy(hits = use.hits + 1)
      found
    }

  /** Adds what a task found. */
  def add(condition: CachedCondition, found: Seq[Known], limit: Long): Unit = synchronized {
    maxBytes = limit
    if (found.nonEmpty) {
      val entry = entries.computeIfAbsent(condition, _ => new Entry)
      found.foreach(known => if (entry.bytes + known.bytes <= limit) entry.add(known))
      evict(limit)
    }
  }

  private def evict(limit: Long): Unit = {
    var bytes = size
    val eldest = entries.values.iterator
    while ((bytes > limit || entries.size > MostConditions) && eldest.hasNext) {
      bytes -= eldest.next().bytes
      eldest.remove()
    }
  }

  private def size: Long = {
    var bytes = 0L
    entries.values.forEach(e => bytes += e.bytes)
    bytes
  }

  /** Counts what tasks did not read. */
  def saved(splits: Long, rows: Long): Unit = synchronized {
    use = use.copy(splits = use.splits + splits, rows = use.rows + rows)
  }

  def totals: Totals = synchronized {
    var files = 0
    entries.values.forEach(e => files += e.files.size)
    Totals(entries.size, files, size, maxBytes, use)
  }

  /** Forgets all, and begins to count anew. */
  def clear(): Unit = synchronized {
    entries.clear()
    use = Use(0, 0, 0, 0)
  }
}
