// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.{EqualTo, GreaterThan, LessThan, Literal, Rand}
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, ProjectExec}
import org.apache.spark.sql.internal.SQLConf

import latebloom.decision.{Decision, Reasons, Residual}
import latebloom.{BuiltFor, LateBloomTest, LineTest}

class LateScansSuite extends LateBloomTest {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(200)
      .selectExpr(
        "id",
        "cast(id % 10 as int) n",
        "if(id % 7 = 0, null, concat('s', id % 5)) s",
        "cast(id as double) / 4 d",
        "cast(id as decimal(12, 2)) m",
        "named_struct('x', id, 'y', cast(id as string)) st",
        "array(id, n) a",
        "cast(id % 3 as int) p"
      )
      .write.partitionBy("p").saveAsTable("t")
  }

  override protected def afterAll(): Unit =
    try spark.sql("drop table t")
    finally super.afterAll()

  test("a filter that the scan evaluates whole leaves no Filter and no Project") {
    sameAnswer(spark.sql("select id from t where n = 3")) { plan =>
      val Seq(scan) = lateScans(plan)
      assert(sql(scan) == Seq("(n IS NOT NULL)", "(n = 3)"))
      assert(names(scan) == Seq("id", "p"))
      assert(scan.filterOnly.map(_.name) == Seq("n"))
      assert(scan.requiredSchema.fieldNames.toSeq == Seq("id"))
      assert(nodes(plan) { case f: FilterExec => f }.isEmpty)
    }
  }

  test("a filter column that the query asks for stays") {
    sameAnswer(spark.sql("select * from t where n = 3 and s = 's1'")) { plan =>
      val Seq(scan) = lateScans(plan)
      assert(scan.filterOnly.isEmpty)
      assert(names(scan) == Seq("id", "n", "s", "d", "m", "st", "a", "p"))
      assert(nodes(plan) { case f: FilterExec => f }.isEmpty)
    }
  }

  test("the output is as nullable as that of the nodes which the scan replaces") {
    Seq("select * from t where s > 's2'", "select id, s from t where s > 's2'").foreach { query =>
      sameAnswer(spark.sql(query)) { plan =>
        val vanilla = off(spark.sql(query).queryExecution.executedPlan)
        assert(plan.output.map(a => a.name -> a.nullable) ==
          vanilla.output.map(a => a.name -> a.nullable))
      }
    }
  }

  test("no column at all may be left") {
    sameAnswer(spark.sql("select count(*) from t where n = 3")) { plan =>
      val Seq(scan) = lateScans(plan)
      assert(scan.requiredSchema.isEmpty)
    }
  }

  test("cheap columns come first, columns with a null check only come last") {
    sameAnswer(spark.sql(
      "select 1 from t where s like '%s%1%' and id is not null and d > 3 and n < 9 and m <> 12"
    )) {
      plan =>
        assert(lateScans(plan).head.filterColumns == Seq("n", "d", "m", "s", "id"))
    }
  }

  test("the scan evaluates every deterministic condition, at the level that it needs") {
    sameAnswer(spark.sql(
      "select id from t where n = 3 and id & 4 = 4 and id > d * 2 and st.x > 5 and size(a) = 2"
    )) { plan =>
      val Seq(scan) = lateScans(plan)
      assert(scan.filterTexts.map(_.replaceAll("[()]", "")) == Seq(
        "n IS NOT NULL AND n = 3",
        "st.`x` IS NOT NULL AND st.`x` > 5L",
        "id IS NOT NULL",
        "d IS NOT NULL",
        "id & 4L = 4L [dictionary]",
        "sizea = 2 [row]",
        "CASTid AS DOUBLE > d * 2.0D [row]"
      ))
      assert(names(scan) == Seq("id", "p"))
      assert(nodes(plan) { case f: FilterExec => f }.isEmpty)
    }
  }

  test("the arms of an OR over several columns are evaluated where they can still matter") {
    Seq(
      "n = 3 or s = 's1' or id < 5",
      "n = 3 or (s = 's1' and id < 50) or d * 2 > id",
      "(n = 3 or s = 's1') and (id < 50 or st.x > 100)",
      "not (n = 3 and s = 's1')",
      "s = 's1' or s is null or n in (1, 2)",
      "n = 3 or coalesce(s, 'none') = 'none'"
    ).foreach { condition =>
      sameAnswer(spark.sql(s"select id, s from t where $condition")) { plan =>
        assert(lateScans(plan).size == 1, condition)
        assert(nodes(plan) { case f: FilterExec => f }.isEmpty, condition)
      }
    }
  }

  test(
    "what may fail is evaluated after all that cannot, in its order, and only where it must be"
  ) {
    // Rows that the conditions before it drop would fail.
    Seq(
      "n in (3, 4) and 1 / (n - 2) > 0",
      "s <> 's1' and cast(substring(s, 2) as int) > 1",
      "s in ('1', '2') and cast(s as int) > 1",
      "n <> 2 and 10 div (n - 2) > 1 and 100 div (id - 2) > 1 and d > 0"
    ).foreach { condition =>
      sameAnswer(spark.sql(s"select id from t where $condition")) { plan =>
        val Seq(scan) = lateScans(plan)
        assert(scan.filterTexts.last.endsWith("]"), condition)
        assert(nodes(plan) { case f: FilterExec => f }.isEmpty, condition)
      }
    }
  }

  test("a query that fails on Spark fails the same way") {
    Seq("10 div (n - 2) > 1", "cast(s as int) > 1", "n + 2147483647 > 5", "st.x / (id - 7) > 1")
      .foreach { condition =>
        val query = s"select id from t where $condition"
        def error = LineTest.condition(intercept[SparkThrowable](spark.sql(query).collect()))
        val expected = off(error)
        assert(lateScans(spark.sql(query)).size == 1, condition)
        assert(error == expected, condition)
      }
  }

  test("a conjunct that may fail stays after one that the scan does not evaluate") {
    val query = "select *, _metadata.row_index as row from t " +
      "where if(_metadata.row_index >= 0, n > 0, false) and 10 div n > 1 and id > 3"
    sameAnswer(spark.sql(query)) { plan =>
      val Seq(scan) = lateScans(plan)
      assert(Decision.of(scan).get.residual.map(_.why.code) ==
        Seq("metadata-column", "after-residual"))
    }
  }

  test("a subquery of one value is evaluated in the scan once it has run") {
    Seq(
      "n > (select min(n) from t) and 10 div n > 1 and id > 3",
      "s = (select max(s) from t where n = 4)",
      "n > (select n from t where id = -1)",
      "id + n > (select avg(id) from t)"
    ).foreach { condition =>
      sameAnswer(spark.sql(s"select * from t where $condition")) { plan =>
        val Some(scan) = lateScans(plan).find(_.requiredSchema.size > 2)
        assert(Decision.of(scan).get.residual.isEmpty, condition)
      }
    }
  }

  test("fields of structs are read without their struct") {
    withTempPath { dir =>
      spark.range(1000).selectExpr(
        "id",
        "if(id % 3 = 0, null, named_struct('x', if(id % 4 = 0, null, id), " +
          "'in', if(id % 5 = 0, null, named_struct('y', cast(id % 7 as string))))) st"
      ).write.parquet(dir.getPath)
      val t = spark.read.parquet(dir.getPath)
      Seq(
        "st.x > 900",
        "st.x is null",
        "st.in.y = '3'",
        "st.in.y is null and id < 100",
        "st.in.y = '3' or st.x = 8",
        "st.in is null",
        "st is null or st.x > 990",
        "upper(st.in.y) in ('2', '5') and st.x + id < 500"
      ).foreach { condition =>
        Seq("id", "*", "st.x", "st.in").foreach { columns =>
          sameAnswer(t.where(condition).selectExpr(columns)) { plan =>
            assert(lateScans(plan).size == 1, condition)
          }
        }
      }
    }
  }

  test("no conjunct after a non-deterministic one is taken") {
    val Seq(scan) =
      off(nodes(spark.sql("select id, n from t where n = 3").queryExecution.executedPlan) {
        case s: FileSourceScanExec => s
      })
    def column(name: String) = scan.output.find(_.name == name).get
    val known = EqualTo(column("n"), Literal(3))
    val random = LessThan(Rand(Literal(1)), Literal(0.5))
    val later = GreaterThan(column("id"), Literal(50L))
    val conjuncts = Conjuncts.split(Seq(known, random, later), scan)
    assert(conjuncts.taken == Seq(known))
    assert(conjuncts.residual == Seq(
      Residual(random, Reasons.nonDeterministic),
      Residual(later, Reasons.afterNonDeterministic)
    ))
    sameAnswer(spark.sql("select id from t where n = 3 and rand(1) < 0.5 and id > 50")) { plan =>
      assert(Decision.of(lateScans(plan).head).get.residual.map(_.why.code) ==
        Seq("non-deterministic", "after-non-deterministic"))
      assert(nodes(plan) { case f: FilterExec => f }.size == 1)
    }
  }

  test("partition columns, metadata and several filters in a row") {
    sameAnswer(spark.sql("select id, p from t where p = 1 and n = 4")) { plan =>
      assert(lateScans(plan).head.scanFilters.size == 2)
      assert(lateScans(plan).head.partitionFilters.nonEmpty)
    }
    sameAnswer(spark.sql("select id, p from t where n = 4 and p + id > 100")) { plan =>
      assert(nodes(plan) { case f: FilterExec => f }.size == 1)
    }
    sameAnswer(spark.sql("select id, _metadata.file_path, _metadata.row_index from t " +
      "where n = 4 and _metadata.row_index > 2 and _metadata.file_size > 0")) { plan =>
      val Seq(scan) = lateScans(plan)
      assert(scan.filterOnly.map(_.name) == Seq("n"))
      assert(Decision.of(scan).get.residual.nonEmpty)
    }
    sameAnswer(spark.sql("select id, n, _metadata.row_index from t where n = 4")) { plan =>
      assert(lateScans(plan).size == 1)
      assert(nodes(plan) { case f: FilterExec => f }.isEmpty)
    }
    sameAnswer(spark.sql("select id, _metadata from t where n = 4")) { plan =>
      assert(lateScans(plan).size == 1)
    }
    sameAnswer(spark.sql("select id, input_file_name() from t where n = 4")) { plan =>
      assert(lateScans(plan).size == 1)
    }
  }

  test("names match by the session's case sensitivity") {
    sameAnswer(spark.sql("select ID from T where N = 4 and S in ('s1', 's2')")) { plan =>
      assert(lateScans(plan).head.filterOnly.map(_.name) == Seq("n", "s"))
    }
    withTempPath { dir =>
      withSQLConf(SQLConf.CASE_SENSITIVE.key -> "true") {
        spark.range(20).selectExpr("id a", "id + 1 A").write.parquet(dir.getPath)
        sameAnswer(spark.read.parquet(dir.getPath).where("a > 3 and A < 9").select("A")) { plan =>
          assert(lateScans(plan).head.filterOnly.map(_.name) == Seq("a"))
        }
      }
    }
  }

  test("two Filters over one scan become one for the scan") {
    sameAnswer(spark.sql("select id from (select id, n, monotonically_increasing_id() i from t " +
      "where n > 3) where i >= 0 and n < 6")) { plan => assert(lateScans(plan).size == 1) }
  }

  test("switches decide when a query is planned") {
    val query = "select id from t where n = 3"
    Seq("spark.latebloom.enabled" -> "disabled", "spark.latebloom.scan.enabled" -> "scan-disabled")
      .foreach { case (key, code) =>
        withSQLConf(key -> "false") {
          val df = spark.sql(query)
          assert(reports(df).flatMap(_.declined).map(_.code) == Seq(code))
        }
      }
    val planned = spark.sql(query)
    val expected = off(rows(spark.sql(query)))
    assert(lateScans(planned).size == 1)
    off(assert(rows(planned) == expected))
    assert(lateScans(planned).size == 1)
    val plannedOff = spark.sql(query)
    off(assert(lateScans(plannedOff).isEmpty))
    assert(rows(plannedOff) == expected)
    assert(lateScans(plannedOff).isEmpty)
  }

  test("a conf that is not valid is refused when it is set") {
    intercept[IllegalArgumentException](spark.conf.set("spark.latebloom.scan.eagerFraction", "2"))
    intercept[IllegalArgumentException](spark.conf.set("spark.latebloom.enabled", "perhaps"))
  }

  test("the plan carries the confs of its planning") {
    withSQLConf(
      "spark.latebloom.io.mergeGapBytes" -> "1m",
      SQLConf.PARQUET_VECTORIZED_READER_BATCH_SIZE.key -> "100"
    ) {
      val options = lateScans(spark.sql("select id from t where n = 3")).head.spec.options
      assert(options.mergeGapBytes == 1024 * 1024 && options.batchRows == 100)
      assert(options.eagerFraction == 0.5 && options.pageCacheBytes == 64 * 1024 * 1024)
    }
  }

  private def declined(code: String, query: String, confs: (String, String)*): Unit =
    withSQLConf(confs: _*) {
      val df = spark.sql(query)
      assert(lateScans(df).isEmpty)
      assert(reports(df).flatMap(_.declined).map(_.code) == Seq(code))
    }

  test("a declined scan has its reason") {
    declined("no-filter", "select id from t")
    declined("not-selective", "select id from t where s is not null")
    declined("nothing-pushable", "select id from t where rand() < 0.5")
    declined(
      "vectorized-reader-off",
      "select id from t where n = 3",
      SQLConf.PARQUET_VECTORIZED_READER_ENABLED.key -> "false"
    )
    declined(
      "schema-not-vectorized",
      "select st from t where n = 3",
      SQLConf.PARQUET_VECTORIZED_READER_NESTED_COLUMN_ENABLED.key -> "false"
    )
    declined(
      "ignore-corrupt-files",
      "select id from t where n = 3",
      SQLConf.IGNORE_CORRUPT_FILES.key -> "true"
    )
  }

  test("other formats have a reason") {
    withTempPath { dir =>
      val data = spark.range(20).selectExpr("id a", "id b")
      data.write.orc(s"$dir/orc")
      data.write.csv(s"$dir/csv")
      data.write.parquet(s"$dir/parquet")
      def codes(format: String) =
        reports(spark.read.schema("a long, b long").format(format).load(s"$dir/$format")
          .where("a = 3")).map(_.declined.map(_.code))
      assert(codes("orc") == Seq(None))
      withSQLConf(SQLConf.ORC_VECTORIZED_READER_ENABLED.key -> "false") {
        assert(codes("orc") == Seq(Some("vectorized-reader-off")))
        assert(codes("parquet") == Seq(None))
      }
      assert(codes("csv") == Seq(Some("format-not-read")))
      assert(codes("parquet") == Seq(None))
      withSQLConf(
        SQLConf.USE_V1_SOURCE_LIST.key -> "",
        SQLConf.PARQUET_AGGREGATE_PUSHDOWN_ENABLED.key -> "true",
        SQLConf.ORC_AGGREGATE_PUSHDOWN_ENABLED.key -> "true"
      ) {
        assert(codes("parquet") == Seq(Some("datasource-v2")))
        assert(codes("orc") == Seq(Some("datasource-v2")))
      }
      val ignoring = spark.read.option("ignoreCorruptFiles", "true").parquet(s"$dir/parquet")
      assert(reports(ignoring.where("a = 3")).flatMap(_.declined).map(_.code) ==
        Seq("ignore-corrupt-files"))
    }
  }

  test("a streaming source is left to Spark") {
    withTempPath { dir =>
      spark.range(20).selectExpr("id a", "id b").write.parquet(s"$dir/in")
      val query = spark.readStream.schema("a long, b long").parquet(s"$dir/in").where("a = 3")
        .writeStream.format("memory").queryName("found").start()
      try {
        query.processAllAvailable()
        checkAnswer(spark.table("found"), Seq(org.apache.spark.sql.Row(3L, 3L)))
      } finally {
        query.stop()
      }
    }
  }

  test("the rule does not change its own result") {
    withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false") {
      val plan =
        spark.sql("select id from t where n = 3 and p + id > 4").queryExecution.executedPlan
      assert(LateScans(plan) eq plan)
      assert(nodes(plan) { case p: ProjectExec => p }.size == 1)
    }
  }

  test("a part that may fail and stands in several places is evaluated only where it is reached") {
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "true") {
      // From 4.2 on Spark evaluates such a part before it knows whether it is reached.
      val sparks = Seq("4.2", "4.3").filter(_ == BuiltFor.spark)
        .map(_ => SQLConf.SUBEXPRESSION_ELIMINATION_ENABLED.key -> "false")
      Seq(
        "(n > 0 and 10 div n > 2) or (n < 0 and 10 div n = 1)",
        "(n > 0 and 10 div n > id) or (n < 0 and 10 div n = id)"
      ).foreach { where =>
        sameAnswerAs(sparks: _*)(spark.sql(s"select id from t where $where")) { plan =>
          assert(lateScans(plan).size == 1)
        }
      }
    }
  }
}
