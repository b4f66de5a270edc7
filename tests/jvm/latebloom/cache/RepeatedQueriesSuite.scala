// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import java.io.File
import java.nio.file.{Files, StandardCopyOption}

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest
import latebloom.read.io.MetadataCache
import latebloom.read.task.Counter
import latebloom.testkit.SlowFileSystem

/** What one query learns of a file, the next one uses, as long as the file is the same. */
class RepeatedQueriesSuite extends LateBloomTest {

  private val formats = Seq("parquet", "orc")

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    PredicateCache.clear()
  }

  private def dataFiles(dir: File): Seq[File] =
    dir.listFiles.toSeq.filter(f => f.isFile && f.getName.startsWith("part-")).sortBy(_.getName)

  private var clock = System.currentTimeMillis() - 86400000L

  /** Makes files look as if they had rested, each state of one with a time of its own. */
  private def rest(dir: File): Unit = dataFiles(dir).foreach { f =>
    clock += 2000
    assert(f.setLastModified(clock))
  }

  /** Writes 60,000 rows in four files, with few 7s in `k`. */
  private def write(dir: File, format: String, sevens: String): Unit =
    spark.range(0, 60000, 1, 4)
      .selectExpr(
        "id",
        s"cast(if(id in ($sevens), 7, if(id % 10 = 7, 3, id % 10)) as int) k",
        "concat('s', id % 1000) s",
        "cast(id / 1000 as int) day"
      )
      .write.mode("overwrite").format(format)
      .option("parquet.enable.dictionary", "false").option("compression", "none")
      .save(dir.getPath)

  /** With all 7s in two files. */
  private def write(dir: File, format: String): Unit = {
    write(dir, format, "100, 101, 20000")
    rest(dir)
  }

  private def inEach(body: (File, String) => Unit): Unit = formats.foreach { format =>
    withClue(format) {
      withTempPath { dir =>
        write(dir, format)
        body(dir, format)
      }
    }
  }

  private def run(df: DataFrame): Map[Counter, Long] = {
    df.collect()
    counted(df)
  }

  private def same(query: => DataFrame): DataFrame = {
    def sorted(df: DataFrame) = df.collect().map(_.toString).sorted.toSeq
    val expected = off(sorted(query))
    val df = query
    assert(sorted(df) == expected)
    df
  }

  /** What the scans of a plan that has run have counted. */
  private def counted(df: DataFrame): Map[Counter, Long] = {
    val scans = lateScans(df)
    assert(scans.nonEmpty, df.queryExecution.executedPlan)
    Counter.values.map(c => c -> scans.map(_.metrics(c.key).value).sum).toMap
  }

  test("the second run opens only the splits with survivors, and reads only their blocks") {
    inEach { (dir, format) =>
      def query = spark.read.format(format).load(dir.getPath).where("k = 7").select("id", "s")
      val first = counted(same(query))
      assert(first(Counter.SPLITS_REMEMBERED) == 0 && first(Counter.ROWS_REMEMBERED) == 0)
      val second = run(query)
      assert(second(Counter.SPLITS_REMEMBERED) == 2)
      assert(second(Counter.ROWS_REMEMBERED) > 20000)
      assert(second(Counter.VALUES_DECODED) < first(Counter.VALUES_DECODED) / 4)
      assert(second(Counter.BYTES_FETCHED) < first(Counter.BYTES_FETCHED))
      same(query)
      val totals = PredicateCache.totals
      assert(totals.conditions == 1 && totals.files == 4 && totals.use.hits >= 2)
      assert(totals.use.splits >= 2 && totals.use.rows > 20000 && totals.bytes < 5000)
      PredicateCache.clear()
    }
  }

  test("a narrower condition, and other columns, begin where the wider one ended") {
    inEach { (dir, format) =>
      def table = spark.read.format(format).load(dir.getPath)
      counted(same(table.where("k in (7, 70)").select("id")))
      val narrower = same(table.where("k = 7 and s = 's100'").groupBy("day").count())
      assert(counted(narrower)(Counter.SPLITS_REMEMBERED) > 0)
      val wider = counted(same(table.where("k in (7, 70, 700)").select("s")))
      assert(wider(Counter.SPLITS_REMEMBERED) == 0)
      val other = same(table.where("k in (7, 70)").agg("id" -> "max"))
      assert(counted(other)(Counter.SPLITS_REMEMBERED) > 0)
      PredicateCache.clear()
    }
  }

  test("a LIMIT records nothing of the rows that it did not come to") {
    inEach { (dir, format) =>
      def table = spark.read.format(format).load(dir.getPath).where("s = 's999'")
      assert(table.limit(1).collect().length == 1)
      same(table.select("id"))
      same(table.orderBy("id").limit(3))
      same(table.select("id"))
      PredicateCache.clear()
    }
  }

  test("the keys of a join are part of the condition") {
    inEach { (dir, format) =>
      spark.read.format(format).load(dir.getPath).createOrReplaceTempView("fact")
      // Stored, so that Spark infers no condition on the other side.
      val days = new File(dir, "_days").getPath
      spark.range(60).selectExpr("id day", "id % 10 d").write.format(format).save(days)
      spark.read.format(format).load(days).createOrReplaceTempView("dim")
      def query(day: Int) = spark.sql(
        s"""select f.id, f.s from fact f join dim on f.day = dim.day
           |where dim.d = $day and f.s like 's1%'""".stripMargin
      )
      withSQLConf(
        "spark.latebloom.join.minScanBytes" -> "0",
        "spark.latebloom.join.rescanBytes" -> "1g",
        SQLConf.DYNAMIC_PARTITION_PRUNING_ENABLED.key -> "false"
      ) {
        counted(same(query(3)))
        val again = same(query(3))
        assert(lateScans(again).exists(_.joinFilters.nonEmpty))
        assert(run(query(3))(Counter.ROWS_REMEMBERED) > 0)
        same(query(4))
        same(query(3))
      }
      PredicateCache.clear()
    }
  }

  test("what one condition leaves out holds next to others: other days, other keys") {
    inEach { (dir, format) =>
      def sevens(days: String) =
        spark.read.format(format).load(dir.getPath).where(s"k = 7 and $days").select("id", "s")
      counted(same(sevens("day between 0 and 29")))
      assert(counted(same(sevens("day between 10 and 39")))(Counter.ROWS_REMEMBERED) > 20000)
      // Of the files that the days ruled out nothing was said.
      assert(counted(same(sevens("day >= 30")))(Counter.SPLITS_REMEMBERED) == 0)
      PredicateCache.clear()

      spark.read.format(format).load(dir.getPath).createOrReplaceTempView("fact")
      val days = new File(dir, "_days").getPath
      spark.range(60).selectExpr("id day", "id % 10 d").write.format(format).save(days)
      spark.read.format(format).load(days).createOrReplaceTempView("dim")
      def joined(day: Int, condition: String) = spark.sql(
        s"select f.id, f.s from fact f join dim on f.day = dim.day where dim.d = $day and $condition"
      )
      withSQLConf(
        "spark.latebloom.join.minScanBytes" -> "0",
        "spark.latebloom.join.rescanBytes" -> "1g",
        SQLConf.DYNAMIC_PARTITION_PRUNING_ENABLED.key -> "false"
      ) {
        val first = same(joined(0, "f.k = 7"))
        assert(lateScans(first).exists(_.joinFilters.nonEmpty))
        assert(run(joined(5, "f.k = 7"))(Counter.ROWS_REMEMBERED) > 40000)
        same(joined(0, "f.k = 3"))
        same(joined(5, "f.k = 7"))
        same(joined(5, "f.s = 's20'"))
        same(joined(0, "f.k in (7, 3)"))
      }
      PredicateCache.clear()
    }
  }

  test("a search by a bound tells what its conditions left out") {
    inEach { (dir, format) =>
      def sevens = spark.read.format(format).load(dir.getPath).where("k = 7")
      withSQLConf(
        "spark.latebloom.topK.minScanBytes" -> "0",
        "spark.latebloom.topK.minSaved" -> "0"
      ) {
        def first = sevens.orderBy("s").limit(2)
        assert(lateScans(same(first)).exists(_.topRows.nonEmpty))
        assert(run(sevens.select("id"))(Counter.ROWS_REMEMBERED) > 40000)
        same(first)
      }
      PredicateCache.clear()
    }
  }

  /** Writes a file of the same length with other values in place of the first one. */
  private def replaceFirst(dir: File, format: String): Unit = withTempPath { other =>
    val file = dataFiles(dir).head
    write(other, format, "5220, 5221, 25120")
    val made = dataFiles(other).head
    assert(made.length == file.length)
    Files.copy(made.toPath, file.toPath, StandardCopyOption.REPLACE_EXISTING)
    new File(dir, s".${file.getName}.crc").delete()
  }

  test("a file that was replaced by one of the same length is read anew") {
    inEach { (dir, format) =>
      def query = spark.read.format(format).load(dir.getPath).where("k = 7").select("id")
      counted(same(query))
      val listedBefore = query
      replaceFirst(dir, format)
      rest(dir)
      // One that was listed before knows another time; Spark reads what is there now.
      val before = same(query)
      assert(rows(listedBefore) == rows(before))
      assert(counted(same(query))(Counter.SPLITS_REMEMBERED) > 0, "learnt anew")
      PredicateCache.clear()
    }
  }

  test("a plan that runs again looks again whether files have changed") {
    inEach { (dir, format) =>
      def query = spark.read.format(format).load(dir.getPath).where("k = 7").select("id")
      counted(same(query))
      val twice = query
      val first = rows(twice)
      replaceFirst(dir, format)
      rest(dir)
      val second = twice.collect().toSet
      assert(second != first && second == off(rows(query)))
      PredicateCache.clear()
    }
  }

  test("nothing is remembered of a file that was written a moment ago") {
    inEach { (dir, format) =>
      dataFiles(dir).foreach(f => assert(f.setLastModified(System.currentTimeMillis() + 60000)))
      def query = spark.read.format(format).load(dir.getPath).where("k = 7").select("id")
      counted(same(query))
      assert(counted(same(query))(Counter.SPLITS_REMEMBERED) == 0)
      assert(PredicateCache.totals.files == 0)
    }
  }

  test("confs: off, and a limit that nothing fits in") {
    inEach { (dir, format) =>
      def query = spark.read.format(format).load(dir.getPath).where("k = 7").select("id")
      withSQLConf("spark.latebloom.cache.enabled" -> "false") {
        counted(same(query))
        assert(PredicateCache.totals.use.lookups == 0)
      }
      withSQLConf("spark.latebloom.cache.maxBytes" -> "100") {
        counted(same(query))
        assert(run(query)(Counter.SPLITS_REMEMBERED) == 0 && PredicateCache.totals.bytes <= 100)
      }
      withSQLConf("spark.latebloom.cache.maxBytes" -> "1000") {
        for (k <- 0 to 8) counted(same(query.where(s"id > ${60000 + k}")))
        assert(PredicateCache.totals.bytes <= 1000)
      }
      PredicateCache.clear()
    }
  }

  test("counts, extremes and distinct values use it, and record only what they read") {
    inEach { (dir, format) =>
      def table = spark.read.format(format).load(dir.getPath)
      same(table.where("k >= 0").agg("k" -> "min", "id" -> "max"))
      same(table.where("k = 7").selectExpr("count(*)", "min(id)", "max(day)"))
      same(table.where("k = 7").selectExpr("count(*)", "min(id)", "max(day)"))
      same(table.where("s > 's998'").select("s").distinct())
      same(table.where("s > 's998'").select("id"))
      same(table.where("s > 's998'").select("s").distinct())
      PredicateCache.clear()
    }
  }

  test("where no row survives there are still a count and extremes, in any plan") {
    inEach { (dir, format) =>
      def none = spark.read.format(format).load(dir.getPath).where("k = 7 and s = 's1'")
      for (adaptive <- Seq("true", "false")) withSQLConf("spark.sql.adaptive.enabled" -> adaptive) {
        for (_ <- 1 to 2) {
          val counted = same(none.selectExpr("count(*)", "min(id)", "max(k)"))
          assert(counted.collect().toSeq == Seq(Row(0, null, null)))
          same(none.groupBy("day").count())
          same(none.select("id"))
        }
        assert(run(none.select("id"))(Counter.SPLITS_REMEMBERED) == 4)
      }
      PredicateCache.clear()
    }
  }

  test("EXPLAIN says after the run what an earlier query spared") {
    withTempPath { dir =>
      write(dir, "parquet")
      def query = spark.read.parquet(dir.getPath).where("k = 7").select("id")
      run(query)
      val again = query
      run(again)
      val told = reports(again).flatMap(_.filters.outcomes)
      assert(
        told.exists(_.matches("left out, as an earlier query found: 2 files or splits, .* rows"))
      )
    }
  }

  test("a slow store is not asked for the metadata of files a second time") {
    withTempDir { dir =>
      val files = 60
      spark.range(0, 1800L * files, 1, files)
        .selectExpr("cast(abs(hash(id)) % 1000000 as int) k", "concat('name ', id % 5000) s", "id")
        .write.parquet(s"$dir/table")
      rest(new File(dir, "table"))
      withSQLConf(
        "fs.slow.impl" -> classOf[SlowFileSystem].getName,
        "fs.slow.impl.disable.cache" -> "true",
        "fs.slow.latencyMs" -> "1"
      ) {
        def query = spark.read.parquet(s"slow://$dir/table").where("k between 100 and 120")
        def requests() = {
          val df = query
          val before = SlowFileSystem.requests()
          val counted = run(df)
          (SlowFileSystem.requests() - before, counted)
        }
        same(query)
        PredicateCache.clear()
        MetadataCache.clear()
        val (first, _) = requests()
        val (second, counted) = requests()
        val opened = files - counted(Counter.SPLITS_REMEMBERED)
        assert(opened < 10 && first >= 2 * files)
        // A file's status and the list of all, then each file is opened and read.
        assert(second <= 2 + 3 * opened)
        same(query)
      }
    }
  }
}
