// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task

import java.io.File
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.latebloom.{AfterTask, TaskProbe}
import org.apache.spark.{SparkException, TaskContext, TaskKilledException}

import latebloom.LateBloomTest
import latebloom.testkit.RowGroups

class ScanMemorySuite extends LateBloomTest {
  import ScanMemorySuite._

  private val formats = Seq("parquet", "orc")

  /** Eight row groups, or a few stripes, in one file; `k` is filter column and payload. */
  private def withData(format: String)(body: File => Unit): Unit = withTempPath { dir =>
    spark.range(0, 160000, 1, 1)
      .selectExpr("id", "id * 7 % 1000 k", "concat('text ', id * 7919 % 160001) s")
      .write
      .options(RowGroups.of(20000))
      .option("orc.stripe.row.count", "20000")
      .format(format).save(dir.getPath)
    body(dir)
  }

  private def selected(format: String, dir: File): DataFrame = {
    val df = spark.read.format(format).load(dir.getPath).where("k < 300 and s like '%7%'")
    assert(lateScans(df).size == 1, "tests nothing")
    df
  }

  private def metric(df: DataFrame, counter: Counter): Long =
    lateScans(df).map(_.metrics(counter.key).value).sum

  /** Runs `use` on the rows of the only task, and looks at what is held in it.
    *
    * @return
    *   the result of `use`, the memory held while it ran, and that held after the task
    */
  private def inTask[A: scala.reflect.ClassTag](df: DataFrame)(
      use: Iterator[InternalRow] => A
  ): (Option[A], Long, Long) = {
    during.set(0)
    after.set(-1)
    val atEnd = () => {
      after.accumulateAndGet(TaskProbe.heldOnHeap, math.max(_, _))
      ()
    }
    val rows = new AfterTask(df.queryExecution.toRdd, atEnd)
    assert(rows.getNumPartitions == 1)
    val watched = rows.mapPartitions { it =>
      Iterator.single(use(it.map { row =>
        during.accumulateAndGet(TaskProbe.heldOnHeap, math.max(_, _))
        row
      }))
    }
    val result =
      try Some(watched.collect().head)
      catch { case _: SparkException => None }
    (result, during.get, after.get)
  }

  test("the peak is what a row group takes, not what the file does") {
    formats.foreach { format =>
      withData(format) { dir =>
        val df = selected(format, dir)
        val rows = df.collect().length
        assert(rows > 10000)
        val peak = metric(df, Counter.PEAK_MEMORY)
        val fetched = metric(df, Counter.BYTES_FETCHED)
        withClue(s"$format: peak $peak, fetched $fetched") {
          assert(fetched > 300000)
          assert(peak > fetched / 8)
          // Pages or chunks decompressed, and three vectors of 4,096 rows.
          assert(peak < fetched / 2 + 4000000)
        }
      }
    }
  }

  test("columns are decompressed one after another into the same memory") {
    val columns = 60
    withTempPath { dir =>
      // A page of each column has 160 kB, of which next to nothing is left in the file.
      val numbers = (1 to columns).map(c => s"id div 1000 * $c c$c")
      spark.range(0, 20000, 1, 1).selectExpr("id" +: numbers: _*)
        .write
        .option("parquet.enable.dictionary", "false")
        .option("compression", "zstd")
        .parquet(dir.getPath)
      val lists = (1 to columns).map(c => s"array(id div 1000 * $c) l$c")
      spark.range(0, 20000, 1, 1).selectExpr("id" +: lists: _*)
        .write
        .option("parquet.enable.dictionary", "false")
        .option("compression", "zstd")
        .parquet(dir.getPath + "/lists")
      for (path <- Seq(dir.getPath, dir.getPath + "/lists")) {
        val df = spark.read.parquet(path).where("id % 1000 = 7")
        assert(df.collect().length == 20 && lateScans(df).size == 1)
        val vectors = 4096L * (8 + 1 + 8 + 8) * (columns + 1)
        val peak = metric(df, Counter.PEAK_MEMORY) - vectors
        assert(peak < 20 * 160000, s"of ${columns * 160000} decompressed")
      }
    }
  }

  test("a task has released everything when its rows have been read") {
    formats.foreach { format =>
      withData(format) { dir =>
        val (rows, held, left) = inTask(selected(format, dir))(_.size)
        assert(rows.exists(_ > 10000))
        assert(held > 100000 && left == 0, format)
      }
    }
  }

