// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task

import java.io.File
import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.IntFunction
import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.latebloom.TaskProbe
import org.apache.spark.{SparkException, TaskContext, TaskKilledException}

import latebloom.LateBloomTest
import latebloom.read.io.{FileBytes, RangeFetcher, StoreSpeed}

/** A killed task ends soon: a function of the query, evaluated in the scan, kills its task and
  * counts later evaluations.
  */
class RunningTaskSuite extends LateBloomTest {
  import RunningTaskSuite._

  private val rows = 200000

  /** One row group of one page a column, or one stripe without strides. */
  private def withData(format: String, dictionary: Boolean)(body: File => Unit): Unit =
    withTempPath { dir =>
      spark.range(0, rows, 1, 1)
        .selectExpr("id", "concat('text ', id * 7919 % 200003) s", "named_struct('x', id) t")
        .write
        .option("parquet.enable.dictionary", dictionary.toString)
        .option("parquet.dictionary.page.size", "100000000")
        .option("parquet.page.size", "100000000")
        .option("parquet.page.row.count.limit", "1000000")
        .option("orc.dictionary.key.threshold", if (dictionary) "1" else "0")
        .option("orc.row.index.stride", "0")
        .format(format).save(dir.getPath)
      body(dir)
    }

  test("a kill ends the wait for answers") {
    // Spark runs a killed task again.
    val attempts = spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
      val attempt = TaskContext.get().attemptNumber()
      if (attempt == 0) askSilent()
      attempt
    }
    assert(attempts.collect().toSeq == Seq(1))
  }

  for {
    format <- Seq("parquet", "orc")
    dictionary <- Seq(true, false)
    column <- Seq("s", "id", "t.x", "id + t.x")
  } test(
    s"a kill within $column of $format ${if (dictionary) "with" else "without"} dictionaries"
  ) {
    withData(format, dictionary) { dir =>
      begun.set(0)
      val value = if (column == "id + t.x") col("id") + col("t.x") else col(column)
      val df = spark.read.format(format).load(dir.getPath)
        .where(killer(value.cast("string"))).select("id")
      assert(lateScans(df).size == 1, "tests nothing")
      val failure = intercept[SparkException](df.collect())
      val causes = Iterator.iterate[Throwable](failure)(_.getCause).takeWhile(_ != null)
      assert(causes.exists(_.isInstanceOf[TaskKilledException]), failure)
      // At most a batch of Spark's own reader later.
      assert(begun.get >= KillAt && begun.get <= KillAt + 4096, s"of $rows values")
    }
  }
}

object RunningTaskSuite {

  /** A store that never answers, and kills the task that asks it. */
  private object Silent extends FileBytes {
    override def vectored: Boolean = true

    override def asynchronous: Boolean = true

    override def readFully(offset: Long, into: Array[Byte], length: Int): Unit =
      throw new UnsupportedOperationException

    override def read(
        ranges: JavaList[FileBytes.Range],
        allocate: IntFunction[ByteBuffer]
    ): JavaList[CompletableFuture[ByteBuffer]] = {
      TaskProbe.kill()
      ranges.asScala.map(_ => new CompletableFuture[ByteBuffer]).asJava
    }
  }

  private def askSilent(): Unit = {
    val counters = new Counters
    val memory = new ScanMemory(counters)
    val ranges = Seq(0L, 500L).map(from => new RangeFetcher.WantedRange(from, 10, (_, _, _) => ()))
    try new RangeFetcher(Silent, 1000, 0, new StoreSpeed, memory, counters)
        .fetch(ranges.asJava)
    finally memory.close()
  }

  private val KillAt = 5000

  /** Values that were evaluated; tasks run in this JVM. */
  private val begun = new AtomicInteger

  private val killer: UserDefinedFunction = udf { (_: String) =>
    if (begun.incrementAndGet() == KillAt) TaskProbe.kill()
    true
  }
}
