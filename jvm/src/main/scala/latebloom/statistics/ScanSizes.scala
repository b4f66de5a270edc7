// SPDX-License-Identifier: Apache-2.0
package latebloom.statistics

import latebloom.cache.PredicateCache.FileState
import latebloom.cache.{CachedCondition, Digest}
import latebloom.line.Compat._

/** What a scan returned.
  *
  * @param rows
  *   that met its condition, those included that their table has deleted
  * @param of
  *   so many rows in its files; None if not all of these were counted
  * @param widths
  *   bytes of a value, on average, of columns of text and bytes that were read
  */
final private[latebloom] case class ScanSize(
    rows: Long,
    of: Option[Long],
    widths: Map[String, Double]
) {

  /** Whether the condition drops next to no row of many: of a few rows, others may lack most keys.
    */
  def keepsMost: Boolean = of.exists(all => all >= ScanSize.Many && rows >= all * ScanSize.Most)

  /** Whether it keeps few rows, as far as known. */
  def keepsFew: Boolean = of.exists(all => rows <= all * ScanSize.Few)
}

private object ScanSize {
  private val Many = 100000
  private val Most = 0.95
  private val Few = 0.5
}

/** How many rows of which files met which condition, as complete scans of this application have
  * counted. One for all sessions, on the driver; what was asked for least recently is forgotten
  * first. Thread safe.
  */
private[latebloom] object ScanSizes {

  /** The files of a scan, each in one state. */
  final case class Files private (digest: String)

  object Files {

    /** None of more files than can be compared fast. */
    def of(files: Seq[FileState]): Option[Files] = when(files.size <= ManyFiles) {
      val states = files.map(f => s"${f.path} ${f.length} ${f.modified}")
      new Files(Digest.of(states.sorted.mkString("\n")))
    }

    private val ManyFiles = 10000
  }

  private val MostConditions = 2000

  /** Of one condition: a table that grows has many. */
  private val MostFiles = 4

  final private class Recent[K, V](most: Int)
      extends java.util.LinkedHashMap[K, V](16, 0.75f, true) {
    override protected def removeEldestEntry(eldest: java.util.Map.Entry[K, V]): Boolean =
      size > most
  }

  private val sizes = new Recent[CachedCondition, Recent[Files, ScanSize]](MostConditions)

  /** What is known of a condition on some files: by itself, or by one that it implies, which as
    * many rows meet, or more.
    */
  def get(condition: CachedCondition, files: => Option[Files]): Option[ScanSize] = {
    val weaker = synchronized(sizes.asScala.keys.filter(condition.implies).toList)
    if (weaker.isEmpty) None
    else {
      // Listing them takes time.
      val listed = files
      val found = synchronized {
        for (w <- weaker; now <- listed; of <- Option(sizes.get(w)); size <- Option(of.get(now)))
          yield if (w == condition) size else size.copy(of = None)
      }
      when(found.nonEmpty)(found.minBy(size => (size.rows, size.of.isEmpty)))
    }
  }

  /** Records a complete scan. */
  def add(condition: CachedCondition, files: Files, size: ScanSize): Unit = synchronized {
    val of = sizes.computeIfAbsent(condition, _ => new Recent(MostFiles))
    val before = Option(of.get(files))
    of.put(
      files,
      size.copy(
        of = size.of.orElse(before.flatMap(_.of)),
        widths = before.fold(Map.empty[String, Double])(_.widths) ++ size.widths
      )
    )
    ()
  }

  def isEmpty: Boolean = synchronized(sizes.isEmpty)

  /** Conditions of which something is known. */
  def conditions: Int = synchronized(sizes.size)

  /** Forgets all. */
  def clear(): Unit = synchronized(sizes.clear())
}
