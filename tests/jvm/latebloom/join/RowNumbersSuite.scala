// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.functions._
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.scan.LateScan

/** Scans whose rows the plan numbers: a task that is repeated must number them alike. */
class RowNumbersSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    spark.range(0, 3000, 1, 3).selectExpr("id", "id % 100 k").write.saveAsTable("fact")
    spark.range(0, 20, 1, 1).selectExpr("id", "id % 7 few").write.saveAsTable("dim")
    spark.table("fact").where("k < 20").repartition(1).write.partitionBy("k").saveAsTable("parts")
    spark.table("fact").repartition(1).write.bucketBy(16, "k").saveAsTable("buckets")
    spark.range(2).selectExpr("id * 7 + 3 id").repartition(1).write.saveAsTable("two")
    spark.conf.set(SQLConf.DYNAMIC_PARTITION_PRUNING_ENABLED.key, "false")
  }

  override def afterAll(): Unit =
    try Seq("fact", "dim", "parts", "buckets", "two").foreach(t =>
        spark.sql(s"drop table if exists $t")
      )
    finally super.afterAll()

  private val numbered =
    "(select id, k, monotonically_increasing_id() n, input_file_name() file from fact)"
  private val joined = s"from $numbered f join dim d on f.k = d.id where d.few = 3"

  private def isFiltered(sql: String): Boolean = {
    var filtered = Seq.empty[Boolean]
    sameAnswer(spark.sql(sql)) { plan =>
      filtered :+= lateScans(plan).exists(_.joinFilters.nonEmpty)
    }
    assert(filtered.distinct.size == 1)
    filtered.head
  }

  test("the name of a row's file is as fixed as its values") {
    assert(isFiltered(s"select f.id, f.k, f.file $joined"))
  }

  test("whatever sees the number sees all rows, also what only groups by it") {
    for (
      sql <- Seq(
        s"select count(*), max(c) from (select n, count(*) c $joined group by n)",
        s"select count(*) from (select n, f.id, max(f.file) $joined group by n, f.id having count(*) > 0)",
        s"select n, f.id $joined",
        s"select f.id $joined and n % 2 = 0",
        s"select count(*) from (select n, count(*) c $joined group by n) where n > 5",
        s"select max(n) $joined",
        s"select f.id, n + 1 $joined",
        s"select count(*) from (select n % 10 m, count(*) $joined group by n % 10)",
        s"select count(*) from (select f.id, rank() over (order by n) r $joined) where r < 10",
        s"select f.id from $numbered f join dim d on f.n = d.id where d.few = 3"
      )
    ) assert(!isFiltered(sql), sql)
  }

  /** Of each scan with join filters: whether all are of whole files, how many files are left out,
    * and how many rows are tested by keys.
    */
  private def filesLeftOut(sql: String): Seq[(Boolean, Long, Long)] = {
    var found = Seq.empty[LateScan]
    sameAnswer(spark.sql(sql)) { plan =>
      found ++= lateScans(plan).filter(_.joinFilters.nonEmpty)
    }
    found.map { scan =>
      def count(counter: Counter) = scan.metrics(counter.key).value
      val onlyFiles = scan.joinFilters.forall(_.onlyFiles)
      (onlyFiles, count(Counter.FILES_EXCLUDED), count(Counter.JOIN_ROWS_TESTED))
    }
  }

  for ((table, least) <- Seq("parts" -> 17, "buckets" -> 12)) {
    test(s"numbers that only tell rows apart allow to leave whole files out: $table") {
      for (
        (join, threshold) <- Seq("" -> "10m", "" -> "-1", "where f.k <> 5" -> "10m");
        grouped <- Seq(
          "select count(*), max(c) from (select n, count(*) c from %s group by n)",
          "select count(*), min(i) from (select n, min(f.id) i, max(f.file) from %s group by n)"
        )
      ) withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold) {
        val numbered = s"(select *, monotonically_increasing_id() n, input_file_name() file " +
          s"from $table f $join)"
        val from = s"$numbered f join (select * from dim where few = 3) d on f.k = d.id"
        val scans = filesLeftOut(grouped.format(from))
        withClue(s"$from: $scans") {
          assert(scans.nonEmpty)
          // The keys are 3, 10 and 17.
          scans.foreach { case (onlyFiles, excluded, tested) =>
            assert(onlyFiles)
            // Spark itself leaves out the partition 5.
            assert(excluded >= least - (if (join.nonEmpty) 1 else 0))
            assert(tested == 0)
          }
        }
      }
    }

    test(s"a row that is shuffled by its place allows to leave whole files out: $table") {
      val scans = filesLeftOut(
        s"select f.id, d.id from (select /*+ repartition(3) */ * from $table) f " +
          "join dim d on f.k = d.id where d.few = 3"
      )
      assert(scans.nonEmpty)
      assert(scans.forall { case (onlyFiles, excluded, tested) =>
        onlyFiles && excluded >= least && tested == 0
      })
    }

    test(s"a much smaller side needs no condition of its own: $table") {
      val two = "join two d on f.k = d.id"
      val scans = filesLeftOut(
        s"select f.id, d.id from (select /*+ repartition(3) */ * from $table) f $two"
      )
      assert(scans.nonEmpty)
      assert(scans.forall { case (onlyFiles, excluded, tested) =>
        onlyFiles && excluded >= least && tested == 0
      })
      // The rows of the files that are read would have to be tested.
      assert(filesLeftOut(s"select f.id, d.id from $table f $two").isEmpty)
    }

    test(s"keys that may come too late still filter no row: $table") {
      withSQLConf("spark.latebloom.join.patience" -> "0") {
        val scans = filesLeftOut(
          s"select f.id, d.id from (select /*+ repartition(3) */ * from $table) f join " +
            "(select k % 20 id from fact where id % 50 = 7) d on f.k = d.id"
        )
        assert(scans.nonEmpty)
        assert(scans.forall { case (onlyFiles, _, tested) => onlyFiles && tested == 0 })
      }
    }

    test(s"whatever shows the number or the place reads all files: $table") {
      val numbered = s"(select *, monotonically_increasing_id() n from $table)"
      for (
        sql <- Seq(
          s"select n, f.id from $numbered f join dim d on f.k = d.id where d.few = 3",
          s"select f.id from (select * from $table limit 400) f join dim d on f.k = d.id " +
            "where d.few = 3",
          s"select f.id from (select *, spark_partition_id() n from $table) f " +
            "join dim d on f.k = d.id and f.n < d.id where d.few = 3"
        )
      ) assert(filesLeftOut(sql).isEmpty, sql)
    }
  }

  test("a key that is made of the name of a file goes no further") {
    assert(!isFiltered(
      s"select f.id from $numbered f join (select concat('x', few) x from dim where few = 3) d " +
        "on f.file = d.x"
    ))
  }

  test("rows of a checkpoint supply keys, even below what counts them") {
    val kept = spark.table("dim").where("few = 3").localCheckpoint()
    kept.createOrReplaceTempView("kept")
    assert(isFiltered("select f.id from fact f join kept d on f.k = d.id"))
    val counted = udf((_: Long) => true).asNondeterministic()
    spark.udf.register("counted", counted)
    assert(isFiltered(
      "select f.id from fact f join (select * from kept where counted(id)) d on f.k = d.id"
    ))
  }
}
