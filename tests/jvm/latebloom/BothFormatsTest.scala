// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.sql.execution.SparkPlan

/** Tables that are stored as Parquet and as ORC, each query on both. */
trait BothFormatsTest extends LateBloomTest {

  protected val formats: Seq[String] = Seq("parquet", "orc")

  /** The names of the tables in queries. */
  protected def tables: Seq[String]

  override protected def afterAll(): Unit =
    try
      for (format <- formats; table <- tables) spark.sql(s"drop table if exists ${table}_$format")
    finally super.afterAll()

  /** Runs a query off and on in each format, then checks the plan. */
  protected def inBoth(sql: String)(look: SparkPlan => Unit): Unit =
    for (format <- formats) withClue(s"$format\n") {
      val of = sql.replaceAll(s"\\b(${tables.mkString("|")})\\b", s"$$1_$format")
      sameAnswer(spark.sql(of))(look)
    }
}
