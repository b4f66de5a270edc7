// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.joinkeys.KeysSubqueryExec
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates
import org.apache.spark.sql.functions.udf
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.scan.LateScan
import latebloom.testkit.RowGroups

/** Scans that begin before the keys of their join are known, and take them up on the way. The
  * creation side does not go on before the scan does, so a scan that waited would fail the query.
  */
class LateKeysSuite extends LateBloomTest with Eventually {
  import LateKeysSuite._

  private val listener = new SparkListener {
    override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
      case update: SparkListenerDriverAccumUpdates if update.accumUpdates.exists { case (id, _) =>
            keyCounts.contains(id)
          } =>
        gathered.countDown()
      case _ =>
    }
  }

  @volatile private var keyCounts = Set.empty[Long]

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.addSparkListener(listener)
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    spark.conf.set(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key, "-1")
    spark.udf.register("seen", udf((id: Long) => seeing(id)))
    spark.udf.register("once_seen", udf((k: Long) => waiting(k)))
    for (format <- Formats) {
      spark.range(0, Rows, 1, 1).selectExpr("id", "id % 100 k", "id % 7 l").write.format(format)
        .options(RowGroups.of(5000))
        .option("orc.stripe.row.count", "5000")
        .saveAsTable(s"${format}_fact")
      spark.range(0, 100, 1, 1).selectExpr("id k", "id % 10 few", "id % 7 l", "id % 3 own")
        .write.format(format).saveAsTable(s"${format}_dim")
    }
  }

  override def afterAll(): Unit =
    try {
      for (format <- Formats; table <- Seq("fact", "dim")) {
        spark.sql(s"drop table if exists ${format}_$table")
      }
    } finally super.afterAll()

  // Nothing tells the values of `own`: a condition on it is none on the application side.
  private def query(format: String, on: String, dim: String): DataFrame = spark.sql(
    s"select f.id, d.few from (select seen(id) id, k, l from ${format}_fact where id >= 0) f " +
      s"join ${format}_dim d on $on where once_seen(d.k + d.own) >= 0 and $dim"
  )

  private def theScan(df: DataFrame): LateScan = {
    val Seq(scan) = lateScans(df).filter(_.joinFilters.nonEmpty)
    scan
  }

  /** Runs the query off, then with keys that come while the scan runs, and looks at the scan. */
  private def late(on: String, dim: String, ways: Seq[Boolean] = Seq(true, false))(
      look: (LateScan, Long) => Unit
  ): Unit =
    for (adaptive <- ways; format <- Formats; patience <- Seq("0", "1")) {
      withSQLConf(
        SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive.toString,
        "spark.latebloom.join.patience" -> patience
      ) {
        begin(keysCome = false)
        val expected = off(query(format, on, dim).collect().toSet)
        assert(seen.get == Rows)
        begin(keysCome = true)
        val df = query(format, on, dim)
        keyCounts = nodes(df.queryExecution.executedPlan) {
          case keys: KeysSubqueryExec => keys.metrics("keys").id
        }.toSet
        assert(keyCounts.nonEmpty)
        val found = df.collect()
        assert(found.toSet == expected && found.length == expected.size)
        withClue(s"$format, adaptive: $adaptive\n${df.queryExecution.executedPlan}") {
          look(theScan(df), seen.get)
        }
      }
    }

  private def metric(scan: LateScan, counter: Counter) = scan.metrics(counter.key).value

  test("a running scan takes up the keys of its join when they come") {
    late("f.k = d.k", "d.few = 3") { (scan, seen) =>
      assert(metric(scan, Counter.JOIN_KEYS_LATE) > 0)
      assert(metric(scan, Counter.JOIN_ROWS_DROPPED) > Rows / 2)
      assert(seen < Rows / 2)
    }
  }

  test("keys of several columns come late, too") {
    late("f.k = d.k and f.l = d.l", "d.few = 3") { (scan, seen) =>
      assert(metric(scan, Counter.JOIN_KEYS_LATE) > 0)
      assert(metric(scan, Counter.JOIN_ROWS_DROPPED) > Rows / 2)
      assert(seen < Rows / 2)
    }
  }

  test("once the other side is known to be empty nothing more is read") {
    // Adaptive execution would end the scan's stage itself.
    late("f.k = d.k", "d.few + d.k = -5", Seq(false)) { (scan, seen) =>
      assert(metric(scan, Counter.ROWS_PRUNED) > Rows / 2)
      assert(seen < Rows / 2)
    }
  }

  test("when a query fails its keys are not gathered any longer") {
    for (adaptive <- Seq(true, false)) {
      withSQLConf(
        SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive.toString,
        "spark.latebloom.join.patience" -> "0"
      ) {
        begin(keysCome = false)
        failAt = 10
        try {
          val error = intercept[Exception](query("parquet", "f.k = d.k", "d.few = 3").collect())
          assert(
            Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null)
              .exists(_.getMessage.contains("on purpose"))
          )
          eventually(timeout(Span(20, Seconds))) {
            assert(spark.sparkContext.statusTracker.getActiveJobIds().isEmpty)
            assert(spark.sparkContext.statusTracker.getActiveStageIds().isEmpty)
          }
        } finally failAt = Long.MaxValue
      }
    }
  }
}

private object LateKeysSuite {
  private val Formats = Seq("parquet", "orc")
  private val Rows = 200000L

  /** After so many rows of the scan its creation side goes on. */
  private val Opening = 20000L

  private val seen = new AtomicLong
  @volatile private var open = new CountDownLatch(1)
  @volatile private var gathered = new CountDownLatch(1)
  @volatile private var come = false
  @volatile private var failAt = Long.MaxValue

  private def begin(keysCome: Boolean): Unit = {
    seen.set(0)
    come = keysCome
    open = new CountDownLatch(1)
    gathered = new CountDownLatch(if (keysCome) 1 else 0)
  }

  private def await(latch: CountDownLatch, what: String): Unit =
    if (!latch.await(60, TimeUnit.SECONDS)) sys.error(s"$what did not happen")

  /** What the scan's rows go through. */
  private def seeing(id: Long): Long = {
    val n = seen.incrementAndGet()
    if (n == failAt) sys.error("on purpose")
    if (n == Opening) open.countDown()
    if (n >= Opening) {
      await(gathered, "gathering the keys")
      // Time for the task to learn of them.
      if (come && n % 20 == 0 && gathered.getCount == 0 && n < Opening + 100000) Thread.sleep(1)
    }
    id
  }

  /** What the rows of the creation side go through. */
  private def waiting(k: Long): Long = {
    await(open, "reading the application side")
    k
  }
}
