// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.apache.spark.sql.internal.SQLConf

import latebloom.BothFormatsTest
import latebloom.read.task.{ColumnCounts, Counter}
import latebloom.scan.{ColumnOutcome, LateScan}

class ReadColumnsSuite extends BothFormatsTest {
  override protected val tables: Seq[String] = Seq("t", "wide")

  private val columns = ColumnCounts.MOST_COLUMNS + 4

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    for (format <- formats) {
      spark.range(0, 1000, 1, 1).selectExpr(
        "id",
        "cast(id % 10 as int) n",
        "concat('s', id) s",
        "array(id, -id, id) entries",
        "named_struct('deep', named_struct('v', id % 10)) o",
        "struct(id a, id b) pair"
      ).write.format(format).saveAsTable(s"t_$format")
      spark.range(0, 100, 1, 1)
        .selectExpr("id % 4 as c0" +: (1 until columns).map(c => s"id + $c as c$c"): _*)
        .write.format(format).saveAsTable(s"wide_$format")
    }
  }

  private def scan(query: String, format: String): LateScan =
    under("spark.latebloom.cache.enabled" -> "false") {
      onlyScan(spark.sql(query.replaceAll("\\b(t|wide)\\b", s"$$1_$format")))
    }

  private def read(query: String, format: String): Map[String, ColumnOutcome] =
    ReadColumns.of(scan(query, format), 100).map(c => c.name -> c).toMap

  test("a filter decodes all of its column, and the output only what passes") {
    for (format <- formats) withClue(s"$format\n") {
      assert(read("select id, s from t where n = 3", format).values.toSet == Set(
        ColumnOutcome("n", "filter", 1000, 0, 0),
        ColumnOutcome("id", "payload", 100, 0, 900),
        ColumnOutcome("s", "payload", 100, 0, 900)
      ))
    }
  }

  test("a column that is filtered and output may be decoded twice, and is never skipped twice") {
    val n = formats.map(f => f -> read("select n from t where n = 3", f)("n")).toMap
    assert(n("parquet") == ColumnOutcome("n", "filter and payload", 1100, 0, 0))
    // A filter of ORC keeps what passes for the output.
    assert(n("orc") == ColumnOutcome("n", "filter and payload", 1000, 0, 0))
  }

  test("each filter decodes what the one before it has left") {
    for (format <- formats) withClue(s"$format\n") {
      val found = read("select id from t where n = 3 and length(s) = 3", format)
      val (n, s) = (found("n"), found("s"))
      // The scan measures which of them is first.
      assert(Set((1000L, 100L), (90L, 1000L), (1000L, 1000L))((n.decoded, s.decoded)))
      Seq(n, s).foreach(c => assert(c.decoded + c.skipped == 1000, c))
      assert(found("id") == ColumnOutcome("id", "payload", 9, 0, 991))
    }
  }

  test("nothing of the output is decoded where no row passes") {
    for (format <- formats) withClue(s"$format\n") {
      val found = read("select id, s from t where n * 7 = 3", format)
      assert(found("id") == ColumnOutcome("id", "payload", 0, 0, 1000))
      assert(found("s") == ColumnOutcome("s", "payload", 0, 0, 1000))
    }
  }

  test("entries of lists are values, and fields of structs have their path") {
    val lists = read("select entries from t where o.deep.v = 3", "parquet")
    assert(lists("entries") == ColumnOutcome("entries", "payload", 300, 0, 900))
    assert(lists("o.deep.v") == ColumnOutcome("o.deep.v", "filter", 1000, 0, 0))
    assert(read("select id from t where o.deep.v = 3", "orc").keySet == Set("id", "o.deep.v"))
  }

  test("what Spark's own reader decodes is said to be so") {
    val found = read("select pair from t where n = 3", "parquet")
    assert(found("pair") == ColumnOutcome("pair", "payload", 0, 100, 900))
  }

  test("a query that stops early skips what it has not decoded, and leaves out the rest") {
    for (format <- formats) withClue(s"$format\n") {
      val found = read("select id from t where n = 3 limit 1", format)
      assert(found("id").decoded + found("id").skipped <= 1000)
      assert(found("id").decoded >= 1)
    }
  }

  test("the columns of a scan add up to its metrics, in all of its tasks") {
    for (format <- formats) withClue(s"$format\n") {
      withSQLConf(SQLConf.FILES_MAX_PARTITION_BYTES.key -> "1000") {
        val late = scan("select id, s from t where n = 3", format)
        val found = late.columnOutcomes
        def metric(of: Counter) = late.metrics(of.key).value
        assert(found.map(_.decoded).sum == metric(Counter.VALUES_DECODED))
        assert(found.map(_.skipped).sum == metric(Counter.VALUES_SKIPPED))
      }
    }
  }

  test("of a wide table those with the most decoded values are listed, and the sum of the others") {
    for (format <- formats) withClue(s"$format\n") {
      val late = scan("select * from wide where c0 = 1", format)
      assert(late.columnOutcomes.size == ColumnCounts.MOST_COLUMNS)
      assert(late.columnOutcomes.last ==
        ColumnOutcome("5 more columns", "payload", 5 * 25, 0, 5 * 75))
      val few = ReadColumns.of(late, 3)
      assert(few.map(_.name) == Seq("c0", "5 more columns", s"${columns - 6} more columns"))
      assert(few.map(_.decoded).sum == late.columnOutcomes.map(_.decoded).sum)
    }
  }

  test("a scan that has not run has read nothing") {
    val query = spark.sql("select id from t_parquet where n = 3").queryExecution.executedPlan
    assert(lateScans(query).flatMap(_.columnOutcomes).isEmpty)
  }

  test("row groups are read late or eagerly for a reason") {
    for (format <- formats) withClue(s"$format\n") {
      val late = scan("select id, s from t where n = 3", format)
      val Seq(visits) = Visits.of(late)
      assert(visits.rowGroups == 1 && Set("late", "eager")(visits.kind))
      val metric = if (visits.kind == "late") Counter.ROW_GROUPS_LATE else Counter.ROW_GROUPS_EAGER
      assert(late.metrics(metric.key).value == 1)
    }
    withSQLConf("spark.latebloom.scan.eagerFraction" -> "0") {
      val codes = Visits.of(scan("select id, s from t where n = 3", "parquet")).map(_.code)
      assert(codes.forall(Set("most-rows-pass", "saves-no-request")))
    }
  }
}
