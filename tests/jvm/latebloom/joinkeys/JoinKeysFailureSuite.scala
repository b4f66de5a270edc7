// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.Try

import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

import org.apache.spark.sql.functions.udf
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest

/** Queries whose creation side fails, or that are cancelled while keys are gathered. */
class JoinKeysFailureSuite extends LateBloomTest with Eventually {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    spark.range(2000).selectExpr("id", "id % 100 k").write.saveAsTable("fact")
    spark.range(100).selectExpr("id k", "id % 10 few").write.saveAsTable("dim")
    spark.udf.register("refuse", udf((k: Long) => if (k == 63) sys.error("no 63") else k))
    spark.udf.register(
      "refuse_while_told",
      udf((k: Long) => if (JoinKeysFailureSuite.refusing) sys.error("told to") else k)
    )
    spark.udf.register(
      "refuse_once",
      udf((k: Long) =>
        if (JoinKeysFailureSuite.refuseNext.getAndSet(false)) sys.error("once") else k
      )
    )
    spark.udf.register(
      "slow",
      udf { (k: Long) =>
        Thread.sleep(200)
        k
      }
    )
  }

  override def afterAll(): Unit =
    try Seq("fact", "dim").foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private def idle(): Unit = eventually(timeout(Span(20, Seconds))) {
    assert(spark.sparkContext.statusTracker.getActiveJobIds().isEmpty)
    assert(spark.sparkContext.statusTracker.getActiveStageIds().isEmpty)
  }

  private def causes(e: Throwable): Iterator[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null)

  private def eachWay(body: => Unit): Unit =
    for (adaptive <- Seq(true, false); broadcast <- Seq("10m", "-1")) {
      withSQLConf(
        SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive.toString,
        SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> broadcast
      ) {
        withClue(s"adaptive: $adaptive, broadcast below $broadcast: ")(body)
      }
    }

  private def query(dim: String) =
    spark.sql(s"select f.id from fact f join dim d on f.k = d.k where d.few = 3 and $dim")

  test("a creation side that fails fails the query, with its error, and leaves no job behind") {
    eachWay {
      val df = query("refuse(d.k) > 0")
      assert(lateScans(df).exists(_.joinFilters.nonEmpty))
      val error = intercept[Exception](df.collect())
      assert(causes(error).exists(_.getMessage == "no 63"))
      val vanilla = off(intercept[Exception](query("refuse(d.k) > 0").collect()))
      assert(error.getClass == vanilla.getClass)
      idle()
      checkAnswer(query("d.k < 50"), off(query("d.k < 50").collect().toSeq))
    }
  }

  test("a DataFrame whose creation side failed once recovers where it does without the filter") {
    eachWay {
      def twice() = {
        val df = query("refuse_while_told(d.k) > 0")
        JoinKeysFailureSuite.refusing = true
        intercept[Exception](df.collect())
        idle()
        JoinKeysFailureSuite.refusing = false
        (df, Try(df.collect().toSeq).toOption)
      }
      val (_, vanilla) = off(twice())
      val (df, rows) = twice()
      assert(lateScans(df).exists(_.joinFilters.nonEmpty))
      vanilla.foreach { expected =>
        assert(rows.isDefined)
        assert(rows.get.sortBy(_.getLong(0)) == expected.sortBy(_.getLong(0)))
      }
      idle()
    }
  }

  test("if gathering the keys fails, there is no filter and the query succeeds") {
    Seq(true, false).foreach { adaptive =>
      withSQLConf(
        SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive.toString,
        SQLConf.EXCHANGE_REUSE_ENABLED.key -> "false"
      ) {
        // The first to ask are the tasks that gather the keys: all others wait for them.
        val sql = "select f.id from fact f join (select few from dim where k > 90 and " +
          "refuse_once(few) = 3) d on f.k = d.few where d.few < 10"
        val expected = off {
          JoinKeysFailureSuite.refuseNext.set(false)
          spark.sql(sql).collect().toSeq
        }
        JoinKeysFailureSuite.refuseNext.set(true)
        val df = spark.sql(sql)
        assert(lateScans(df).exists(_.joinFilters.nonEmpty))
        val first = Try(df.collect().toSeq)
        // Where Spark's own side of the join met the refusal, the query has Spark's error.
        first.fold(
          e => assert(causes(e).exists(_.getMessage.contains("once"))),
          rows => assert(rows.toSet == expected.toSet)
        )
        checkAnswer(spark.sql(sql), expected)
        idle()
      }
    }
  }

  test("a query that is cancelled while keys are gathered leaves no job behind") {
    eachWay {
      val context = spark.sparkContext
      val df = query("slow(d.k) > 0")
      assert(lateScans(df).exists(_.joinFilters.nonEmpty))
      val running = Future {
        context.setJobGroup("slow keys", "", interruptOnCancel = true)
        try intercept[Exception](df.collect())
        finally context.clearJobGroup()
      }(ExecutionContext.global)
      eventually(timeout(Span(20, Seconds))) {
        assert(context.statusTracker.getJobIdsForGroup("slow keys").nonEmpty)
        assert(context.statusTracker.getActiveJobIds().nonEmpty)
      }
      context.cancelJobGroup("slow keys")
      Await.result(running, 30.seconds)
      idle()
    }
  }
}

private object JoinKeysFailureSuite {
  @volatile var refusing = false
  val refuseNext = new AtomicBoolean
}
