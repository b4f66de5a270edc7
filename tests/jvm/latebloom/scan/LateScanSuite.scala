// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.SparkException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{DynamicPruningExpression, Literal}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.{
  FileSourceScanExec,
  ReusedSubqueryExec,
  SortExec,
  SubqueryBroadcastExec
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

import latebloom.testkit.RowGroups
import latebloom.{LateBloomTest, LineTest}

class LateScanSuite extends LateBloomTest {

  private def withTables(body: => Unit): Unit = withTable("fact", "dim", "wide") {
    spark.range(400)
      .selectExpr("id", "id % 20 k", "cast(id % 9 as int) n", "concat('v', id % 11) v", "id % 4 p")
      .write.partitionBy("p").saveAsTable("fact")
    spark.range(20).selectExpr("id k", "id % 4 q", "concat('d', id) name")
      .write.saveAsTable("dim")
    body
  }

  test("dynamic partition pruning reuses the broadcast") {
    withTables {
      withSQLConf(SQLConf.DYNAMIC_PARTITION_PRUNING_REUSE_BROADCAST_ONLY.key -> "true") {
        sameAnswer(spark.sql("select f.id, d.name from fact f join dim d on f.p = d.q " +
          "where f.n = 3 and d.name = 'd6'")) { plan =>
          val scans = lateScans(plan)
          assert(scans.size == 2)
          val fact = scans.find(_.partitionFilters.nonEmpty).get
          assert(fact.partitionFilters.exists(_.exists(_.isInstanceOf[DynamicPruningExpression])))
          assert(nodes(plan) { case s: SubqueryBroadcastExec => s }.size == 1)
          assert(nodes(plan) { case r: ReusedExchangeExec => r }.nonEmpty)
          assert(fact.metrics("numPartitions").value == 1)
        }
      }
    }
  }

