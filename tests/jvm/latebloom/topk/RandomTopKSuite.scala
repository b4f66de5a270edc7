// SPDX-License-Identifier: Apache-2.0
package latebloom.topk

import scala.util.Random
import scala.util.control.NonFatal

import org.scalatest.exceptions.TestFailedException

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.scan.{LateAggregateExec, LateScan}
import latebloom.testkit.RowGroups
import latebloom.toprows.AmongTopRows

/** Random queries for the first rows of an order: values of all types, with ties, nulls, NaN and
  * both zeros, filters, joins and offsets. Ties leave open which rows come, so the answer must have
  * the same values in the order's columns, row by row, and distinct rows of the filtered table. And
  * random counts and extremes of the same tables.
  *
  * `LATEBLOOM_TOPK_QUERIES` and `LATEBLOOM_TOPK_SEED` say how many and which.
  */
class RandomTopKSuite extends LateBloomTest {
  import RandomTopKSuite._

  private val queries = sys.env.get("LATEBLOOM_TOPK_QUERIES").fold(80)(_.toInt)
  private val seed = sys.env.get("LATEBLOOM_TOPK_SEED").fold(1L)(_.toLong)
  private val formats = Seq("parquet", "orc")

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.topK.minScanBytes", "0")
    spark.conf.set("spark.latebloom.topK.minSaved", "0")
    for (format <- formats; clustered <- Seq(false, true)) {
      val rows = spark.range(0, Rows, 1, 5).selectExpr(
        "id" +: "cast(id % 3 as int) p" +: columns.map { case (name, sql) => s"$sql $name" }: _*
      )
      (if (clustered) rows.orderBy("i", "id") else rows)
        .write.options(RowGroups.of(700))
        .option("parquet.page.row.count.limit", 100)
        // So small that some columns run out of codes after some pages.
        .option("parquet.dictionary.page.size", 1000)
        .option("orc.stripe.row.count", 1000).option("orc.row.index.stride", 1000)
        .format(format).saveAsTable(name("t", format, clustered))
    }
    spark.range(0, 40).selectExpr("cast(id % 25 as int) k", "concat('dim ', id) dim")
      .write.format("parquet").saveAsTable("dims")
  }

  override def afterAll(): Unit =
    try {
      for (format <- formats; clustered <- Seq(false, true))
        spark.sql(s"drop table if exists ${name("t", format, clustered)}")
      spark.sql("drop table if exists dims")
    } finally super.afterAll()

  private def name(table: String, format: String, clustered: Boolean) =
    s"${table}_${format}_${if (clustered) "clustered" else "scattered"}"

  test(s"$queries random queries of seed $seed") {
    val all = off(spark.table(name("t", "parquet", clustered = false)).collect())
      .map(r => r.getLong(0) -> texts(r)).toMap
    var searched = 0
    for (i <- 0 until queries) {
      val random = new Random(seed * 1000003 + i)
      val query = TopQuery.of(random, columns.map(_._1))
      val table = name("t", formats(random.nextInt(2)), random.nextBoolean())
      val sql = query.sql(table)
      about(s"query $i of seed $seed", sql) {
        val confs = Seq(
          SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> random.nextBoolean().toString,
          SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> (if (random.nextInt(4) == 0) "-1" else "10m"),
          SQLConf.FILES_MAX_PARTITION_BYTES.key -> Seq("20k", "128m")(random.nextInt(2)),
          // If it is small, the scan of the first rows is split in another way than the search.
          SQLConf.FILES_OPEN_COST_IN_BYTES.key -> Seq("1k", "4m")(random.nextInt(2))
        )
        withSQLConf(confs: _*) {
          val expected = off(spark.sql(sql).collect())
          val df = spark.sql(sql)
          val found = df.collect()
          assert(found.map(query.keys(_)).toSeq == expected.map(query.keys(_)).toSeq)
          val ids = found.map(r => r.getAs[Long]("id") -> r.getAs[Any]("other")).toSeq
          assert(ids.distinct.size == ids.size)
          val passing = off(spark.sql(query.passing(table)).collect()).map(_.getLong(0)).toSet
          found.foreach { r =>
            val id = r.getAs[Long]("id")
            assert(passing(id))
            assert(texts(Row.fromSeq(r.toSeq.take(columns.size + 2))) == all(id))
          }
          if (isSearched(df)) searched += 1
        }
      }
    }
    assert(searched > queries / 2)
  }

  test(s"$queries random counts and extremes of seed $seed") {
    var answered = 0
    for (i <- 0 until queries) {
      val random = new Random(seed * 7919 + i)
      def one[A](from: A*): A = from(random.nextInt(from.size))
      val asked = Seq.fill(1 + random.nextInt(4)) {
        s"${one("count", "min", "max")}(${one(counted: _*)})"
      } ++ (if (random.nextBoolean()) Seq("count(*)") else Nil)
      val table = name("t", formats(random.nextInt(2)), random.nextBoolean())
      val where =
        one("true", "true", "i > 20", "i <= 36 or i is null", "id >= 3000", "j > 0", "id < 0")
      val sql = s"select ${asked.mkString(", ")} from $table where $where"
      about(s"aggregation $i of seed $seed", sql) {
        val df = spark.sql(sql)
        assert(df.collect().toSeq == off(spark.sql(sql).collect().toSeq))
        val found = nodes(df.queryExecution.executedPlan) { case a: LateAggregateExec => a }
        answered += found.map(_.metrics(Counter.ROW_GROUPS_ANSWERED.key).value.toInt).sum.min(1)
      }
    }
    assert(answered > queries / 8)
  }

  test(s"$queries random sets of values of seed $seed") {
    var answered = 0
    for (i <- 0 until queries) {
      val random = new Random(seed * 104729 + i)
      def one[A](from: A*): A = from(random.nextInt(from.size))
      val column = one(columns.map(_._1).filterNot(Seq("z", "c").contains): _*)
      val asked = one(
        s"distinct $column",
        s"distinct $column, $column is null",
        s"count(distinct $column)",
        s"min($column), max($column)",
        s"distinct hash($column) % 100",
        s"approx_count_distinct($column)",
        s"max($column), count($column)",
        s"sum(hash($column))"
      )
      val table = name("t", formats(random.nextInt(2)), random.nextBoolean())
      val where = one(
        "true",
        "true",
        s"$column is not null",
        "i <= 20",
        s"hash($column) % 3 = 0",
        s"$column >= (select min($column) from $table where id % 7 = 0)"
      )
      val sql = s"select $asked from $table where $where"
      about(s"set $i of seed $seed", sql) {
        val df = spark.sql(sql)
        val found = df.collect().map(r => texts(r).map(oneZero)).toSet
        assert(found == off(spark.sql(sql).collect()).map(r => texts(r).map(oneZero)).toSet)
        val scans = nodes(df.queryExecution.executedPlan) {
          case s: LateScan if s.options.distinct => s
        }
        answered += scans.map(_.metrics(Counter.ROW_GROUPS_ANSWERED.key).value.toInt).sum.min(1)
      }
    }
    assert(answered > queries / 8)
  }

  /** Says of a different answer, or of a failure, which query has it. */
  private def about(which: String, sql: String)(body: => Unit): Unit =
    try withClue(s"$which: $sql\n")(body)
    catch {
      case e: TestFailedException => throw e
      case NonFatal(e)            => fail(s"$which failed: $sql\n$e", e)
    }

  private def oneZero(value: String) = if (value == "-0.0") "0.0" else value

  private def isSearched(df: DataFrame): Boolean = nodes(df.queryExecution.executedPlan) {
    case s: LateScan if s.topRows.exists(_.isInstanceOf[AmongTopRows]) => s
  }.nonEmpty

  private def texts(row: Row): Seq[String] = row.toSeq.map {
    case bytes: Array[Byte] => bytes.mkString(" ")
    case other              => s"$other"
  }
}

