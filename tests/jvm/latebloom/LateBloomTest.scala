// SPDX-License-Identifier: Apache-2.0
package latebloom

import java.io.File
import java.net.URI

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.plans.logical.Sort
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}
import org.apache.spark.sql.test.SharedSparkSession
import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.{SparkConf, SparkException}

import latebloom.decision.ShortSql
import latebloom.inspect.{PlanNodes, ScanReport}
import latebloom.read.task.Counter
import latebloom.scan.LateScan
import latebloom.testkit.ShortQueries

/** A session with the extension; compares each query's answer with the extension off and on. */
trait LateBloomTest extends QueryTest with SharedSparkSession {

  override protected def sparkConf: SparkConf = super.sparkConf
    .setAll(ShortQueries.confs)
    .set("spark.sql.extensions", classOf[LateBloomExtensions].getName)
    .set(SQLConf.SHUFFLE_PARTITIONS.key, "3")
    .set(SQLConf.PLAN_CHANGE_VALIDATION.key, "true")
    // The defaults from Spark 4.0 on.
    .set(SQLConf.ANSI_ENABLED.key, "true")
    .set(SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key, "CORRECTED")
    .set(SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key, "CORRECTED")
    // A scan waits for keys however slow the machine is.
    .set("spark.latebloom.join.patience", "1e9")

  /** A killed run leaves its tables, which Spark would refuse to overwrite. */
  override protected def beforeAll(): Unit = {
    JavaUtils.deleteRecursively(new File(new URI(sparkConf.get(StaticSQLConf.WAREHOUSE_PATH.key))))
    super.beforeAll()
    ShortQueries.forgetDefaults(spark.sparkContext.hadoopConfiguration)
  }

  protected def off[A](body: => A): A = under("spark.latebloom.enabled" -> "false")(body)

  /** `withSQLConf`, which does not give what its body gives in every line. */
  protected def under[A](confs: (String, String)*)(body: => A): A = {
    var result = Option.empty[A]
    withSQLConf(confs: _*) { result = Some(body) }
    result.get
  }

  /** Spark's own plans and runs the query once more, to look at it as an RDD, and writes out all
    * rows to sort them.
    */
  override protected def checkAnswer(df: => DataFrame, expected: Seq[Row]): Unit = {
    val query = df
    val rows = query.collect().toSeq
    val sorted = query.queryExecution.analyzed.exists(_.isInstanceOf[Sort])
    def keys(rows: Seq[Row]) = rows.map(LateBloomTest.exact)
    def counts(rows: Seq[Row]) =
      keys(rows).groupBy(identity).map { case (row, all) => row -> all.size }
    val same =
      if (sorted) keys(rows) == keys(expected) else counts(rows) == counts(expected)
    if (!same)
      QueryTest.sameRows(expected, rows, sorted).foreach { difference =>
        fail(s"$difference\n${query.queryExecution}")
      }
  }

  /** Runs the query off and on, with adaptive execution and without, then checks the plan. */
  protected def sameAnswer(query: => DataFrame)(look: SparkPlan => Unit): Unit =
    sameAnswerAs()(query)(look)

  /** `sameAnswer`, with settings for Spark's own run where it is wrong without them. */
  protected def sameAnswerAs(sparks: (String, String)*)(query: => DataFrame)(
      look: SparkPlan => Unit
  ): Unit = Seq(true, false).foreach(sameAnswer(query, _, sparks: _*)(look))

  protected def sameAnswer(query: => DataFrame, adaptive: Boolean, sparks: (String, String)*)(
      look: SparkPlan => Unit
  ): Unit =
    withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive.toString) {
      val expected = under(sparks :+ "spark.latebloom.enabled" -> "false": _*) {
        val vanilla = query
        val rows = vanilla.collect().toSeq
        assert(lateScans(vanilla).isEmpty)
        rows
      }
      val df = query
      assert(off(query.schema) == df.schema)
      checkAnswer(df, expected)
      withClue(s"adaptive: $adaptive\n${df.queryExecution.executedPlan}") {
        look(df.queryExecution.executedPlan)
      }
    }

  /** The error of the query's failed task. */
  protected def failedTask(query: => Any): Throwable =
    LineTest.ofTask(intercept[SparkException](query))

  protected def lateScans(plan: SparkPlan): Seq[LateScan] =
    PlanNodes.all(plan).collect { case s: LateScan => s }

  protected def lateScans(df: DataFrame): Seq[LateScan] = lateScans(df.queryExecution.executedPlan)

  /** Runs a query, and returns its scan. */
  protected def onlyScan(df: DataFrame): LateScan = {
    df.collect()
    val scans = lateScans(df)
    assert(scans.size == 1, df.queryExecution.executedPlan)
    scans.head
  }

  /** How many files, splits and rows a scan that has run left out, as an earlier query found. */
  protected def remembered(scan: LateScan): Long =
    Seq(Counter.SPLITS_REMEMBERED, Counter.ROWS_REMEMBERED).map(c => scan.metrics(c.key).value).sum

  protected def nodes[A](plan: SparkPlan)(pick: PartialFunction[SparkPlan, A]): Seq[A] =
    PlanNodes.all(plan).collect(pick)

  protected def reports(df: DataFrame): Seq[ScanReport] =
    ScanReport.ofPlan(df.queryExecution.executedPlan)

  protected def sql(scan: LateScan): Seq[String] = scan.scanFilters.map(ShortSql(_))

  protected def names(scan: LateScan): Seq[String] = scan.output.map(_.name)

  /** A number that a variable of the environment sets. */
  protected def fromEnvironment(name: String, default: Int): Int =
    sys.env.get(name).fold(default)(_.toInt)

  protected def rows(df: DataFrame): Set[Row] = df.collect().toSet
}

object LateBloomTest {

  /** A value that equals only that of the same value: zeros have signs, arrays are what they hold.
    */
  private def exact(value: Any): Any = value match {
    case row: Row                             => row.toSeq.map(exact)
    case bytes: Array[Byte]                   => bytes.toSeq
    case double: Double                       => (0, java.lang.Double.doubleToLongBits(double))
    case float: Float                         => (1, java.lang.Float.floatToIntBits(float))
    case map: scala.collection.Map[_, _]      => map.map { case (k, v) => exact(k) -> exact(v) }
    case values: scala.collection.Iterable[_] => values.toSeq.map(exact)
    case other                                => other
  }
}
