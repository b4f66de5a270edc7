// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.SparkConf
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.delta.DeltaLog
import org.apache.spark.sql.execution.SparkPlan

import latebloom.decision.{Decision, Declined}
import latebloom.inspect.PlanNodes
import latebloom.{LateBloomExtensions, LateBloomTest}

/** A session with Delta Lake and LateBloom. */
trait DeltaTest extends LateBloomTest {

  protected def extensions: Seq[String] =
    Seq("io.delta.sql.DeltaSparkSessionExtension", classOf[LateBloomExtensions].getName)

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.sql.extensions", extensions.mkString(","))
    .set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .set("spark.databricks.delta.snapshotPartitions", "1")
    // What Delta checks of its own log, in tests and outside of UTC, after each commit.
    .set("spark.databricks.delta.incremental.commit.forceVerifyInTests", "false")
    .set("spark.databricks.delta.allFilesInCrc.verificationMode.forceOnNonUTC.enabled", "false")
    .set("spark.latebloom.join.minScanBytes", "0")
    .set("spark.latebloom.join.relistBytes", "0")

  /** All of the combinations that a test is for if the environment has `LATEBLOOM_DELTA_ALL`, else
    * the first: Delta's commands take seconds each.
    */
  protected def combinations[A](all: A*): Seq[A] =
    if (sys.env.contains("LATEBLOOM_DELTA_ALL")) all else all.take(1)

  /** A query whose scans of Delta tables must all be ours. */
  protected def taken(query: String): Unit = sameAnswer(spark.sql(query), adaptive = true) { plan =>
    assert(lateScans(plan).nonEmpty)
    assert(declined(plan).isEmpty)
  }

  /** The codes of the reasons against the scans that are not ours. */
  protected def declined(plan: SparkPlan): Seq[String] =
    PlanNodes.all(plan).flatMap(Decision.of).collect { case Declined(why, _) => why.code }

  protected def log(table: String): DeltaLog = DeltaLog.forTable(spark, TableIdentifier(table))

  /** Creates a table of 4,000 rows in four files, with the properties. */
  protected def table(name: String, columns: String = "", partitioned: Boolean = false)(
      properties: (String, String)*
  ): Unit = {
    val all = properties.map { case (key, value) => s"'$key' = '$value'" }
    spark.sql(
      s"CREATE TABLE $name (id BIGINT, k INT, s STRING, d DATE, n STRUCT<a: INT, b: STRING>, " +
        s"p INT, l ARRAY<INT> $columns) USING delta " +
        (if (partitioned) "PARTITIONED BY (p) " else "") +
        (if (all.isEmpty) "" else s"TBLPROPERTIES (${all.mkString(", ")})")
    )
    rows(0, 4000).repartition(4).write.format("delta").mode("append").saveAsTable(name)
  }

  protected def rows(from: Long, to: Long): DataFrame = spark
    .range(from, to, 1, 1)
    .selectExpr(
      "id",
      "CAST(id % 100 AS INT) AS k",
      "IF(id % 7 = 0, NULL, concat('text ', id % 50, ' and more'))  AS s",
      "date_add(DATE'2020-01-01', CAST(id % 400 AS INT)) AS d",
      "named_struct('a', CAST(id % 30 AS INT), 'b', concat('b', id % 3)) AS n",
      "CAST(id % 4 AS INT) AS p",
      "array(CAST(id AS INT), CAST(id % 5 AS INT)) AS l"
    )
}
