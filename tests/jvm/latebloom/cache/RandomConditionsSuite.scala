// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import java.io.File

import scala.util.Random

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.testkit.RowGroups

/** Random queries on files that stay the same, made of a few conditions that come again and again
  * in other company: of others, of the keys of joins, of a search for first rows, of a LIMIT. What
  * one query recorded of a condition, alone or with others, is never wrong in the next.
  *
  * `LATEBLOOM_CONDITION_QUERIES` says how many in each format, `LATEBLOOM_SEED` which.
  */
class RandomConditionsSuite extends LateBloomTest {
  import RandomConditionsSuite._

  private val seed = fromEnvironment("LATEBLOOM_SEED", 1)

  private def rest(dir: File): Unit =
    dir.listFiles.foreach(f => assert(f.setLastModified(System.currentTimeMillis() - 86400000L)))

  /** Two files; in each, stretches of a thousand rows and more without a certain value. */
  private def write(format: String, dir: File): Unit = {
    spark.range(0, 24000, 1, 2)
      .selectExpr(
        "id",
        // Rare values, each in some stretches.
        "cast(if(id % 4999 < 3, 7, id % 5) as int) k",
        "concat('s', cast(id / 1700 as int), if(hash(id) % 50 = 0, 'x', 'y')) s",
        "cast(id / 400 as int) day",
        "if(id % 3571 = 0, null, hash(id) % 1000) v",
        "cast(abs(hash(id, 1)) % 40 as int) f"
      )
      .write.format(format).options(RowGroups.of(5000))
      .option("parquet.page.row.count.limit", 500)
      .option("orc.stripe.row.count", 5000).option("orc.row.index.stride", 1000)
      .save(s"$dir/facts")
    spark.range(60).selectExpr("id d", "id % 6 week", "id % 40 f").write.format(format)
      .save(s"$dir/dims")
    for (table <- Seq("facts", "dims")) {
      rest(new File(s"$dir/$table"))
      spark.read.format(format).load(s"$dir/$table").createOrReplaceTempView(table)
    }
  }

  private def query(random: Random): String = {
    def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))
    val own = random.shuffle(Conditions).take(1 + random.nextInt(3))
    // A condition that is not on the facts alone supplies keys.
    val (from, joined) = random.nextInt(5) match {
      case 0 => ("facts join dims on day = d", Seq(s"week = ${random.nextInt(6)}"))
      case 1 => ("facts join dims on facts.f = dims.f", Seq(s"d < ${random.nextInt(60)}"))
      case 2 => ("facts left semi join dims on day = d and week > 3", Nil)
      case _ => ("facts", Nil)
    }
    val where = random.shuffle(own ++ joined).mkString(" and ")
    val rows = s"from $from where $where"
    random.nextInt(6) match {
      case 0 => s"select count(*), min(id), max(v) $rows"
      case 1 => s"select distinct day $rows"
      case 2 =>
        s"select id, ${pick(Seq("s", "v", "k"))} $rows order by id limit ${pick(Seq(1, 20))}"
      case 3 => s"select count(*) from (select id $rows limit ${pick(Seq(1, 3000))})"
      case _ => s"select id, s, v $rows"
    }
  }

  for (format <- Seq("parquet", "orc"))
    test(s"random conditions in $format: what is remembered of each holds for all") {
      PredicateCache.clear()
      withTempPath { dir =>
        write(format, dir)
        val random = new Random(seed)
        var remembered = 0L
        var answers = Map.empty[String, Seq[Row]]
        withSQLConf(
          "spark.latebloom.join.minScanBytes" -> "0",
          "spark.latebloom.join.rescanBytes" -> "1g",
          "spark.latebloom.topK.minScanBytes" -> "0",
          "spark.latebloom.topK.minSaved" -> "0",
          SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "10m"
        ) {
          for (n <- 1 to fromEnvironment("LATEBLOOM_CONDITION_QUERIES", 30)) {
            val sql = query(random)
            // Splits, and so what one task records, begin elsewhere.
            val split = Seq("1m", "40k", "97k")(random.nextInt(3))
            withSQLConf(SQLConf.FILES_MAX_PARTITION_BYTES.key -> split) {
              def now: DataFrame = spark.sql(sql)
              val expected = answers.getOrElse(sql, off(now.collect().toSeq))
              answers += sql -> expected
              withClue(s"query $n of seed $seed, splits of $split: $sql\n") {
                val df = now
                checkAnswer(df, expected)
                val scans = lateScans(df)
                // Adaptive execution drops a side of a join that meets nothing.
                assert(scans.nonEmpty || expected.isEmpty)
                remembered += scans.map(_.metrics(Counter.ROWS_REMEMBERED.key).value).sum
              }
            }
          }
        }
        assert(remembered > 0)
        val totals = PredicateCache.totals
        assert(totals.use.hits > totals.use.lookups / 5, totals)
      }
    }
}

private object RandomConditionsSuite {

  /** On the facts. */
  private val Conditions = Seq(
    "k = 7",
    "k in (7, 8)",
    "k > 5",
    "s like 's3%'",
    "s like '%x'",
    "s = 's3x'",
    "day between 10 and 19",
    "day between 15 and 24",
    "day >= 30",
    "v is null",
    "v > 995",
    "v + k = 3",
    "id % 2000 < 7",
    "(k = 7 or v > 997)"
  )
}
