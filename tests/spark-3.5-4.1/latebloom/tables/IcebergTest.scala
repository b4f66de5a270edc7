// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.nio.file.Files

import org.apache.spark.SparkConf
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan

import latebloom.inspect.ScanReport
import latebloom.{LateBloomExtensions, LateBloomTest}

/** A session with Apache Iceberg, its catalog `ice`, and LateBloom. */
trait IcebergTest extends LateBloomTest {

  override protected def sparkConf: SparkConf = super.sparkConf
    .set(
      "spark.sql.extensions",
      "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions," +
        classOf[LateBloomExtensions].getName
    )
    .set("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog")
    .set("spark.sql.catalog.ice.type", "hadoop")
    .set("spark.sql.catalog.ice.cache-enabled", "false")
    .set(
      "spark.sql.catalog.ice.warehouse",
      Files.createTempDirectory("latebloom-iceberg").toUri.toString
    )
    .set("spark.latebloom.join.minScanBytes", "0")
    .set("spark.latebloom.join.relistBytes", "0")

  /** All of the combinations that a test is for if the environment has `LATEBLOOM_ICEBERG_ALL`,
    * else the first: Iceberg's commands take seconds each.
    */
  protected def combinations[A](first: Int)(all: A*): Seq[A] =
    if (sys.env.contains("LATEBLOOM_ICEBERG_ALL")) all else all.take(first)

  /** A query whose scans of Iceberg tables must all be ours. */
  protected def taken(query: String): Unit = sameAnswer(spark.sql(query), adaptive = true) { plan =>
    assert(lateScans(plan).nonEmpty)
    assert(declined(plan).isEmpty)
  }

  /** A query that leaves scans to Iceberg, for these reasons. */
  protected def left(codes: String*)(query: String): Unit =
    sameAnswer(spark.sql(query), adaptive = true) { plan =>
      assert(declined(plan).distinct.sorted == codes.sorted)
    }

  /** The codes of the reasons against the scans that are not ours. */
  protected def declined(plan: SparkPlan): Seq[String] =
    ScanReport.ofPlan(plan).flatMap(_.declined).map(_.code)

  protected val Columns = "id BIGINT, k INT, s STRING, d DATE, t TIMESTAMP, n STRUCT<a: INT, " +
    "b: STRING>, p INT, l ARRAY<INT>, m MAP<STRING, INT>, x DECIMAL(12, 2), z DOUBLE"

  /** Creates a table of 4,000 rows in four files, with the properties. */
  protected def table(name: String, partitioning: String = "", columns: String = "")(
      properties: (String, String)*
  ): Unit = {
    create(name, partitioning, columns)(properties: _*)
    rows(0, 4000).repartition(4).writeTo(s"ice.db.$name").append()
  }

  protected def create(name: String, partitioning: String = "", columns: String = "")(
      properties: (String, String)*
  ): Unit = {
    spark.sql(s"DROP TABLE IF EXISTS ice.db.$name")
    val all = properties.map { case (key, value) => s"'$key' = '$value'" }
    spark.sql(
      s"CREATE TABLE ice.db.$name ($Columns $columns) USING iceberg " +
        (if (partitioning.isEmpty) "" else s"PARTITIONED BY ($partitioning) ") +
        (if (all.isEmpty) "" else s"TBLPROPERTIES (${all.mkString(", ")})")
    )
  }

  protected def rows(from: Long, to: Long): DataFrame = spark
    .range(from, to, 1, 1)
    .selectExpr(
      "id",
      "CAST(id % 100 AS INT) AS k",
      "IF(id % 7 = 0, NULL, concat('text ', id % 50, ' and more'))  AS s",
      "date_add(DATE'2020-01-01', CAST(id % 400 AS INT)) AS d",
      "timestamp_seconds(id * 1000) AS t",
      "named_struct('a', CAST(id % 30 AS INT), 'b', concat('b', id % 3)) AS n",
      "CAST(id % 4 AS INT) AS p",
      "array(CAST(id AS INT), CAST(id % 5 AS INT)) AS l",
      "map('a', CAST(id % 9 AS INT)) AS m",
      "CAST(id AS DECIMAL(12, 2)) AS x",
      "CAST(id % 11 AS DOUBLE) AS z"
    )
}
