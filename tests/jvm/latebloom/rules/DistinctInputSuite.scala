// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.execution.SparkPlan

import latebloom.read.task.Counter
import latebloom.scan.LateScan
import latebloom.testkit.RowGroups
import latebloom.{BothFormatsTest, BuiltFor}

/** Aggregations for which duplicates change nothing: dictionaries stand for the rows. */
class DistinctInputSuite extends BothFormatsTest {

  override protected val tables: Seq[String] = Seq("facts", "parts")
  private val RowsOfGroup = 5000
  private val Groups = 8

  override def beforeAll(): Unit = {
    super.beforeAll()
    for (format <- formats) {
      spark.range(0, RowsOfGroup * Groups, 1, 1)
        .selectExpr(
          "id",
          "concat('text ', id % 17) text",
          "if(id % 3 = 0 or id < 6000, null, concat('text ', id % 17 + id div 10000)) some",
          "cast(if(id % 10 = 0, null, id % 40) as int) i",
          "bigint(id % 12) * 1000000007 l",
          "case when id % 5 = 0 then double('NaN') when id % 5 = 1 then -0.0d " +
            "when id % 5 = 2 then 0.0d when id % 5 = 3 then null else id % 3 - 1.5d end f",
          "date_add(date'2020-01-01', cast(id % 9 as int)) day",
          "cast(id % 21 as decimal(9, 2)) d",
          "cast(id % 21 as decimal(30, 2)) w",
          "cast(null as string) nothing",
          "concat('unlike any other ', id) own"
        )
        .write.options(RowGroups.of(RowsOfGroup))
        .option("orc.stripe.row.count", RowsOfGroup)
        .option("orc.row.index.stride", 1000)
        .format(format).saveAsTable(s"facts_$format")
      spark.range(0, 6000, 1, 1).selectExpr("concat('text ', id % 7) text", "id % 3 p")
        .write.format(format).partitionBy("p").saveAsTable(s"parts_$format")
    }
  }

  private def distinct(plan: SparkPlan): Seq[LateScan] =
    nodes(plan) { case s: LateScan if s.options.distinct => s }

  private def groups(scan: LateScan): Long = scan.metrics(Counter.ROW_GROUPS_ANSWERED.key).value

  /** Runs a query in both formats, whose scans must have answered so many row groups. */
  private def answered(sql: String, ofParquet: Int, ofOrc: Int): Unit = inBoth(sql) { plan =>
    assert(distinct(plan).size == 1)
    val scan = distinct(plan).head
    assert(groups(scan) == (if (scan.format.name == "orc") ofOrc else ofParquet))
    if (groups(scan) == Groups) {
      assert(scan.metrics(Counter.VALUES_DECODED.key).value == 0)
      assert(scan.metrics(Counter.PAGES_READ.key).value == 0)
      assert(scan.metrics("numOutputRows").value < 60 * Groups)
    }
  }

  private def left(sql: String): Unit = inBoth(sql)(plan => assert(distinct(plan).isEmpty))

  test("texts: no value of a row is decoded") {
    answered("select distinct text from facts", Groups, Groups)
    answered("select text from facts group by text", Groups, Groups)
    answered("select distinct some from facts", Groups, Groups)
    answered("select count(distinct some) from facts", Groups, Groups)
    answered("select min(some), max(some) from facts", Groups, Groups)
    answered("select approx_count_distinct(text), max(text) from facts", Groups, Groups)
    answered("select distinct length(text), upper(text) from facts", Groups, Groups)
    answered("select max(text) filter (where text < 'text 5') from facts", Groups, Groups)
  }

  test("numbers, dates and decimals have dictionaries in Parquet only") {
    for (column <- Seq("i", "l", "day", "d")) {
      answered(s"select distinct $column from facts", Groups, 0)
      answered(s"select count(distinct $column) from facts", Groups, 0)
    }
    // Parquet's first version has no codes of byte arrays of fixed length.
    answered("select distinct w from facts", 0, 0)
    answered("select distinct f from facts", Groups, 0)
    answered("select count(distinct f) from facts", Groups, 0)
    answered("select i % 5, count(distinct i) from facts group by i % 5", Groups, 0)
  }

  test("a column of nulls, and one with more values than a dictionary takes") {
    answered("select distinct nothing from facts", Groups, Groups)
    answered("select max(nothing) from facts where nothing is null", Groups, Groups)
    answered("select min(own), max(own) from facts", 0, 0)
    answered("select count(distinct own) from facts", 0, 0)
  }

  test("filters of the column itself, and of others that keep whole row groups") {
    answered("select distinct text from facts where text like '%3'", Groups, Groups)
    answered("select distinct text from facts where text is not null", Groups, Groups)
    answered(
      "select distinct some from facts where some is null or some > 'text 2'",
      Groups,
      Groups
    )
    answered("select distinct i from facts where i between 7 and 11", Groups, 0)
    answered("select distinct text from facts where id >= 12345", 5, 0)
    answered("select max(text) from facts where i = 7", 0, 0)
    answered("select distinct text from facts where text = 'text 3' and id >= 12345", 5, 0)
    answered("select max(text) from facts where length(text) = 6", Groups, Groups)
    inBoth("select distinct text from facts where text = 'none of them'")(_ => ())
  }

  test("with partition columns") {
    answered("select distinct p, text from parts", 3, 3)
    answered("select distinct text from parts where p = 1", 1, 1)
  }

  test("keys of a join") {
    inBoth(
      "select distinct a.text from facts a join (select text from parts where p = 1 and " +
        "text < 'text 4') b on a.text = b.text"
    )(_ => ())
    inBoth("select text from facts intersect select text from parts")(_ => ())
  }

  test("the same column with duplicates elsewhere in the query") {
    inBoth(
      "select (select count(text) from facts) a, (select count(distinct text) from facts) b, " +
        "(select count(*) from (select distinct text from facts where id > 100)) c"
    )(_ => ())
    inBoth(
      "select text from facts where text > 'text 5' union all " +
        "select distinct text from facts where text > 'text 5'"
    )(_ => ())
  }

  test("where duplicates count, and where more is read, rows are") {
    left("select text, count(*) from facts group by text")
    left("select text, sum(i) from facts group by text")
    left("select distinct text, i from facts")
    left("select text, max(i) from facts group by text")
    left("select count(text), max(text) from facts")
    left("select min(f), max(f) from facts")
    left("select max(named_struct('f', f)) from facts where f is not null")
    left("select distinct text, id % 2 from facts where id > 5")
    left("select collect_list(text) from facts where text = 'text 1'")
    left("select distinct text, monotonically_increasing_id() < 5 from facts")
    left("select p, max(text) from parts where p > 0 group by p")
    left("select distinct text, input_file_name() = 'x' from facts")
    left("select max(text) from facts where monotonically_increasing_id() >= 0")
    withSQLConf("spark.latebloom.aggregate.enabled" -> "false") {
      left("select distinct text from facts")
    }
  }

  test("texts that a collation treats as equal stay rows") {
    if (BuiltFor.spark != "3.5") {
      left("select max(text collate utf8_lcase) from facts")
    }
    if (BuiltFor.spark != "3.5") withTable("texts") {
      spark.sql("create table texts (c string collate utf8_lcase) using parquet")
      spark.sql("insert into texts select if(id % 2 = 0, 'a', 'A') from range(0, 1000, 1, 1)")
      for (asked <- Seq("count(distinct c)", "max(c)"))
        sameAnswer(spark.table("texts").selectExpr(asked))(plan => assert(distinct(plan).isEmpty))
    }
  }
}
