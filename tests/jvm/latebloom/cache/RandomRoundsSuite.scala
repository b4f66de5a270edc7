// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import java.io.File

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

/** Repeated queries, the first of which tells which rows survive. */
class RandomRoundsSuite extends RandomRounds {

  override protected val conditions: Seq[String] = Seq(
    "k = 7",
    "k > 90",
    "k > 95",
    "k between 20 and 22",
    "k in (3, 50)",
    "k = 3",
    "k > 90 and v < 1000",
    "v = 77",
    "c between 2000 and 2300",
    "c between 2100 and 2200 and k > 50",
    "c < 900",
    "k + 1 = 40",
    "s like '%9'",
    "s = 's7' or k = 11",
    "s > 's98'",
    "date_trunc('day', t) = timestamp'1970-01-02 00:00:00'",
    "cast(t as string) like '%09:%'",
    // One of the conditions stays, and the other changes.
    "v = 77 and c < 900",
    "v = 77 and c between 700 and 1600",
    "c between 700 and 1600 and s = 's73'",
    "s = 's73' and c > 1000",
    "s = 's73' and k < 50 and v < 5000",
    "k < 50 and v = 78"
  )

  override protected val confs: Seq[(String, Seq[String])] = Seq(
    SQLConf.SESSION_LOCAL_TIMEZONE.key -> Seq("UTC", "Asia/Tokyo", "America/New_York"),
    SQLConf.CASE_SENSITIVE.key -> Seq("false", "true"),
    SQLConf.ANSI_ENABLED.key -> Seq("true", "false"),
    SQLConf.PARQUET_FILTER_PUSHDOWN_ENABLED.key -> Seq("true", "false"),
    "spark.latebloom.cache.maxBytes" -> Seq("64m", "2k")
  )

  override protected val schemas: Seq[String] = Seq(
    "k int, v long, s string, t timestamp, c int",
    "k int, v long, s string, t timestamp, c int, n int",
    "v long, K int, s string, t timestamp, C int",
    "k int, w long, v long, s string, t timestamp, c int"
  )

  final private class Repeated(dir: File, format: String) extends Rounds(dir, format) {

    override protected def sizes: Seq[Int] = Seq(500, 2000, 3500)

    override protected def columns(salt: Int): Seq[String] = Seq(
      s"cast(abs(hash(id + $salt)) % 100 as int) k",
      s"abs(hash(id * 3 + $salt)) % 10000L v",
      s"concat('s', 10 + abs(hash(id * 7 + $salt)) % 90) s",
      s"timestamp_seconds(abs(hash(id * 5 + $salt)) % 200000) t",
      s"cast(id + ${salt % 3000} as int) c"
    )

    override protected def compare(planned: => DataFrame, again: => DataFrame): Unit = {
      val expected = off(again.collect().toSeq)
      val df = planned
      checkAnswer(df, expected)
      assert(lateScans(df).nonEmpty)
      // With what the first run has told.
      checkAnswer(again, expected)
    }
  }

  for (format <- Seq("parquet", "orc"))
    test(s"random rounds in $format: no answer is stale") {
      PredicateCache.clear()
      withTempDir { dir =>
        new Repeated(dir, format).run(fromEnvironment("LATEBLOOM_ROUNDS", 15))
        val totals = PredicateCache.totals
        assert(totals.use.hits > totals.use.lookups / 10 && totals.use.rows > 0, totals)
      }
    }
}
