// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.io.File
import java.nio.file.{Files, StandardCopyOption}

import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import latebloom.read.task.Counter

/** Random rounds of changes to files, and of builds at random moments, between queries:
  * overwriting, appending, replacing in place by a file of equal length, removing, other schemas
  * and confs. No answer is stale.
  *
  * `LATEBLOOM_ROUNDS` sets how many rounds, `LATEBLOOM_SEED` where they begin.
  */
class IndexRoundsSuite extends IndexTest {

  private val conditions = Seq(
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

  private val confs = Seq(
    SQLConf.SESSION_LOCAL_TIMEZONE.key -> Seq("UTC", "Asia/Tokyo"),
    SQLConf.CASE_SENSITIVE.key -> Seq("false", "true"),
    SQLConf.ANSI_ENABLED.key -> Seq("true", "false"),
    SQLConf.FILES_MAX_PARTITION_BYTES.key -> Seq("128m", "8k"),
    "spark.latebloom.index.maxBytes" -> Seq("64m", "64m", "40k"),
    "spark.latebloom.cache.enabled" -> Seq("false", "true")
  )

  private val schemas = Seq(
    "k int, v long, s string, t timestamp, c int, n int",
    "k int, v long, s string, t timestamp, c int, n int, x int",
    "v long, K int, s string, t timestamp, C int, n int",
    "k long, v long, s string, t timestamp, c int, n int"
  )

  private val columns = Seq("k", "v", "s", "t", "c", "n")

  final private class Rounds(seed: Int, dir: File, folder: File, format: String) {
    private val random = new Random(seed)
    private var clock = System.currentTimeMillis() - 200 * 86400000L
    private var files = 0
    private val listed = scala.collection.mutable.Map.empty[String, DataFrame]
    private var chosen = Map.empty[String, String]
    private var schema = schemas.head
    var log: Seq[String] = Nil
    var leftOut = 0L

    private def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))

    /** Bytes of a file of so many rows; rows with the same count have the same length, most often.
      */
    private def make(rows: Int): File = {
      val to = new File(dir.getPath + "-made")
      val salt = random.nextInt(1 << 20)
      val keys = pick(Seq(100, 1000000))
      spark.range(0, rows, 1, 1)
        .selectExpr(
          s"cast(abs(hash(id + $salt)) % $keys as int) k",
          s"abs(hash(id * 3 + $salt)) % 100000L v",
          s"concat('s', 10 + abs(hash(id * 7 + $salt)) % 90) s",
          s"timestamp_seconds(${salt % 20} * 10000 + id) t",
          s"cast(id + ${salt % 3000} as int) c",
          s"cast(${if (salt % 3 == 0) "null" else s"${salt % 100}"} as int) n"
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
      put(make(500 + random.nextInt(3) * 500), new File(dir, f"part-$files%05d.$format"))
      listed.clear()
    }

    private def data: Seq[File] = dir.listFiles.toSeq.filter(_.getName.startsWith("part-"))

    private def table: DataFrame = spark.read.schema(schema).format(format).load(dir.getPath)

    private def change(): String = random.nextInt(10) match {
      case 0 | 1 => append(); "append"
      case 2     =>
        data.foreach(_.delete())
        (0 to random.nextInt(3)).foreach(_ => append())
        "overwrite"
      case 3 if data.size > 1 => pick(data).delete(); listed.clear(); "remove"
      case 4                  =>
        val (key, of) = pick(confs)
        chosen += key -> pick(of)
        s"$key = ${chosen(key)}"
      case 5                           => schema = pick(schemas); s"schema $schema"
      case 6 if random.nextInt(3) == 0 =>
        s"drop ${SkipIndexes.drop(spark, folder.getPath, Some(pick(data).getPath))}"
      case 6 | 7 =>
        val of = random.shuffle(columns).take(1 + random.nextInt(4))
        withSQLConf((chosen - SQLConf.CASE_SENSITIVE.key).toSeq: _*)(build(table, folder, of: _*))
        s"build $of"
      case _ =>
        val file = pick(data)
        val lengths = Iterator.continually(make(Seq(500, 1000)(random.nextInt(2)))).take(6)
        lengths.find(_.length == file.length) match {
          case Some(made) => put(made, file); "replace in place"
          case None       => append(); "append, for no file has the length"
        }
    }

    private def query(): Unit = {
      val condition = pick(conditions)
      val output = pick(Seq(Seq("v"), Seq("k", "v"), Seq("s", "t", "v"), Seq("*")))
      // A plan that was made before files were replaced in place reads what is there now.
      val caseSensitive = chosen.get(SQLConf.CASE_SENSITIVE.key).contains("true")
      // Its names are not those of the conditions.
      val as = if (caseSensitive && schema.contains("K")) schemas.head else schema
      val known = s"$condition $output $as ${chosen.toSeq.sorted}"
      def now = spark.read.schema(as).format(format).load(dir.getPath)
        .where(condition).selectExpr(output: _*)
      withSQLConf(chosen.toSeq :+ "spark.latebloom.index.path" -> folder.getPath: _*) {
        def attempt(df: => DataFrame) = scala.util.Try(df.collect().toSeq)
        val expected = off(attempt(now))
        val df = if (random.nextInt(3) == 0) listed.getOrElseUpdate(known, now) else now
        withClue(s"$format, seed $seed, $known\n${log.takeRight(20).mkString("\n")}\n") {
          if (expected.isSuccess) {
            checkAnswer(df, expected.get)
            assert(lateScans(df).nonEmpty)
            leftOut += lateScans(df).map(_.metrics(Counter.SPLITS_INDEXED.key).value).sum
          } else assert(attempt(df).isFailure)
        }
      }
    }

    def run(rounds: Int): Unit = {
      append()
      (1 to rounds).foreach { _ =>
        log :+= scala.util.Try(change()).recover {
          // Files of which the schema of the moment is not.
          case e: org.apache.spark.SparkException => s"failed: ${e.getMessage.take(80)}"
        }.get
        (0 to random.nextInt(3)).foreach(_ => query())
      }
    }
  }

  for (format <- formats)
    test(s"random rounds in $format with an index: no answer is stale") {
      withTempDir { root =>
        val dir = new File(root, "table")
        assert(dir.mkdir())
        val seed = fromEnvironment("LATEBLOOM_SEED", 1)
        val rounds = new Rounds(seed, dir, new File(root, "index"), format)
        rounds.run(fromEnvironment("LATEBLOOM_ROUNDS", 25))
        assert(rounds.leftOut > 0, rounds.log)
      }
    }
}
