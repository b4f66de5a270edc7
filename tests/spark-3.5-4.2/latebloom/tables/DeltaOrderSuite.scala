// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import latebloom.LateBloomExtensions

/** `spark.sql.extensions` names LateBloom before Delta; the other suites name it after. */
class DeltaOrderSuite extends DeltaTest {

  override protected def extensions: Seq[String] =
    Seq(classOf[LateBloomExtensions].getName, "io.delta.sql.DeltaSparkSessionExtension")

  test("scans, joins and commands with LateBloom named before Delta") {
    withTable("t", "small") {
      table("t", partitioned = true)(
        "delta.enableDeletionVectors" -> "true",
        "delta.columnMapping.mode" -> "name"
      )
      rows(0, 100).where("k < 7").write.format("delta").saveAsTable("small")
      taken("SELECT * FROM t WHERE k = 3")
      spark.sql("DELETE FROM t WHERE id % 10 = 3")
      spark.sql(
        "MERGE INTO t USING small ON t.id = small.id WHEN MATCHED THEN UPDATE SET s = 'new'"
      )
      taken("SELECT * FROM t WHERE k < 5")
      taken("SELECT t.id, t.s FROM t JOIN small ON t.k = small.k WHERE small.n.a = 4")
    }
  }
}