object RandomTopKSuite {
  private val Rows = 6000L

  /** Columns of every type that an order can have, of a few distinct values or of many. */
  private val columns: Seq[(String, String)] = {
    def nulls(every: Int, sql: String) = s"if(id % $every = 1, null, $sql)"
    val some = "pmod(hash(id), 37)"
    val many = "hash(id, 7)"
    Seq(
      "b" -> nulls(5, "id % 2 = 0"),
      "y" -> nulls(7, s"cast($some - 18 as byte)"),
      "h" -> nulls(11, s"cast(pmod($many, 30000) - 15000 as short)"),
      "i" -> nulls(13, s"cast($some as int)"),
      "j" -> s"$many",
      "l" -> nulls(17, s"bigint($many) * 1000003"),
      "f" -> nulls(
        19,
        s"case when id % 23 = 0 then float('NaN') when id % 29 = 0 then float('-0.0') " +
          s"when id % 31 = 0 then float('0') else float($some - 18) end"
      ),
      "d" -> nulls(
        19,
        s"case when id % 23 = 0 then double('NaN') when id % 29 = 0 then -0.0d " +
          s"when id % 31 = 0 then 0.0d when id % 37 = 0 then double('-Infinity') else $many / 7 end"
      ),
      "n" -> nulls(11, s"cast($some - 18 as decimal(9, 2)) / 4"),
      "m" -> nulls(11, s"cast(bigint($many) * 1000 as decimal(18, 3))"),
      "w" -> nulls(11, s"cast($many as decimal(30, 5)) * 1000000007"),
      "a" -> nulls(3, s"date_add(date'1582-10-20', $some)"),
      "e" -> s"date_add(date'1500-01-01', pmod($many, 250000))",
      "t" -> nulls(13, s"timestamp_seconds(bigint($many))"),
      "u" -> nulls(13, s"timestamp_ntz'1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, $many)"),
      "s" -> nulls(5, s"concat('text ', $some)"),
      "v" -> s"concat(char(pmod($many, 500)), $many)",
      "x" -> nulls(7, s"cast(concat('', $some) as binary)"),
      "z" -> "array(id, null, id % 5)",
      "c" -> s"named_struct('k', $some, 'g', id % 2)"
    )
  }

