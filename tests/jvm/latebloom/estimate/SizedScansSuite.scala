// SPDX-License-Identifier: Apache-2.0
package latebloom.estimate

import java.io.File
import java.nio.file.Files

import scala.concurrent.duration._

import org.scalatest.concurrent.Eventually

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.joins.{BroadcastHashJoinExec, SortMergeJoinExec}
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.cache.PredicateCache
import latebloom.inspect.LateBloomExplain
import latebloom.join.JoinFilters
import latebloom.statistics.{ScanSize, ScanSizes, SizedFilter}

/** What scans have counted decides how later queries join. */
class SizedScansSuite extends LateBloomTest with Eventually {

  private val formats = Seq("parquet", "orc")

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    ScanSizes.clear()
    PredicateCache.clear()
  }

  /** `dim` has 20,000 rows in two files, 200 of each `kind`, and `fact` ten of each of its keys. */
  private def withTables(format: String)(body: => Unit): Unit = withTempPath { dir =>
    def save(name: String, df: DataFrame): Unit = {
      df.write.format(format).option("compression", "none").save(s"$dir/$name")
      view(format, dir, name)
    }
    save(
      "dim",
      spark.range(0, 20000, 1, 2).selectExpr(
        "id k",
        "cast(id % 100 as int) kind",
        "concat('text of ', id, if(id % 2 = 0, ' and some more', '')) t",
        "uuid() u"
      )
    )
    save("fact", spark.range(0, 200000, 1, 2).selectExpr("id % 20000 f", "xxhash64(id) v"))
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "40k")(body)
  }

  private def view(format: String, dir: File, name: String): Unit =
    spark.read.format(format).load(s"$dir/$name").createOrReplaceTempView(name)

  private def dim(where: String): DataFrame = spark.sql(s"select k, t from dim where $where")

  private def joined(where: String, how: String = "join"): DataFrame =
    spark.sql(s"select v, t from fact $how dim on f = k and $where")

  private def isBroadcast(df: DataFrame): Boolean = under(
    SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false"
  ) {
    val joins = nodes(df.queryExecution.executedPlan) {
      case _: BroadcastHashJoinExec => true
      case _: SortMergeJoinExec     => false
    }
    assert(joins.size == 1)
    joins.head
  }

  private def sizeOf(df: DataFrame): Option[ScanSize] =
    SizedScans.knownSize(df.queryExecution.optimizedPlan)

  test("a complete scan makes the next plan broadcast a side that is small behind its filter") {
    for (format <- formats) withTables(format) {
      withClue(format) {
        assert(!isBroadcast(joined("kind = 7")))
        dim("kind = 7").collect()
        sameAnswer(joined("kind = 7"))(plan => assert(lateScans(plan).nonEmpty))
        assert(isBroadcast(joined("kind = 7")))
        // Whatever columns it reads, and in whatever order its conditions stand.
        assert(isBroadcast(spark.sql("select v, u from fact join dim on f = k and kind = 7")))
        assert(!isBroadcast(joined("kind = 8")))
        // What meets more conditions has no more rows.
        assert(isBroadcast(joined("kind = 7 and u > '5'")))
        assert(!isBroadcast(joined("kind in (7, 8)")))
        withSQLConf("spark.latebloom.statistics.enabled" -> "false") {
          assert(!isBroadcast(joined("kind = 7")))
        }
        assert(!off(isBroadcast(joined("kind = 7"))))
        assert(!isBroadcast(joined("kind = 7", "full join")))
      }
    }
  }

  test("files that are new, gone or written anew count for nothing") {
    withTempPath { dir =>
      def write(name: String, rows: Int): Unit = spark.range(0, rows, 1, 1)
        .selectExpr("id k", "cast(id % 100 as int) kind", "repeat(cast(id as string), 5) t")
        .write.mode("overwrite").option("compression", "none").parquet(s"$dir/dim/$name")
      write("p=1", 20000)
      write("p=2", 20000)
      spark.range(0, 200000).selectExpr("id f", "id v").write.parquet(s"$dir/fact")
      view("parquet", dir, "fact")
      view("parquet", dir, "dim")
      def known = sizeOf(dim("kind = 7")).map(_.rows)
      def ofPart = sizeOf(dim("kind = 7 and p = 1")).map(_.rows)
      dim("kind = 7").collect()
      assert(known.contains(400) && ofPart.isEmpty)
      dim("kind = 7 and p = 1").collect()
      assert(ofPart.contains(200))
      write("p=3", 100)
      view("parquet", dir, "dim")
      assert(known.isEmpty && ofPart.contains(200))
      dim("kind = 7").collect()
      assert(known.contains(401))
      write("p=1", 300)
      view("parquet", dir, "dim")
      assert(known.isEmpty && ofPart.isEmpty)
    }
  }

  test("rows and texts are counted, whatever of the files was not read") {
    for (format <- formats) withTables(format) {
      withClue(format) {
        val texts = "text of ".length + Seq(4.5, 14.0 / 2).sum
        for (where <- Seq("k < 100", "kind = 7", "kind = 1000", "k >= 10000", "kind < 1000")) {
          withClue(where) {
            val rows = off(dim(where).count())
            // The second time, the predicate cache leaves out rows and splits.
            for (_ <- 1 to 2) {
              dim(where).collect()
              val size = sizeOf(dim(where)).get
              assert(size.rows == rows && size.of.forall(_ == 20000))
              if (where.contains("kind")) assert(size.of.nonEmpty || rows == 0)
              if (rows > 1000) assert(math.abs(size.widths("t") - texts) < 2)
            }
          }
        }
        withSQLConf(SQLConf.FILES_MAX_PARTITION_BYTES.key -> "50000") {
          dim("kind = 9").collect()
          assert(lateScans(dim("kind = 9")).head.execute().getNumPartitions > 4)
          assert(sizeOf(dim("kind = 9")).map(_.rows).contains(200))
        }
      }
    }
  }

  test("scans that end early, or leave out rows by more than their conditions, count nothing") {
    withTables("parquet") {
      dim("kind = 7").limit(3).collect()
      withSQLConf(
        "spark.latebloom.topK.minScanBytes" -> "0",
        "spark.latebloom.topK.minSaved" -> "0"
      ) {
        val first = dim("kind = 7").orderBy("k").limit(3)
        first.collect()
        assert(lateScans(first).exists(_.topRows.nonEmpty))
      }
      intercept[Exception](dim("kind = 7").selectExpr("assert_true(k < 19000)").collect())
      spark.sql("select distinct kind from dim where kind = 7").collect()
      withSQLConf("spark.latebloom.join.minScanBytes" -> "0") {
        val filtered = spark.sql("select v from fact join dim on f = k where kind = 7 and v <> 5")
        filtered.collect()
        assert(lateScans(filtered).exists(_.joinFilters.nonEmpty))
      }
      assert(sizeOf(spark.sql("select v from fact where v <> 5 and f is not null")).isEmpty)
      assert(sizeOf(dim("kind = 7")).isEmpty)
      val few = dim("kind = 7").selectExpr("k", "t")
      few.rdd.take(1)
      assert(sizeOf(dim("kind = 7")).isEmpty)
      few.collect()
      assert(sizeOf(dim("kind = 7")).map(_.rows).contains(200))
    }
  }

  test("statistics only become smaller, and go through what stands above the filter") {
    withTables("parquet") {
      dim("kind >= 0").collect()
      dim("kind = 7").collect()
      def filter(df: DataFrame): LogicalPlan =
        df.queryExecution.optimizedPlan.collectFirst { case f: Filter => f }.get
      val sized = joined("kind >= 0").queryExecution.optimizedPlan
        .collectFirst { case f: SizedFilter => f }.get
      assert(sized.stats.sizeInBytes == filter(off(dim("kind >= 0"))).stats.sizeInBytes)
      assert(sized.stats.rowCount.contains(20000))
      def grouped = spark.sql(
        "select v, n from fact join (select k, count(*) n from dim where kind = 7 group by k) on f = k"
      )
      assert(isBroadcast(grouped))
      sameAnswer(grouped)(_ => ())
      // A change of the plan keeps it.
      val copy = sized.transformExpressions { case e => e }.clone()
      assert(copy.collectFirst { case f: SizedFilter => f.size.rows }.contains(20000))
      val changed = sized.transformUp { case f: LogicalPlan if f.children.isEmpty => f.clone() }
      assert(changed.isInstanceOf[SizedFilter])
    }
  }

  /** Files that seem to be large, so that it pays to count before a join. */
  private def large(body: => Unit): Unit = withSQLConf(
    "spark.sql.sources.fileCompressionFactor" -> "1000",
    SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "10m",
    "spark.latebloom.statistics.patience" -> "1"
  )(body)

  private def jobs(body: => Unit): Seq[String] = {
    val found = new java.util.concurrent.ConcurrentLinkedQueue[String]
    val listener = new SparkListener {
      override def onJobStart(start: SparkListenerJobStart): Unit = {
        found.add(String.valueOf(start.properties.getProperty("spark.job.description")))
        ()
      }
    }
    sparkContext.addSparkListener(listener)
    try {
      body
      // Listeners hear of jobs one after another.
      sparkContext.setJobDescription("the end")
      sparkContext.parallelize(Seq(1)).count()
      eventually(timeout(10.seconds))(assert(found.contains("the end")))
    } finally {
      sparkContext.setJobDescription(null)
      sparkContext.removeSparkListener(listener)
    }
    found.toArray(Array.empty[String]).toSeq.filterNot(_ == "the end")
  }

  test("the rows of a side that decides how to join are counted while the query is planned") {
    for (format <- formats) withTempPath { dir =>
      spark.range(0, 2000, 1, 2)
        .selectExpr("id k", "cast(id % 100 as int) kind", "uuid() t")
        .write.format(format).save(s"$dir/dim")
      spark.range(0, 400000, 1, 2).selectExpr("id % 2000 f", "id v", "uuid() w")
        .write.format(format).save(s"$dir/fact")
      Seq("dim", "fact").foreach(view(format, dir, _))
      withClue(format)(large {
        def kindOf(n: Int) =
          spark.sql(s"select v, w, t from fact join dim on f = k and kind = $n")
        val never =
          under("spark.latebloom.statistics.patience" -> "0")(jobs(assert(!isBroadcast(kindOf(7)))))
        assert(never.isEmpty)
        // On a busy machine half a second may be too short.
        val counted = (7 to 16).find { n =>
          var broadcast = false
          val ran = jobs { broadcast = isBroadcast(kindOf(n)) }
          assert(ran == Seq("LateBloom counts the rows of a side of a join"))
          assert(sparkContext.getLocalProperty("spark.job.description") == null)
          broadcast
        }
        assert(counted.nonEmpty)
        def query = kindOf(counted.get)
        assert(jobs(assert(isBroadcast(query))).isEmpty)
        sameAnswer(query)(plan => assert(lateScans(plan).nonEmpty))
        // It keeps too many rows, which are not read to their end.
        withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "10k") {
          def most = spark.sql("select v, w, t from fact join dim on f = k and kind > 7")
          assert(jobs(assert(!isBroadcast(most))).size == 1)
          assert(jobs(assert(!isBroadcast(most))).size == 1)
        }
        // Spark broadcasts a side whose rows nobody counts.
        withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "1g") {
          assert(jobs(assert(isBroadcast(query.where("kind < 50")))).isEmpty)
        }
        assert(jobs(spark.sql("select /*+ merge(dim) */ v from fact join dim on f = k and kind = 3")
          .queryExecution.executedPlan).isEmpty)
      })
    }
  }

  test("a file that cannot be read fails the query, not its planning") {
    withTempPath { dir =>
      spark.range(0, 2000, 1, 1).selectExpr("id k", "id % 100 kind", "uuid() t")
        .write.parquet(s"$dir/dim")
      spark.range(0, 400000, 1, 2).selectExpr("id % 2000 f", "uuid() w").write.parquet(s"$dir/fact")
      Seq("dim", "fact").foreach(view("parquet", dir, _))
      val file = new File(s"$dir/dim").listFiles.find(_.getName.endsWith(".parquet")).get
      Files.write(file.toPath, Array.fill(file.length.toInt)(1.toByte))
      large {
        val query = spark.sql("select w, t from fact join dim on f = k and kind = 7")
        assert(!isBroadcast(query))
        assert(intercept[Exception](query.collect()).toString.contains("dim"))
      }
    }
  }

  test("a counted side keeps its size under the keys of another join, and in a search") {
    withTables("parquet") {
      withTempPath { dir =>
        spark.range(100).selectExpr("id * 7 l", "id m").write.parquet(s"$dir/tiny")
        view("parquet", dir, "tiny")
        withSQLConf(
          "spark.latebloom.join.minScanBytes" -> "0",
          "spark.latebloom.topK.minScanBytes" -> "0",
          "spark.latebloom.topK.minSaved" -> "0",
          SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false"
        ) {
          dim("kind = 7").collect()
          val query =
            "select v, t from fact join dim on f = k and kind = 7 join tiny on k = l and m < 50"
          for (order <- Seq("", " order by v limit 3")) withClue(order) {
            sameAnswer(spark.sql(query + order), adaptive = false) { plan =>
              assert(nodes(plan) { case join: SortMergeJoinExec => join }.isEmpty)
              val scans = lateScans(plan).filter(_.output.exists(_.name == "t"))
              assert(scans.nonEmpty && scans.forall(_.joinFilters.nonEmpty))
              assert(order.isEmpty || lateScans(plan).exists(_.topRows.nonEmpty))
            }
          }
        }
      }
    }
  }

  test("a condition that keeps nearly all of many rows makes no join filter any more") {
    for (rows <- Seq(120000, 20000)) withTempPath { dir =>
      spark.range(rows).selectExpr("id k", "id % 100 kind").write.parquet(s"$dir/dim")
      spark.range(200000).selectExpr("id f", "uuid() v").write.parquet(s"$dir/fact")
      Seq("dim", "fact").foreach(view("parquet", dir, _))
      withSQLConf(
        "spark.latebloom.join.minScanBytes" -> "1k",
        SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "40k"
      ) {
        def query(where: String) = spark.sql(s"select v from fact join dim on f = k and $where")
        def declined(where: String) = nodes(query(where).queryExecution.executedPlan) {
          case join: SortMergeJoinExec     => JoinFilters.decisions(join)
          case join: BroadcastHashJoinExec => JoinFilters.decisions(join)
        }.flatten.filter(_.on == "f").flatMap(_.declined).map(_.code)
        def run(where: String) =
          withSQLConf("spark.latebloom.join.enabled" -> "false")(query(where).collect())
        assert(declined("kind <> 7").isEmpty)
        run("kind <> 7")
        assert(declined("kind <> 7") == Seq("creation-not-selective").filter(_ => rows > 100000))
        sameAnswer(query("kind <> 7"))(_ => ())
        run("kind in (1, 7)")
        assert(declined("kind in (1, 7)").isEmpty)
        sameAnswer(query("kind in (1, 7)"))(_ => ())
      }
    }
  }

  test("EXPLAIN says what the plan was made with, and after the run what came") {
    withTables("parquet") {
      dim("kind = 7").collect()
      withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false") {
        val query = joined("kind = 7")
        def text = new LateBloomExplain().generateExtendedInfo(query.queryExecution.executedPlan)
        assert(text.contains("\n  planned with: 200 rows, as an earlier scan counted\n"), text)
        assert(!text.contains("has run: 200 rows"))
        query.collect()
        assert(text.contains("\n  has run: 200 rows; planned with 200\n"), text)
      }
    }
  }
}
