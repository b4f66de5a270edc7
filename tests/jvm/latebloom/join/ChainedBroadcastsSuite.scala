// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import java.io.File
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.{Executors, TimeUnit}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.SparkSession

import latebloom.LateBloomExtensions
import latebloom.inspect.PlanNodes
import latebloom.scan.LateScan

/** Broadcasts that wait for each other's keys, with two threads for broadcasts: Spark fixes that
  * number for the life of a process, so this is a separate one.
  */
class ChainedBroadcastsSuite extends AnyFunSuite {

  test("four queries at once, whose broadcasts filter each other, end with two threads for them") {
    val directory = Files.createTempDirectory("chained")
    val log = directory.resolve("log").toFile
    val command = Seq(
      Paths.get(sys.props("java.home"), "bin", "java").toString,
      "-Xmx1g",
      "-Dlog4j2.configurationFile=" + sys.props("log4j2.configurationFile"),
      "-cp",
      sys.props("java.class.path")
    ) ++ opens ++ Seq(ChainedBroadcasts.getClass.getName.stripSuffix("$"), directory.toString)
    val process = new ProcessBuilder(command.asJava)
      .redirectErrorStream(true)
      .redirectOutput(log)
      .start()
    try {
      val ended = process.waitFor(4, TimeUnit.MINUTES)
      val said = Files.readString(log.toPath)
      assert(ended, s"it hangs after:\n$said")
      assert(process.exitValue() == 0, said)
      assert(said.contains("filtered by another broadcast: true"))
    } finally {
      process.destroyForcibly()
      JavaUtils.deleteRecursively(directory.toFile)
    }
  }

  /** The `--add-opens` options of this process, which Spark needs. */
  private def opens: Seq[String] = java.lang.management.ManagementFactory.getRuntimeMXBean
    .getInputArguments.asScala.toSeq.filter(_.startsWith("--add-opens"))
}

/** Runs the same query four times at once: the next broadcast filters each of four. Then one whose
  * broadcasts also wait for a subquery.
  */
object ChainedBroadcasts {

  def main(args: Array[String]): Unit = {
    val data = Paths.get(args(0))
    val spark = SparkSession.builder()
      .master("local[2]")
      .config("spark.sql.extensions", classOf[LateBloomExtensions].getName)
      .config("spark.sql.broadcastExchange.maxThreadThreshold", "2")
      // A scan below a broadcast waits a quarter of it for keys: longer than this process may take.
      .config("spark.sql.broadcastTimeout", "3600")
      .config("spark.latebloom.join.minScanBytes", "0")
      .config("spark.sql.warehouse.dir", data.resolve("warehouse").toString)
      .config("spark.ui.enabled", "false")
      .getOrCreate()
    write(spark, data)
    check(spark, chained, atOnce = 4)
    check(spark, withSubquery, atOnce = 1)
    val filtered = PlanNodes.all(spark.sql(chained).queryExecution.executedPlan).exists {
      case s: LateScan =>
        s.relation.location.rootPaths.head.getName == "d" && s.joinFilters.nonEmpty
      case _ => false
    }
    println(s"filtered by another broadcast: $filtered")
    spark.stop()
    sys.exit(0)
  }

  private val tables = Seq("d", "e", "f", "g")

  private def write(spark: SparkSession, data: Path): Unit = {
    def save(table: String, columns: String*) = {
      val path = new File(data.toFile, table).toString
      spark.range(3000).selectExpr(columns: _*).write.parquet(path)
      spark.read.parquet(path).createOrReplaceTempView(table)
    }
    save("t", "id", "id % 100 d_key")
    tables.foreach(t => save(t, s"id ${t}_id", "id % 50 next", "id % 9 few"))
  }

  private def check(spark: SparkSession, query: String, atOnce: Int): Unit = {
    def count() = spark.sql(query).head().getLong(0)
    spark.conf.set("spark.latebloom.enabled", "false")
    val expected = count()
    spark.conf.set("spark.latebloom.enabled", "true")
    Seq("true", "false").foreach { adaptive =>
      spark.conf.set("spark.sql.adaptive.enabled", adaptive)
      val threads = Executors.newFixedThreadPool(atOnce)
      val counts = (1 to atOnce).map(_ => threads.submit(() => count())).map(_.get)
      threads.shutdown()
      require(counts.forall(_ == expected), s"$counts, not $expected")
      println(s"$atOnce ended, adaptive $adaptive")
    }
  }

  private def chained =
    "select /*+ broadcast(d), broadcast(e), broadcast(f), broadcast(g) */ count(*) from t " +
      "join d on t.d_key = d.d_id join e on d.next = e.e_id join f on e.next = f.f_id " +
      "join g on f.next = g.g_id where g.few = 3 and d.few < 8 and e.few < 8 and f.few < 8"

  /** Spark's own wait takes the thread that ours leaves: `e` waits for a subquery, which needs a
    * broadcast that is queued behind `d`, and `d` waits for the keys of `e`. Two such queries at
    * once are too many for Spark alone.
    */
  private def withSubquery =
    "select /*+ broadcast(d), broadcast(e) */ count(*) from t join d on t.d_key = d.d_id join (" +
      "select e_id + (select /*+ broadcast(g) */ max(f.few) from f join g on f.next = g.g_id " +
      "where g.few = 3) e_key from e where few = 5) e on d.next = e.e_key where d.few < 8"
}
