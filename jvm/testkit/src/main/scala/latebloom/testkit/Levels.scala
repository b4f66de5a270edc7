// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.lang.management.{BufferPoolMXBean, ManagementFactory}

import latebloom.line.Compat._

/** The resources that queries must not leak.
  *
  * @param threads
  *   the number of threads by name without digits; of Spark's large pools only busy ones
  * @param direct
  *   bytes of direct memory
  * @param heap
  *   bytes in use after a collection
  */
case class Levels(streams: Int, threads: Map[String, Int], direct: Long, heap: Long) {

  /** The increases over `before`, beyond what Spark's caches and pools take. */
  def above(before: Levels): Seq[String] = {
    val mib = 1L << 20
    val names = threads.collect {
      case (name, n) if n > before.threads.getOrElse(name, 0) + Levels.PoolOfSpark =>
        s"$n threads named '$name', ${before.threads.getOrElse(name, 0)} before"
    }
    names.toSeq ++
      when(streams > 0)(s"$streams open streams") ++
      when(direct > before.direct + 16 * mib)(s"direct memory $direct, ${before.direct}") ++
      when(heap > before.heap + 48 * mib)(s"heap $heap, ${before.heap} before")
  }

  override def toString: String =
    s"$streams open streams, ${threads.values.sum} threads, ${direct >> 20} MiB direct memory, " +
      s"${heap >> 20} MiB heap"
}

object Levels {

  /** Pools of Spark start a thread for each task, up to a limit, and end it a minute later. */
  private val LargePools =
    Set("broadcast-exchange-#", "shuffle-exchange-#", "ResultQueryStageExecution-#")

  /** The limit of the other pools. */
  private val PoolOfSpark = 16

  private def isIdle(stack: Array[StackTraceElement]): Boolean =
    stack.exists(at =>
      at.getClassName.endsWith("ThreadPoolExecutor") && at.getMethodName == "getTask"
    )

  /** @param seconds
    *   how long to wait for streams to be closed
    */
  def now(seconds: Int = 20): Levels = {
    val rest = System.nanoTime() + seconds * 1000000000L
    while (FaultyFileSystem.openStreams() > 0 && System.nanoTime() < rest) Thread.sleep(50)
    // The second collection frees what the cleaner of Spark's context released after the first.
    for (_ <- 1 to 3) {
      System.gc()
      Thread.sleep(300)
    }
    Levels(
      FaultyFileSystem.openStreams(),
      Thread.getAllStackTraces.asScala.toSeq
        .map { case (thread, stack) => thread.getName.replaceAll("\\d+", "#") -> stack }
        .collect { case (name, stack) if !LargePools(name) || !isIdle(stack) => name }
        .groupBy(identity)
        .map { case (name, found) => name -> found.size },
      ManagementFactory
        .getPlatformMXBeans(classOf[BufferPoolMXBean])
        .asScala.filter(_.getName == "direct").map(_.getMemoryUsed).sum,
      ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed
    )
  }
}