  /** Columns of counts and extremes. */
  private val counted = Seq("id", "y", "h", "i", "j", "l", "n", "m", "a", "e", "t", "u")

  /** Parts of orders that are not columns. */
  private val expressions =
    Seq("t.j % 100", "abs(t.l % 1000)", "length(t.v)", "t.i + t.y", "coalesce(t.i, 7)")

  /** A query for the first rows of an order.
    *
    * @param named
    *   whether the order uses names of the output, else the expressions themselves
    */
  private case class TopQuery(
      order: Seq[(String, String)],
      named: Boolean,
      where: String,
      join: Int,
      limit: String
  ) {

    def sql(table: String): String = {
      val shown = order.zipWithIndex.map { case ((key, _), i) => s"$key o$i" }
      val by = order.zipWithIndex.map { case ((key, how), i) =>
        s"${if (named) s"o$i" else key} $how"
      }
      val from = join match {
        case 1 => s"$table t join dims on t.i = k"
        case 2 => s"$table t left join dims on t.y = k"
        case _ => s"(select *, cast(null as string) dim from $table) t"
      }
      val all = Seq("t.id", "t.p") ++ columns.map(c => s"t.${c._1}") ++ ("dim other" +: shown)
      s"select ${all.mkString(", ")} from $from where $where order by ${by.mkString(", ")} $limit"
    }

    /** The ids of the rows that pass. */
    def passing(table: String): String = {
      val joined = if (join == 1) " and i in (select k from dims)" else ""
      s"select id from $table t where $where$joined"
    }

    /** What the answer must have in common with Spark's. */
    def keys(row: Row): Seq[String] = order.indices.map { i =>
      row.getAs[Any](s"o$i") match {
        case d: Double if d == 0 => "0.0"
        case f: Float if f == 0  => "0.0"
        case bytes: Array[Byte]  => bytes.mkString(" ")
        case other               => s"$other"
      }
    }
  }

  private object TopQuery {
    def of(random: Random, columns: Seq[String]): TopQuery = {
      def one[A](from: A*): A = from(random.nextInt(from.size))
      val order = Seq.fill(1 + random.nextInt(3)) {
        val key = if (random.nextInt(5) == 0) one(expressions: _*) else s"t.${one(columns: _*)}"
        key -> s"${one("asc", "desc")} ${one("", "nulls first", "nulls last")}".trim
      }
      val where = one(
        "true",
        "true",
        "t.i > 20",
        "t.s like '%1'",
        "t.id % 97 = 5",
        "t.j > 0 and t.d is not null",
        "t.id < 4",
        "t.a is null or t.l > 0"
      )
      val limit = s"limit ${one(1, 2, 10, 100, 1000)}" + one("", "", s" offset ${one(1, 50)}")
      TopQuery(order, random.nextBoolean(), where, random.nextInt(4), limit)
    }
  }
}
