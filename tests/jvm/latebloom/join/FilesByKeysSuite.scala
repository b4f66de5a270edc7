// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.scan.LateScan

/** Files that the keys of a join exclude before they are opened: partitions and buckets. */
class FilesByKeysSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    // Otherwise Spark prunes the partitions of broadcast joins.
    spark.conf.set(SQLConf.DYNAMIC_PARTITION_PRUNING_ENABLED.key, "false")
    spark.range(200).selectExpr(
      "id",
      "id % 10 few",
      "if(id % 7 = 0, null, id % 20) k",
      "concat('p', id % 20) t",
      "date_add(date'2020-01-01', cast(id % 20 as int)) d"
    ).write.saveAsTable("dim")
  }

  override def afterAll(): Unit =
    try spark.sql("drop table if exists dim")
    finally super.afterAll()

  private def filtered(plan: SparkPlan): LateScan = {
    val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
    scan
  }

  private def count(plan: SparkPlan, counter: Counter): Long =
    filtered(plan).metrics(counter.key).value

  private def inEachWay(body: => Unit): Unit =
    for ((threshold, patience) <- Seq("10m" -> "1e9", "-1" -> "0")) withSQLConf(
      SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold,
      "spark.latebloom.join.patience" -> patience
    )(withClue(s"broadcasts up to $threshold, patience $patience\n")(body))

  private def isPatient: Boolean = spark.conf.get("spark.latebloom.join.patience") == "1e9"

  for (format <- Seq("parquet", "orc")) {
    test(s"partitions without a key are left out, $format") {
      withTable("fact") {
        spark.range(2000).selectExpr(
          "id",
          "id % 3 v",
          "if(id % 20 = 19, null, id % 20) k",
          "concat('p', id % 20) t",
          "date_add(date'2020-01-01', cast(id % 20 as int)) d"
        ).repartition(1).write.format(format).partitionBy("k", "t", "d").saveAsTable("fact")
        for (
          (columns, on) <- Seq(
            "f.id, d.id" -> "f.k = d.k",
            "f.t, d.t" -> "f.t = d.t",
            "f.*" -> "f.d = d.d",
            "f.id" -> "f.k <=> d.k",
            "f.*" -> "f.k = d.k and f.d = d.d",
            "f.v" -> "f.k % 10 = d.few",
            "f.k" -> "f.d = d.d and f.v < d.few"
          ).drop(if (format == "orc") 5 else 0)
        ) withClue(s"$columns $on\n") {
          inEachWay {
            sameAnswer(
              spark.sql(
                s"select $columns from fact f join dim d on $on where d.id % 10 = 3 and d.id < 100"
              )
            ) { plan =>
              if (isPatient) {
                val excluded = count(plan, Counter.FILES_EXCLUDED)
                assert(excluded >= 15 && excluded < 20, excluded)
              }
            }
          }
        }
      }
    }
  }

  test("partitions and a condition on rows") {
    withTable("fact") {
      spark.range(2000).selectExpr("id", "id % 3 v", "id % 20 k").repartition(1)
        .write.partitionBy("k").saveAsTable("fact")
      inEachWay {
        sameAnswer(
          spark.sql(
            "select f.id, d.id from fact f join dim d on f.k = d.k " +
              "where d.few = 3 and d.id < 100 and f.v = 1 and f.k < 15"
          )
        ) { plan =>
          assert(filtered(plan).scanFilters.nonEmpty)
          if (isPatient) assert(count(plan, Counter.FILES_EXCLUDED) >= 12)
        }
      }
    }
  }

  test("no key at all leaves nothing to read") {
    withTable("fact") {
      spark.range(200).selectExpr("id", "id % 20 k").repartition(1)
        .write.partitionBy("k").saveAsTable("fact")
      sameAnswer(
        spark.sql("select f.id from fact f join dim d on f.k = d.k where d.few = 3 and d.id < 0")
      )(_ => ())
      sameAnswer(
        spark.sql(
          "select count(*) from fact f join dim d on f.k = d.k where d.few = 3 and d.t = ''"
        ),
        adaptive = false
      )(plan => assert(count(plan, Counter.FILES_EXCLUDED) == 0))
    }
  }

  test("a part that is joined with itself on a partition column is executed once") {
    withTable("fact") {
      spark.range(200).selectExpr("id", "id % 20 k").repartition(1)
        .write.partitionBy("k").saveAsTable("fact")
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
        sameAnswer(
          spark.sql(
            "with v as (select k from fact where id = 7) select * from v a join v b on a.k = b.k"
          )
        ) { plan =>
          assert(!lateScans(plan).exists(_.joinFilters.nonEmpty))
          assert(nodes(plan) { case r: ReusedExchangeExec => r }.size == 1)
        }
      }
    }
  }

  test("Spark's own pruning of partitions goes first") {
    withTable("fact") {
      spark.range(200).selectExpr("id", "id % 20 k").repartition(1)
        .write.partitionBy("k").saveAsTable("fact")
      withSQLConf(SQLConf.DYNAMIC_PARTITION_PRUNING_ENABLED.key -> "true") {
        val sql = "select f.id from fact f join dim d on f.k = d.k where d.few = 3"
        sameAnswer(spark.sql(sql))(plan => assert(!lateScans(plan).exists(_.joinFilters.nonEmpty)))
        // By broadcast only, unless told otherwise.
        withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
          sameAnswer(spark.sql(sql))(plan => assert(count(plan, Counter.FILES_EXCLUDED) > 10))
        }
      }
    }
  }

  for (
    (name, column) <- Seq(
      "bytes" -> "cast(id % 50 as byte)",
      "integers" -> "cast(id % 50 as int)",
      "longs" -> "id % 50",
      "texts" -> "concat('text ', id % 50)"
    )
  ) test(s"buckets without a key are left out: $name") {
    withTable("fact", "some") {
      spark.range(2000).selectExpr("id", s"$column b").repartition(1)
        .write.bucketBy(16, "b").saveAsTable("fact")
      spark.range(50).selectExpr("id", s"$column b").write.saveAsTable("some")
      inEachWay {
        val bucketed = if (isPatient) "true" else "false"
        withSQLConf(SQLConf.AUTO_BUCKETED_SCAN_ENABLED.key -> bucketed) {
          sameAnswer(
            spark.sql(
              "select f.id, s.id from fact f join some s on f.b = s.b where s.id in (7, 11)"
            )
          )(plan => if (isPatient) assert(count(plan, Counter.FILES_EXCLUDED) >= 8))
        }
      }
    }
  }

  test("a date that the file's calendar lacks is in the bucket of another one") {
    withTable("fact", "some") {
      withSQLConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> "LEGACY") {
        spark.range(2000)
          .selectExpr("id", "date_add(date'1582-10-01', cast(id % 30 as int)) b").repartition(1)
          .write.bucketBy(16, "b").saveAsTable("fact")
      }
      spark.range(1).selectExpr("id", "date'1582-10-15' b").write.saveAsTable("some")
      sameAnswer(
        spark.sql("select f.id, s.id from fact f join some s on f.b = s.b where s.id = 0")
      )(plan => assert(count(plan, Counter.FILES_EXCLUDED) == 0))
    }
  }

  test("a key of another type than the bucket's column finds its bucket") {
    withTable("fact", "some") {
      spark.range(2000).selectExpr("id", "cast(id % 50 as int) b").repartition(1)
        .write.bucketBy(16, "b").saveAsTable("fact")
      spark.range(50).selectExpr("id", "id * 3000000000 % 51 b").write.saveAsTable("some")
      inEachWay {
        sameAnswer(
          spark.sql("select f.id, s.id from fact f join some s on f.b = s.b where s.id in (7, 11)")
        ) { plan =>
          if (isPatient) assert(count(plan, Counter.FILES_EXCLUDED) >= 8)
        }
      }
    }
  }

  for (format <- Seq("parquet", "orc"))
    test(s"a partition column hides what the files have by its name, $format") {
      withTempPath { dir =>
        for (k <- 1 to 4)
          spark.range(0, 3000, 1, 1).selectExpr(
            "id",
            s"cast(${100 * k} as int) k",
            "concat('t', id) t"
          )
            .write.format(format).save(s"$dir/k=$k")
        spark.read.format(format).load(dir.getPath).createOrReplaceTempView("hidden")
        for (
          query <- Seq(
            "select count(*), max(f.t) from hidden f join dim d on f.k = d.k where d.few = 3",
            "select f.* from hidden f join dim d on f.k = d.k and f.id = d.id where d.few < 5",
            "select count(*) from hidden where k = 3 and t > 't2'",
            "select count(*), min(k), max(k), count(k) from hidden",
            "select distinct k from hidden",
            "select id, k from hidden where t like 't1%' order by k desc, id limit 7",
            "select * from hidden order by k, t limit 3"
          )
        ) withClue(s"$query\n") {
          inEachWay(sameAnswer(spark.sql(query))(_ => ()))
        }
        val Row(rows, _) = spark.sql(
          "select count(*), max(f.t) from hidden f join (select distinct k from dim where few = 3) d on f.k = d.k"
        ).head()
        assert(rows == 3000)
      }
    }
}
