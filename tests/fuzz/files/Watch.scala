// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.lang.management.ManagementFactory
import java.nio.MappedByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.{Path, StandardOpenOption}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.latebloom.FileTask

/** Watches the thread that runs the cases: records the running case in a file that survives a
  * crash, and ends cases that take too long. Measures the thread's own processor time, since the
  * machine may be busy, and wall-clock time while the thread waits.
  *
  * @param notes
  *   the file that holds the number and phase of the running case
  * @param worker
  *   the thread that runs the cases
  * @param onStuck
  *   called with a case and phase that cannot be ended, and a thread dump
  */
final class Watch(notes: Path, worker: Thread, onStuck: (Long, Byte, String) => Unit)
    extends Thread("watch") {
  import Watch._

  private val buffer: MappedByteBuffer = {
    val open = Seq(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)
    val file = FileChannel.open(notes, open: _*)
    try file.map(FileChannel.MapMode.READ_WRITE, 0, 9)
    finally file.close()
  }

  @volatile private var running = new Running(-1, Idle, 0)

  setDaemon(true)

  /** Runs `body`; returns its result, or a thread dump if it took more than `seconds`. */
  def apply[A](id: Long, phase: Byte, seconds: Double)(body: => A): Either[String, A] = {
    buffer.putLong(0, id)
    buffer.put(8, phase)
    val now = new Running(id, phase, seconds)
    running = now
    val result =
      try Some(body)
      catch { case _: ThreadDeath => None }
    synchronized { running = new Running(id, Idle, 0) }
    buffer.put(8, Idle)
    Thread.interrupted()
    now.dump.toLeft(result.get)
  }

  /** Survives an OutOfMemoryError: the memory is full until the case that filled it ends. */
  override def run(): Unit = while (true) {
    try look()
    catch { case _: OutOfMemoryError => () }
  }

  private def look(): Unit = {
    Thread.sleep(50)
    val now = running
    if (now.phase != Idle) {
      val busy = (threads.getThreadCpuTime(worker.getId) - now.busySince) / 1e9
      val waited = (System.nanoTime() - now.since) / 1e9
      if (busy > now.seconds || waited > MostWaiting) end(now)
    }
  }

  /** Ends the case: kills its task as Spark does, then interrupts the thread, then stops it. */
  private def end(now: Running): Unit = {
    whileRunning(now) {
      now.dump = Some(dumped)
      FileTask.kill()
    }
    await(now, 100)
    whileRunning(now)(worker.interrupt())
    await(now, 100)
    whileRunning(now)(stopWorker())
    await(now, 20000)
    whileRunning(now)(onStuck(now.id, now.phase, now.dump.get))
  }

  /** Runs `body` unless the worker has moved on to the next case. */
  private def whileRunning(now: Running)(body: => Unit): Unit =
    synchronized { if (running eq now) body }

  @annotation.nowarn("cat=deprecation")
  private def stopWorker(): Unit =
    try worker.stop()
    catch { case _: UnsupportedOperationException => () }

  private def await(now: Running, millis: Int): Unit = {
    val until = System.nanoTime() + millis * 1000000L
    while ((running eq now) && System.nanoTime() < until) Thread.sleep(20)
  }

  private def dumped: String = {
    val others = Thread.getAllStackTraces.asScala.toSeq.filter { case (t, _) => t ne worker }
    val busy = others.filter(_._2.exists(_.getClassName.startsWith("latebloom.read")))
    ((worker -> worker.getStackTrace) +: busy).map { case (thread, stack) =>
      s"${thread.getName} ${thread.getState}\n" + stack.map("    at " + _).mkString("\n")
    }.mkString("\n")
  }
}

object Watch {
  val Idle: Byte = 0
  val Ours: Byte = 1
  val Sparks: Byte = 2

  /** Wall-clock seconds, generous because the machine may be busy. */
  private val MostWaiting = 60

  private val threads = ManagementFactory.getThreadMXBean

  final private class Running(val id: Long, val phase: Byte, val seconds: Double) {
    val since: Long = System.nanoTime()
    val busySince: Long = threads.getCurrentThreadCpuTime
    @volatile var dump: Option[String] = None
  }
}
