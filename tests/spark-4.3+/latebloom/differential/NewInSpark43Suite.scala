// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import java.io.{File, FileOutputStream}
import java.nio.file.Files
import java.util.zip.{ZipEntry, ZipOutputStream}

import scala.util.Using

import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter

/** What Spark 4.3 has that a scan must know of. */
class NewInSpark43Suite extends LateBloomTest {

  private def write(format: String, dir: File): Unit = spark.range(0, 2000, 1, 3)
    .selectExpr("id", "cast(id % 50 as int) k", "concat('s', id % 11) s")
    .write.format(format).save(dir.getPath)

  test("a scan for one task has one partition, so that no exchange is needed, also without rows") {
    withTempPath { dir =>
      write("parquet", dir)
      withSQLConf(
        "spark.sql.optimizer.singleTaskExecution.enabled" -> "true",
        "spark.sql.optimizer.singleTaskExecution.maxNumFiles" -> "9",
        // Each file is a partition, but for that.
        "spark.sql.files.openCostInBytes" -> "128m"
      ) {
        def table = spark.read.parquet(dir.getPath)
        for (k <- Seq(7, 99)) {
          sameAnswer(table.where(s"k = $k").groupBy("s").count()) { plan =>
            val Seq(scan) = lateScans(plan)
            assert(scan.markedForSingleTaskExecution)
            assert(scan.inputRDD.getNumPartitions == 3)
            assert(nodes(plan) { case s: ShuffleExchangeExec => s }.isEmpty)
          }
          sameAnswer(table.where(s"k = $k").selectExpr("count(*)", "max(s)"))(_ => ())
        }
      }
    }
  }

  test("an archive of files is left to Spark's reader") {
    for (format <- Seq("parquet", "orc")) withTempPath { dir =>
      write(format, new File(dir, "files"))
      val files = new File(dir, "files").listFiles.filter(_.getName.endsWith(format))
      val archives = new File(dir, "archives")
      archives.mkdirs()
      Using.resource(new ZipOutputStream(new FileOutputStream(new File(archives, "a.zip")))) {
        zip =>
          files.foreach { file =>
            zip.putNextEntry(new ZipEntry(file.getName))
            zip.write(Files.readAllBytes(file.toPath))
            zip.closeEntry()
          }
      }
      withSQLConf("spark.sql.files.archive.reader.enabled" -> "true") {
        def archived = spark.read.format(format).load(archives.getPath)
        def plain = spark.read.format(format).load(new File(dir, "files").getPath)
        sameAnswer(archived.where("k = 7").select("id", "s")) { plan =>
          val Seq(scan) = lateScans(plan)
          assert(scan.metrics(Counter.FILES_ARCHIVED.key).value == 1)
        }
        checkAnswer(archived.where("k = 7"), plain.where("k = 7"))
      }
    }
  }

  test("timestamps of nanoseconds are filter columns and payload") {
    withSQLConf("spark.sql.timestampNanosTypes.enabled" -> "true")(withTempPath { dir =>
      spark.range(0, 1000, 1, 1)
        .selectExpr(
          "id",
          "cast(id % 50 as int) k",
          "cast(concat('2024-01-01 00:00:00.12345', 6000 + id) as timestamp_ntz(9)) n",
          "cast(concat('2024-01-01 00:00:00.12345', 6000 + id) as timestamp_ltz(9)) z"
        )
        .write.parquet(dir.getPath)
      def table = spark.read.parquet(dir.getPath)
      sameAnswer(table.where("k = 7").selectExpr("id", "cast(n as string)", "cast(z as string)"))(
        _ => ()
      )
      sameAnswer(table.where("k < 9 and n is not null").select("id"))(_ => ())
      sameAnswer(table.where(
        "n > cast('2024-01-01 00:00:00.123456500' as timestamp_ntz(9)) and k < 20"
      ).select("id"))(_ => ())
    })
  }

  test("joins that Spark changes while a query runs, and keys that it projects from a broadcast") {
    withTable("fact", "dim") {
      spark.range(2000)
        .selectExpr("id", "id % 20 k", "cast(id % 9 as int) n", "id % 4 p")
        .write.partitionBy("p").saveAsTable("fact")
      spark.range(20).selectExpr("id k", "id % 4 q", "concat('d', id) name")
        .write.saveAsTable("dim")
      withSQLConf(
        "spark.sql.adaptive.convertSortMergeJoinToShuffledHashJoin.enabled" -> "true",
        "spark.sql.adaptive.convertSortMergeJoinToShuffledHashJoin.lookThroughOperators.enabled" ->
          "true",
        SQLConf.ADAPTIVE_MAX_SHUFFLE_HASH_JOIN_LOCAL_MAP_THRESHOLD.key -> "1m",
        "spark.sql.optimizer.dynamicPartitionPruning.broadcastProjection.enabled" -> "true",
        "spark.sql.join.splitStreamedSideJoinCondition" -> "true",
        "spark.sql.execution.combineAdjacentAggregation" -> "true",
        "spark.sql.execution.pushDownLocalSort" -> "true"
      ) {
        for (broadcast <- Seq("10m", "-1")) {
          withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> broadcast) {
            sameAnswer(spark.sql("select f.id, d.name from fact f join dim d on f.k = d.k " +
              "where f.n = 3 and d.name < 'd3'"))(plan => assert(lateScans(plan).size >= 2))
            sameAnswer(spark.sql("select d.name, count(*) c from fact f join dim d on f.p = d.q " +
              "where f.n = 3 and d.name = 'd6' group by d.name"))(_ => ())
            sameAnswer(spark.sql("select f.id, d.name from fact f left join dim d on f.k = d.k " +
              "and f.n > 4 where f.n in (3, 5)"))(_ => ())
          }
        }
      }
    }
  }

  test("conditions compile with the compiler of the JDK") {
    withTempPath { dir =>
      write("parquet", dir)
      withSQLConf("spark.sql.codegen.compiler" -> "jdk") {
        sameAnswer(spark.read.parquet(dir.getPath).where("substr(s, 2) = '7' and k % 3 = id % 2")) {
          plan => assert(lateScans(plan).size == 1)
        }
      }
    }
  }
}
