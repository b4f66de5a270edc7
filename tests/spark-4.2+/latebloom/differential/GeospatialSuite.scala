// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import latebloom.LateBloomTest

/** Columns of GEOMETRY and GEOGRAPHY, which Spark's reader decodes. */
class GeospatialSuite extends LateBloomTest {

  test("places are read for the rows that pass") {
    withSQLConf("spark.sql.geospatial.enabled" -> "true") {
      withTempPath { dir =>
        // A point at (1, 2), and as many as there are rows of another.
        val point = "if(id % 5 = 0, null, unhex(concat('0101000000000000000000F03F000000000000', " +
          "if(id % 2 = 0, '0040', 'F03F'))))"
        spark.range(0, 1000, 1, 1)
          .selectExpr(
            "id",
            "cast(id % 50 as int) k",
            s"st_geomfromwkb($point) g",
            s"st_geogfromwkb($point) e"
          )
          .write.parquet(dir.getPath)
        def table = spark.read.parquet(dir.getPath)
        sameAnswer(table.where("k = 7").selectExpr("id", "hex(st_asbinary(g)) g"))(_ => ())
        sameAnswer(table.where("k < 9 and g is not null")
          .selectExpr("id", "hex(st_asbinary(e)) e", "st_srid(g) s"))(_ => ())
        sameAnswer(table.where("k < 9 and st_srid(e) = 4326").select("id"))(_ => ())
      }
    }
  }
}
