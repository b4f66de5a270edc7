// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import java.io.File
import java.nio.file.{Files, StandardCopyOption}

import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest

/** Random rounds of changes to files between repeated queries: overwriting, appending, replacing in
  * place by a file of equal length, removing, other schemas and confs. No answer is stale.
  *
  * `LATEBLOOM_ROUNDS` sets how many rounds, `LATEBLOOM_SEED` where they begin.
  */
class RandomRoundsSuite extends LateBloomTest {

  private val conditions = Seq(
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
    "cast(t as string) like '%09:%'"
  )

  private val confs = Seq(
    SQLConf.SESSION_LOCAL_TIMEZONE.key -> Seq("UTC", "Asia/Tokyo", "America/New_York"),
    SQLConf.CASE_SENSITIVE.key -> Seq("false", "true"),
    SQLConf.ANSI_ENABLED.key -> Seq("true", "false"),
    SQLConf.PARQUET_FILTER_PUSHDOWN_ENABLED.key -> Seq("true", "false"),
    "spark.latebloom.cache.maxBytes" -> Seq("64m", "2k")
  )

  private val schemas = Seq(
    "k int, v long, s string, t timestamp, c int",
    "k int, v long, s string, t timestamp, c int, n int",
    "v long, K int, s string, t timestamp, C int",
    "k int, w long, v long, s string, t timestamp, c int"
  )

  final private class Rounds(seed: Int, dir: File, format: String) {
    private val random = new Random(seed)
    private var clock = System.currentTimeMillis() - 200 * 86400000L
    private var files = 0
    private val listed = scala.collection.mutable.Map.empty[String, DataFrame]
    private var chosen = Map.empty[String, String]
    private var schema = schemas.head
    var log: Seq[String] = Nil

    private def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))

    /** Bytes of a file of so many rows; rows with the same count have the same length, most often.
      */
    private def make(rows: Int): File = {
      val to = new File(dir.getPath + "-made")
      val salt = random.nextInt(1 << 20)
      spark.range(0, rows, 1, 1)
        .selectExpr(
          s"cast(abs(hash(id + $salt)) % 100 as int) k",
          s"abs(hash(id * 3 + $salt)) % 10000L v",
          s"concat('s', 10 + abs(hash(id * 7 + $salt)) % 90) s",
          s"timestamp_seconds(abs(hash(id * 5 + $salt)) % 200000) t",
          s"cast(id + ${salt % 3000} as int) c"
        )
        .write.mode("overwrite").option("compression", "none")
        .option("parquet.enable.dictionary", "false").format(format).save(to.getPath)
      to.listFiles.find(_.getName.startsWith("part-")).get
    }

    private def put(made: File, into: File): Unit = {
      Files.copy(made.toPath, into.toPath, StandardCopyOption.REPLACE_EXISTING)
      new File(into.getParentFile, s".${into.getName}.crc").delete()
      // One in four has not rested yet.
      if (random.nextInt(4) > 0) {
        clock += 1
        assert(into.setLastModified(clock))
      }
    }

    private def append(): Unit = {
      files += 1
      put(make(500 + random.nextInt(3) * 1500), new File(dir, f"part-$files%05d.$format"))
      listed.clear()
    }

    private def data: Seq[File] = dir.listFiles.toSeq.filter(_.getName.startsWith("part-"))

    private def change(): String = random.nextInt(8) match {
      case 0 | 1 => append(); "append"
      case 2     =>
        data.foreach(_.delete())
        (0 to random.nextInt(3)).foreach(_ => append())
        "overwrite"
      case 3 if data.size > 1 => pick(data).delete(); listed.clear(); "remove"
      case 4                  =>
        val (key, values) = pick(confs)
        chosen += key -> pick(values)
        s"$key = ${chosen(key)}"
      case 5 =>
        schema = pick(schemas)
        s"schema $schema"
      case _ =>
        val file = pick(data)
        val lengths = Iterator.continually(make(Seq(500, 2000, 3500)(random.nextInt(3)))).take(12)
        lengths.find(_.length == file.length) match {
          case Some(made) => put(made, file); "replace in place"
          case None       => append(); "append, for no file has the length"
        }
    }

    private def query(): Unit = {
      val condition = pick(conditions)
      val columns = pick(Seq(Seq("v"), Seq("k", "v"), Seq("s", "t", "v"), Seq("*")))
      // A plan that was made before files were replaced in place reads what is there now.
      val caseSensitive = chosen.get(SQLConf.CASE_SENSITIVE.key).contains("true")
      // Its names are not those of the conditions.
      val as = if (caseSensitive && schema.contains("K")) schemas.head else schema
      val known = s"$condition $columns $as ${chosen.toSeq.sorted}"
      def now = spark.read.schema(as).format(format).load(dir.getPath)
        .where(condition).selectExpr(columns: _*)
      withSQLConf(chosen.toSeq: _*) {
        val expected = off(now.collect().toSeq)
        val df = if (random.nextInt(3) == 0) listed.getOrElseUpdate(known, now) else now
        withClue(s"$format, seed $seed, $known\n${log.takeRight(20).mkString("\n")}\n") {
          checkAnswer(df, expected)
          assert(lateScans(df).nonEmpty)
          // With what the first run has told.
          checkAnswer(now, expected)
        }
      }
    }

    def run(rounds: Int): Unit = {
      append()
      (1 to rounds).foreach { _ =>
        log :+= change()
        (0 to random.nextInt(3)).foreach(_ => query())
      }
    }
  }

  for (format <- Seq("parquet", "orc"))
    test(s"random rounds in $format: no answer is stale") {
      PredicateCache.clear()
      withTempDir { dir =>
        val seed = fromEnvironment("LATEBLOOM_SEED", 1)
        new Rounds(seed, dir, format).run(fromEnvironment("LATEBLOOM_ROUNDS", 15))
        val totals = PredicateCache.totals
        assert(totals.use.hits > totals.use.lookups / 10 && totals.use.rows > 0, totals)
      }
    }
}
