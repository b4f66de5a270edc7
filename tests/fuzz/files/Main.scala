// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.unsafe.OffHeap

/** Runs the cases in a worker process, and starts a new one whenever it dies. */
object Main {
  def main(args: Array[String]): Unit =
    if (args.contains("--help")) {
      println(Options.Help)
    } else {
      val options = Options.parse(args.toList)
      if (options.worker) {
        OffHeap.check()
        try new Worker(options).run()
        catch {
          // Without memory a JVM may take minutes to end by itself.
          case e: Throwable =>
            println(e)
            Runtime.getRuntime.halt(1)
        }
        System.exit(0)
      } else {
        System.exit(supervise(args.toSeq, options))
      }
    }

  private def supervise(args: Seq[String], options: Options): Int = {
    val state = Files.createTempDirectory("fuzz-files")
    val deadline =
      if (options.minutes.isInfinite) Long.MaxValue
      else System.currentTimeMillis() + (options.minutes * 60000).toLong
    val bounded = options.minutes.isInfinite && options.cases == Long.MaxValue
    val limits = Seq("--deadline", s"$deadline", "--state", s"$state") ++
      (if (bounded) Seq("--cases", "30000") else Nil)
    val tally = state.resolve("tally")
    var died = Seq.empty[String]
    var code = -1
    var deaths = 0
    while (code != 0 && deaths < 1000) {
      code = work(args ++ limits ++ died)
      if (code != 0) deaths += 1
      if (code != 0 && code != Worker.Stuck) {
        val (id, phase) = running(state.resolve("running"))
        println(
          s"the JVM ended with code $code, at case $id, in phase $phase (1: ours, 2: Spark's)"
        )
        if (phase == Watch.Idle) return 2
        died ++= Seq(if (phase == Watch.Ours) "--crashed" else "--fragile", s"$id")
      } else if (options.one.nonEmpty) {
        code = 0
      }
    }
    val counted = Tally.in(tally)
    println(s"\nseed ${options.seed}\n${counted.report(files = options.one.isEmpty)}")
    if (counted.forbidden > 0) 1 else 0
  }

  private def work(args: Seq[String]): Int = {
    val runtime = ManagementFactory.getRuntimeMXBean
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val command = Seq(java) ++ runtime.getInputArguments.asScala ++
      Seq("-cp", runtime.getClassPath, "latebloom.fuzz.files.Main", "--worker") ++ args
    new ProcessBuilder(command.asJava).inheritIO().start().waitFor()
  }

  private def running(notes: Path): (Long, Byte) = {
    val bytes = if (Files.exists(notes)) ByteBuffer.wrap(Files.readAllBytes(notes)) else null
    if (bytes == null || bytes.remaining < 9) (-1L, Watch.Idle)
    else (bytes.getLong(0), bytes.get(8))
  }
}