  test("equal exchanges over late scans are one, although the expression ids differ") {
    withTables {
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
        sameAnswer(spark.sql("select a.v, b.v from (select id, k, v from fact where n = 3) a " +
          "join (select id, k, v from fact where n = 3) b on a.id = b.id")) { plan =>
          assert(nodes(plan) { case r: ReusedExchangeExec => r }.size == 1)
        }
      }
    }
  }

  test(
    "the whole condition, for files that Spark reads, takes nulls of columns that have none after"
  ) {
    withTable("t") {
      spark.sql(
        "create table t using parquet as select if(id = 3, null, 'v9') v, if(id = 3, null, " +
          "named_struct('a', 1)) n from range(5)"
      )
      val Seq(scan) = lateScans(spark.sql("select * from t where v like '%9%' and n.a < 5"))
      assert(!scan.output.head.nullable)
      val whole = scan.spec.filters.whole.cursor
      assert(whole.test(InternalRow(UTF8String.fromString("v9"), InternalRow(1))))
      assert(!whole.test(InternalRow(null, InternalRow(1))))
      assert(!whole.test(InternalRow(UTF8String.fromString("v9"), null)))
    }
  }

  test("scans that filter by different columns are never equal") {
    withTempPath { dir =>
      spark.range(50).selectExpr("id", "id % 5 a", "id % 7 b").write.parquet(dir.getPath)
      def data = spark.read.parquet(dir.getPath)
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
        sameAnswer(data.where("a = 1").select("id")
          .join(data.where("b = 1").select("id"), "id")) { plan =>
          assert(lateScans(plan).size == 2)
          assert(nodes(plan) { case r: ReusedExchangeExec => r }.isEmpty)
        }
      }
      val Seq(one) = lateScans(data.where("a = 1 and b = 2").select("id"))
      val Seq(same) = lateScans(data.where("b = 2 and a = 1").select("id"))
      val Seq(other) = lateScans(data.where("a = 2 and b = 1").select("id"))
      assert(one.sameResult(one.clone()))
      assert(one.canonicalized.hashCode == one.clone().canonicalized.hashCode)
      assert(one.sameResult(same))
      assert(!one.sameResult(other))
      assert(!one.sameResult(lateScans(data.where("a = 1").select("id")).head))
    }
  }

  test("copies of a scan keep what it adds to Spark's own, and its tags and session") {
    withTables {
      val df = spark.sql("select f.id, d.name from fact f join dim d on f.k = d.k " +
        "where f.n = 3 and d.name = 'd6'")
      df.collect()
      val scan = lateScans(df).find(_.joinFilters.nonEmpty).get
      val tag = TreeNodeTag[String]("of a test")
      scan.setTagValue(tag, "kept")
      val copies = Seq(
        scan.clone(),
        scan.makeCopy(scan.productIterator.map(_.asInstanceOf[AnyRef]).toArray),
        scan.copy(disableBucketedScan = scan.disableBucketedScan)
      ).map(_.asInstanceOf[LateScan])
      def count(scan: LateScan) = scan.executeColumnar().map(_.numRows).collect().sum
      assert(count(scan) > 0)
      copies.foreach { copy =>
        assert(copy == scan && !(copy eq scan) && copy.options == scan.options)
        assert(copy.productIterator.toSeq == scan.productIterator.toSeq)
        assert(count(copy) == count(scan))
      }
      copies.take(2).foreach(copy => assert(copy.getTagValue(tag).contains("kept")))
      SparkSession.clearActiveSession()
      try assert(scan.clone().session eq scan.session)
      finally SparkSession.setActiveSession(spark)
      val narrower = scan.transformExpressions { case Literal(3, t) => Literal(4, t) }
      assert(sql(narrower.asInstanceOf[LateScan]).exists(_.contains("4")))
      val unbucketed = scan.copy(disableBucketedScan = true).asInstanceOf[LateScan]
      assert(unbucketed.disableBucketedScan && unbucketed.scanFilters == scan.scanFilters)
    }
  }

  test("a scan can be written as JSON, as Spark's can") {
    withTables {
      def df = spark.sql("select f.id, d.name from fact f join dim d on f.k = d.k " +
        "where f.n = 3 and d.name = 'd6'")
      off {
        val spark = nodes(df.queryExecution.executedPlan) { case f: FileSourceScanExec => f }
        assert(spark.size == 2 && spark.forall(_.toJSON.contains("\"requiredSchema\":")))
      }
      val scans = lateScans(df)
      assert(scans.size >= 2 && scans.exists(_.joinFilters.nonEmpty))
      scans.foreach { scan =>
        val json = scan.toJSON
        assert(json.startsWith("[{\"class\":\"latebloom.scan.LateScan\",\"num-children\":0,"))
        Seq("requiredSchema", "scanFilters", "joinFilters", "filterOnly", "lookups").foreach {
          field => assert(json.contains("\"" + field + "\":"))
        }
      }
    }
  }

  test("equal subqueries over late scans run once") {
    withTables {
      sameAnswer(spark.sql("select id from fact where n = 3 and " +
        "id > (select max(k) from dim where name = 'd3') and " +
        "k + 1 > (select max(k) from dim where name = 'd3')")) { plan =>
        assert(nodes(plan) { case r: ReusedSubqueryExec => r }.nonEmpty)
        assert(lateScans(plan).size == 2)
      }
    }
  }

  test("bucketed tables join without a shuffle, and keep bucket and sort columns") {
    withTable("b1", "b2") {
      Seq("b1", "b2").foreach { name =>
        spark.range(0, 200, 1, 1)
          .selectExpr("id", "id % 13 k", "cast(id % 7 as int) n", "id % 3 o")
          .write.bucketBy(4, "k").sortBy("k").saveAsTable(name)
      }
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
        sameAnswer(spark.sql(
          "select b1.id, b2.id from b1 join b2 on b1.k = b2.k where b1.n = 2 and b2.n = 3"
        )) { plan =>
          assert(lateScans(plan).size == 2)
          assert(lateScans(plan).forall(_.bucketedScan))
          assert(nodes(plan) { case s: ShuffleExchangeExec => s }.isEmpty)
        }
      }
      sameAnswer(spark.sql("select count(id) from b1 where k = 5 group by o")) { plan =>
        assert(lateScans(plan).size == 1)
      }
      withSQLConf(SQLConf.AUTO_BUCKETED_SCAN_ENABLED.key -> "false") {
        sameAnswer(spark.sql("select id from b1 where k in (5, 6)")) { plan =>
          assert(lateScans(plan).head.bucketedScan)
          assert(names(lateScans(plan).head).contains("k"))
        }
        withSQLConf(
          SQLConf.LEGACY_BUCKETED_TABLE_SCAN_OUTPUT_ORDERING.key -> "true",
          SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1"
        ) {
          sameAnswer(spark.sql(
            "select b1.id from b1 join b2 on b1.k = b2.k where b1.n = 2 and b2.n = 3"
          )) { plan =>
            assert(lateScans(plan).size == 2)
            assert(nodes(plan) { case s: SortExec => s }.isEmpty)
          }
        }
      }
    }
  }

  test("a missing column is null, or its default") {
    withTable("evolved") {
      sql("create table evolved (id long, n int) using parquet")
      sql("insert into evolved select id, cast(id % 5 as int) from range(20)")
      sql("alter table evolved add columns (late string, made int default 7)")
      sql("insert into evolved select id, 9, 'x', 8 from range(3)")
      sameAnswer(spark.sql("select id, late from evolved where made = 7")) { plan =>
        assert(lateScans(plan).head.spec.columns.exists(_.name == "made"))
      }
      sameAnswer(spark.sql("select id, made from evolved where late is null and n = 2"))(late1)
      sameAnswer(spark.sql("select id, made from evolved where late = 'x'"))(late1)
    }
  }

  test("a column that is read wider than it was written") {
    withTempPath { dir =>
      spark.range(30).selectExpr("cast(id as int) a", "cast(id as float) f", "id")
        .write.parquet(dir.getPath)
      def wider = spark.read.schema("a long, f double, id long").parquet(dir.getPath)
        .where("a > 12 and f < 20").select("id")
      if (LineTest.readsWider) {
        sameAnswer(wider)(late1)
      } else {
        def refusal = Iterator
          .iterate[Throwable](intercept[SparkException](wider.collect()))(_.getCause)
          .takeWhile(_ != null).map(_.toString).toList.last
        assert(lateScans(wider).size == 1)
        assert(refusal == off(refusal))
        assert(refusal.contains("SchemaColumnConvertNotSupportedException"))
      }
    }
  }

  test("more columns than code generation takes come as rows") {
    withTempPath { dir =>
      spark.range(30).selectExpr((0 until 120).map(i => s"id + $i as c$i"): _*)
        .write.parquet(dir.getPath)
      sameAnswer(spark.read.parquet(dir.getPath).where("c7 < 20")) { plan =>
        assert(!lateScans(plan).head.supportsColumnar)
      }
      withSQLConf(SQLConf.WHOLESTAGE_CODEGEN_ENABLED.key -> "false") {
        sameAnswer(spark.read.parquet(dir.getPath).where("c7 < 20").select("c1", "c2"))(late1)
      }
    }
  }

  test("cached plans") {
    withTables {
      val cached = spark.sql("select id, v from fact where n = 3").cache()
      try {
        assert(rows(cached) == off(rows(spark.sql("select id, v from fact where n + 0 = 3"))))
        assert(lateScans(cached).size == 1)
        assert(rows(cached.where("id > 30")) ==
          off(rows(spark.sql("select id, v from fact where n + 0 = 3 and id > 30"))))
      } finally {
        cached.unpersist()
      }
    }
  }

  test("joins, sorts and limits over late scans give the same rows when plans adapt") {
    withTables {
      sameAnswer(spark.sql("select v, count(*) c, sum(f.id) from fact f left join dim d " +
        "on f.k = d.k and d.name <> 'd3' where f.n in (1, 3, 5) group by v order by v limit 7")) {
        plan => assert(lateScans(plan).size == 2)
      }
      sameAnswer(spark.sql("select * from fact where n = 3 union all " +
        "select * from fact where k = 4 and v like 'v%'")) { plan =>
        assert(lateScans(plan).size == 2)
      }
    }
  }

  test("the metrics of the scan count its rows and files") {
    withTables {
      val df = spark.sql("select id from fact where n = 3")
      val found = df.collect().length
      val Seq(scan) = lateScans(df)
      assert(scan.metrics("numOutputRows").value == found)
      assert(scan.metrics("numFiles").value > 0)
      latebloom.read.task.Counter.values.foreach(c => assert(scan.metrics.contains(c.key)))
    }
  }

  private def late1(plan: org.apache.spark.sql.execution.SparkPlan): Unit =
    assert(lateScans(plan).size == 1)

  test("the order of the filters follows what they cost and drop, and what drops last stays last") {
    withTempPath { dir =>
      // Sixteen row groups in a file: small ones are worked on as a whole.
      spark.range(0, 160000, 1, 1)
        .selectExpr("id", "id % 1000 a", "id * 7 % 1000 b", "id * 31 % 1000 c")
        .write.options(RowGroups.of(10000)).parquet(dir.getPath)
      sameAnswer(
        spark.read.parquet(dir.getPath).where("a <> 5 and b <> 6 and c < 40 and id / (c + 1) >= 0")
      ) { plan =>
        val Seq(scan) = lateScans(plan)
        assert(scan.filterTexts.head.contains("a"))
        assert(scan.metrics("filterSamples").value >= 1)
        assert(scan.metrics("filterReorders").value >= 1)
      }
    }
  }
}