  test("a task that needs no more rows has released everything") {
    formats.foreach { format =>
      withData(format) { dir =>
        val (row, held, left) = inTask(selected(format, dir)) { it =>
          assert(it.hasNext)
          it.next().getLong(0)
        }
        assert(row.exists(_ >= 0))
        assert(held > 100000 && left == 0, format)
      }
    }
  }

  test("a killed task has released everything") {
    formats.foreach { format =>
      withData(format) { dir =>
        val (rows, held, left) = inTask(selected(format, dir)) { it =>
          var n = 0
          try
            while (it.hasNext) {
              it.next()
              n += 1
              // Spark runs a killed task again.
              if (n == 10 && TaskContext.get().attemptNumber() == 0) TaskProbe.kill()
            }
          catch {
            case e: TaskKilledException =>
              killedAt.set(n)
              throw e
          }
          n
        }
        assert(killedAt.get >= 10 && killedAt.get < 10000)
        assert(rows.exists(_ > 10000))
        assert(held > 100000 && left == 0, format)
      }
    }
  }

  test("a task that fails half-way has released everything") {
    formats.foreach { format =>
      withData(format) { dir =>
        val file = dir.listFiles().find(_.getName.endsWith(format)).get
        val bytes = Files.readAllBytes(file.toPath)
        for (i <- bytes.length / 2 until bytes.length * 3 / 4) bytes(i) = (bytes(i) ^ 0x5a).toByte
        Files.write(file.toPath, bytes)
        new File(dir, s".${file.getName}.crc").delete()
        val (rows, held, left) = inTask(selected(format, dir))(_.size)
        assert(rows.isEmpty, format)
        assert(held > 100000 && left == 0, format)
      }
    }
  }

  test("where memory is short, the answer is the same and no operator is asked to spill") {
    formats.foreach { format =>
      withData(format) { dir =>
        val expected = off(spark.read.format(format).load(dir.getPath)
          .where("k < 300 and s like '%7%'").selectExpr("sum(id)").head().getLong(0))
        for (left <- Seq(0L, 1L, 100000L, 1000000L)) {
          val df = selected(format, dir)
          val (sum, held, end) = inTask(df) { it =>
            val spills = TaskProbe.takeAllBut(left)
            val sum = it.map(_.getLong(0)).sum
            assert(spills() == 0)
            sum
          }
          assert(sum.contains(expected), s"$format with $left bytes")
          assert(held > 0 && end == 0)
          assert(metric(df, Counter.PEAK_MEMORY) > 100000)
        }
      }
    }
  }

  test("operators of the task get the memory they ask for, as if the scan held none") {
    formats.foreach { format =>
      withData(format) { dir =>
        val (taken, held, left) = inTask(selected(format, dir)) { it =>
          it.take(10).size
          TaskProbe.takeAll()
        }
        assert(
          taken.exists { case (got, others) => got > 1000000 && others == 0 },
          s"$format $taken"
        )
        assert(held > 100000 && left == 0, format)
      }
    }
  }

  test("many tasks at once, of several queries, give the right answers and leave nothing behind") {
    formats.foreach { format =>
      withTempPath { dir =>
        spark.range(0, 60000, 1, 12)
          .selectExpr("id", "id * 7 % 1000 k", "concat('text ', id) s")
          .write.format(format).save(dir.getPath)
        withSQLConf("spark.sql.files.maxPartitionBytes" -> "20000") {
          def sum(q: Int) = spark.read.format(format).load(dir.getPath)
            .where(s"k < ${q * 100} and s like '%7%'")
            .groupBy("k").count().selectExpr("sum(count)").head().getLong(0)
          val queries = (1 to 4).toList
          val expected = off(queries.map(sum))
          assert(Await.result(Future.traverse(queries)(q => Future(sum(q))), 5.minutes) == expected)
        }
      }
    }
    assert(TaskProbe.heldOnHeap == 0)
  }
}

object ScanMemorySuite {

  /** Memory held while rows came, and after the task ended; tasks run in this JVM. */
  private val during = new AtomicLong
  private val after = new AtomicLong

  /** Rows that a killed task had read. */
  private val killedAt = new AtomicLong
}
