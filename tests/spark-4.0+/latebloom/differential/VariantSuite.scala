// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import latebloom.LateBloomTest

/** Columns of VARIANT, whole and shredded into typed columns. */
class VariantSuite extends LateBloomTest {

  private def inFiles(schema: Option[String])(body: String => Unit): Unit = withTempPath { dir =>
    val shredding = schema.map("spark.sql.variant.forceShreddingSchemaForTest" -> _)
    withSQLConf(shredding.toSeq :+ "spark.sql.variant.writeShredding.enabled" -> "true": _*) {
      spark.range(0, 2000, 1, 1)
        .selectExpr(
          "id",
          "cast(id % 50 as int) k",
          "parse_json(concat('{\"a\": ', id % 7, ', \"s\": \"t', id % 11, '\", \"o\": [', id, ']}')) v"
        )
        .write.parquet(dir.getPath)
    }
    body(dir.getPath)
  }

  for {
    schema <- Seq(None, Some("a int, s string"), Some("a string"))
    pushed <- Seq("true", "false")
  } {
    val form = schema.fold("whole")(s => s"shredded as ($s)")
    test(s"a VARIANT $form is read for the rows that pass, pushed into scans: $pushed") {
      inFiles(schema) { path =>
        withSQLConf(
          "spark.sql.variant.pushVariantIntoScan" -> pushed,
          // Not the default of 4.0.
          "spark.sql.variant.allowReadingShredded" -> "true"
        ) {
          def table = spark.read.parquet(path)
          def late(query: => org.apache.spark.sql.DataFrame): Unit =
            sameAnswer(query)(plan => assert(lateScans(plan).size == 1))
          late(table.where("k = 7").selectExpr("id", "to_json(v) j"))
          late(table.where("k = 7").selectExpr("id", "variant_get(v, '$.a', 'int') a"))
          late(table.where("k < 20 and variant_get(v, '$.a', 'int') = 3").select("id"))
          late(table.where("k < 9 and variant_get(v, '$.s', 'string') = 't3'")
            .selectExpr("id", "variant_get(v, '$.o[0]', 'long') o"))
          late(table.where("k = 3 and v is not null").select("id"))
        }
      }
    }
  }
}
