// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import java.io.File

import org.apache.spark.SparkConf
import org.apache.spark.serializer.KryoSerializer

import latebloom.LateBloomTest

/** Sessions whose serializer is Kryo, and that refuse classes which nobody registered. */
class KryoSuite extends LateBloomTest {

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.serializer", classOf[KryoSerializer].getName)
    .set("spark.kryo.registrationRequired", "true")
    .set("spark.latebloom.join.minScanBytes", "0")
    .set("spark.latebloom.topK.minScanBytes", "0")
    .set("spark.latebloom.topK.minSaved", "0")

  private def written(format: String)(use: File => Unit): Unit = withTempPath { dir =>
    spark.range(0, 20000, 1, 2)
      .selectExpr("id", "cast(id % 500 as int) k", "concat('text ', id % 900) s")
      .write.format(format).save(dir.getPath)
    dir.listFiles.foreach(f => assert(f.setLastModified(1600000000000L)))
    use(dir)
  }

  for (format <- Seq("parquet", "orc"))
    test(s"scans, joins, first rows and repeated queries of $format") {
      written(format) { dir =>
        spark.read.format(format).load(dir.getPath).createOrReplaceTempView("t")
        for (
          query <- Seq(
            "select s from t where k = 7",
            "select s from t where k = 7 and s > 'text 3'",
            "select s from t where id = 12345",
            "select count(*), min(id), max(k) from t where k < 600",
            "select * from t order by s desc, id limit 5",
            "select t.s from t join (select id, id % 7 d from range(500)) r on t.k = r.id " +
              "where r.d = 3 and t.s like '%1'",
            "select t.s from t join (select concat('text ', id) n, id % 7 d from range(900)) r " +
              "on t.s = r.n where r.d = 3",
            "select distinct k from t where k < 10"
          );
          broadcast <- if (query.contains(" join ")) Seq("10m", "-1") else Seq("10m")
        ) withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> broadcast) {
          sameAnswer(spark.sql(query))(plan => assert(lateScans(plan).nonEmpty, query))
        }
      }
    }
}
