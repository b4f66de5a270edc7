// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

import org.apache.spark.SPARK_VERSION

/** Runs Spark's suites, the allowed differences being those of the line
  * (`spark-<line>/expected-failures.txt`).
  */
object Main {

  def main(args: Array[String]): Unit = {
    val line = "spark-" + SPARK_VERSION.split('.').take(2).mkString(".")
    val runner = new Runner(s"Spark $SPARK_VERSION", line, Suites, SuiteRun(_))
    runner.main(args.toSeq) {
      // A static conf that Spark's test sessions inherit, as applications do.
      val extensions = Seq("latebloom.LateBloomExtensions", classOf[ScanCount].getName)
      sys.props("spark.sql.extensions") = extensions.mkString(",")
    }
  }
}
