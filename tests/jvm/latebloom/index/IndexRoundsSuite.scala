// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.io.File

import scala.util.Try

import org.apache.spark.SparkException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import latebloom.cache.RandomRounds
import latebloom.read.task.Counter

/** Queries with an index that is built and dropped at random moments. */
class IndexRoundsSuite extends IndexTest with RandomRounds {

  override protected val conditions: Seq[String] = Seq(
    "k = 7",
    "k in (3, 50) and v > 100",
    "k <=> 11",
    "v = 77",
    "v between 100 and 180",
    "s = 's7'",
    "s = 's55' or k = 11",
    "s > 's98'",
    "c between 2000 and 2300",
    "c < 900 and k > 50",
    "t = timestamp'1970-01-02 00:00:00'",
    "t < timestamp'1970-01-01 03:00:00'",
    "n is null and k < 5",
    "n > 95",
    "k + 1 = 40"
  )

  override protected val confs: Seq[(String, Seq[String])] = Seq(
    SQLConf.SESSION_LOCAL_TIMEZONE.key -> Seq("UTC", "Asia/Tokyo"),
    SQLConf.CASE_SENSITIVE.key -> Seq("false", "true"),
    SQLConf.ANSI_ENABLED.key -> Seq("true", "false"),
    SQLConf.FILES_MAX_PARTITION_BYTES.key -> Seq("128m", "8k"),
    "spark.latebloom.index.maxBytes" -> Seq("64m", "64m", "40k"),
    "spark.latebloom.cache.enabled" -> Seq("false", "true")
  )

  override protected val schemas: Seq[String] = Seq(
    "k int, v long, s string, t timestamp, c int, n int",
    "k int, v long, s string, t timestamp, c int, n int, x int",
    "v long, K int, s string, t timestamp, C int, n int",
    "k long, v long, s string, t timestamp, c int, n int"
  )

  final private class Indexed(dir: File, folder: File, format: String) extends Rounds(dir, format) {
    var leftOut = 0L

    override protected def sizes: Seq[Int] = Seq(500, 1000, 1500)

    override protected def columns(salt: Int): Seq[String] = Seq(
      s"cast(abs(hash(id + $salt)) % ${pick(Seq(100, 1000000))} as int) k",
      s"abs(hash(id * 3 + $salt)) % 100000L v",
      s"concat('s', 10 + abs(hash(id * 7 + $salt)) % 90) s",
      s"timestamp_seconds(${salt % 20} * 10000 + id) t",
      s"cast(id + ${salt % 3000} as int) c",
      s"cast(${if (salt % 3 == 0) "null" else s"${salt % 100}"} as int) n"
    )

    override protected val others: Seq[() => String] = Seq(drop _, index _, index _)

    private def drop(): String =
      s"drop ${SkipIndexes.drop(spark, folder.getPath, Some(pick(data).getPath))}"

    private def index(): String = {
      val of = random.shuffle(Seq("k", "v", "s", "t", "c", "n")).take(1 + random.nextInt(4))
      try {
        withSQLConf((chosen - SQLConf.CASE_SENSITIVE.key).toSeq: _*)(build(table, folder, of: _*))
        s"build $of"
      } catch {
        // Files of which the schema of the moment is not.
        case _: SparkException => s"build $of failed"
      }
    }

    override protected def compare(planned: => DataFrame, again: => DataFrame): Unit =
      withSQLConf("spark.latebloom.index.path" -> folder.getPath) {
        val expected = off(Try(again.collect().toSeq))
        val df = planned
        if (expected.isSuccess) {
          checkAnswer(df, expected.get)
          assert(lateScans(df).nonEmpty)
          leftOut += lateScans(df).map(_.metrics(Counter.SPLITS_INDEXED.key).value).sum
        } else assert(Try(df.collect()).isFailure)
      }
  }

  for (format <- formats)
    test(s"random rounds in $format with an index: no answer is stale") {
      withTempDir { root =>
        val dir = new File(root, "table")
        assert(dir.mkdir())
        val rounds = new Indexed(dir, new File(root, "index"), format)
        rounds.run(fromEnvironment("LATEBLOOM_ROUNDS", 25))
        assert(rounds.leftOut > 0, rounds.log)
      }
    }
}
