// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.{BroadcastHashJoinExec, SortMergeJoinExec}
import org.apache.spark.sql.internal.SQLConf

import latebloom.estimate.SizedScans
import latebloom.read.task.Counter

/** Join filters on Iceberg tables, and from them, off against on. */
class IcebergJoinsSuite extends IcebergTest {

  private def filtered(plan: SparkPlan): Unit =
    assert(lateScans(plan).exists(_.joinFilters.nonEmpty))

  private def eachMeans(body: => Unit): Unit = Seq("-1", "10m").foreach { broadcast =>
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> broadcast)(body)
  }

  test("keys filter a table") {
    table("big")("write.delete.mode" -> "merge-on-read")
    create("small")()
    rows(0, 1000).writeTo("ice.db.small").append()
    spark.sql("DELETE FROM ice.db.big WHERE id % 10 = 3")
    eachMeans {
      sameAnswer(
        spark.sql(
          "SELECT big.s, small.k FROM ice.db.big JOIN ice.db.small ON big.id = small.id " +
            "WHERE small.k < 6"
        )
      )(filtered)
      sameAnswer(
        spark.sql(
          "SELECT count(*) FROM ice.db.big WHERE s IN " +
            "(SELECT s FROM ice.db.small WHERE k = 5 AND p = 1)"
        )
      )(filtered)
    }
  }

  test("a side supplies keys if it is filtered, by Iceberg alone as well") {
    table("big")()
    create("small", "p")()
    rows(0, 1000).writeTo("ice.db.small").append()
    eachMeans {
      def join(where: String) =
        spark.sql(
          s"SELECT big.s FROM ice.db.big JOIN ice.db.small ON big.id = small.id WHERE $where"
        )
      sameAnswer(join("small.p = 2"), adaptive = true)(filtered)
      sameAnswer(join("big.k = 5"), adaptive = true) { plan =>
        assert(lateScans(plan).filter(_.filterColumns.contains("k")).forall(_.joinFilters.isEmpty))
      }
    }
  }

  test("rows that a scan has counted decide how Spark joins, in every snapshot for itself") {
    table("big")("write.delete.mode" -> "merge-on-read")
    table("small")("write.delete.mode" -> "merge-on-read")
    def known = SizedScans.knownSize(
      spark.sql("SELECT id, s FROM ice.db.small WHERE id < 40").queryExecution.optimizedPlan
    ).map(_.rows)
    withSQLConf(
      SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "20k",
      SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false"
    ) {
      def isBroadcast = nodes(spark.sql(
        "SELECT big.s, small.s FROM ice.db.big JOIN ice.db.small ON big.id = small.id AND small.id < 40"
      ).queryExecution.executedPlan) {
        case _: BroadcastHashJoinExec => true
        case _: SortMergeJoinExec     => false
      }
      assert(isBroadcast == Seq(false))
      taken("SELECT id, s FROM ice.db.small WHERE id < 40")
      assert(known.contains(40L) && isBroadcast == Seq(true))
      // Rows that a snapshot has deleted may be there in another one of the same files.
      spark.sql("DELETE FROM ice.db.small WHERE id % 2 = 0")
      taken("SELECT id, s FROM ice.db.small WHERE id < 40")
      assert(known.exists(_ >= 40))
      rows(0, 100).writeTo("ice.db.small").append()
      assert(known.isEmpty && isBroadcast == Seq(false))
    }
  }

  test("files whose bounds exclude all keys are not opened") {
    for (by <- combinations(2)("", "days(t)", "truncate(100, id)", "p")) {
      create("big", by)()
      rows(0, 2000).selectExpr(
        "id",
        "k",
        "concat('s', lpad(id, 6, '0')) AS s",
        "date_add(DATE'2020-01-01', CAST(id / 100 AS INT)) AS d",
        "timestamp_seconds(id * 864) AS t",
        "n",
        "CAST(id / 200 AS INT) AS p",
        "l",
        "m",
        "x",
        "z"
      ).repartitionByRange(20, org.apache.spark.sql.functions.col("id"))
        .sortWithinPartitions("id").writeTo("ice.db.big")
        .option("distribution-mode", "none").append()
      spark.sql("DROP TABLE IF EXISTS ice.db.small")
      spark.sql(
        "CREATE TABLE ice.db.small USING iceberg AS SELECT *, id AS place, id % 100 AS few " +
          "FROM ice.db.big"
      )
      for (key <- combinations(3)("id", "t", "s", "d", "x")) eachMeans {
        // Two places of the table, far from each other.
        val where = "(place BETWEEN 250 AND 260 OR place BETWEEN 1650 AND 1660)"
        sameAnswer(
          spark.sql(
            s"SELECT big.id, big.s FROM ice.db.big JOIN ice.db.small ON big.$key = small.$key " +
              s"WHERE $where AND small.few < 70"
          )
        ) { plan =>
          val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
          val excluded = scan.metrics(Counter.FILES_EXCLUDED.key).value
          assert(excluded >= 4, s"of files partitioned by '$by', keys of $key")
        }
      }
    }
  }

  test("pruning by Spark is for the scan that it prunes") {
    create("big", "p, bucket(4, id)")()
    rows(0, 4000).writeTo("ice.db.big").append()
    table("small")()
    table("third")()
    eachMeans {
      Seq("p", "id").foreach { key =>
        sameAnswer(
          spark.sql(
            s"SELECT big.id, big.s, third.k FROM ice.db.big JOIN ice.db.small ON " +
              s"big.$key = small.$key LEFT JOIN ice.db.third ON third.id = big.id AND " +
              s"third.k = big.k WHERE small.k = 6"
          )
        )(_ => ())
        withSQLConf("spark.latebloom.join.enabled" -> "false") {
          sameAnswer(
            spark.sql(
              s"SELECT big.id, big.s FROM ice.db.big JOIN ice.db.small ON " +
                s"big.$key = small.$key WHERE small.k = 6 AND small.id < 100"
            )
          )(_ => ())
        }
      }
    }
  }

  test("commands give the same table, and filter what they join") {
    for (
      (mode, version) <- combinations(2)(
        "merge-on-read" -> "3",
        "copy-on-write" -> "2",
        "merge-on-read" -> "2",
        "copy-on-write" -> "3"
      )
    ) {
      def changed() = {
        create("t", "p")(
          "format-version" -> version,
          "write.delete.mode" -> mode,
          "write.update.mode" -> mode,
          "write.merge.mode" -> mode
        )
        rows(0, 1000).writeTo("ice.db.t").append()
        table("u")()
        spark.sql("DELETE FROM ice.db.t WHERE k = 5 AND s LIKE '%7%'")
        spark.sql(
          "UPDATE ice.db.t SET s = 'u', p = 7 WHERE id IN (SELECT id FROM ice.db.u WHERE k = 9)"
        )
        spark.sql(
          "MERGE INTO ice.db.t USING (SELECT * FROM ice.db.u WHERE k IN (3, 4)) u ON t.id = u.id " +
            "WHEN MATCHED AND u.k = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET s = 'm' " +
            "WHEN NOT MATCHED THEN INSERT *"
        )
        spark.sql("INSERT OVERWRITE ice.db.t SELECT * FROM ice.db.t WHERE k < 50 OR p = 7")
        spark.sql("SELECT * FROM ice.db.t").collect().map(_.toString).sorted.toSeq
      }
      assert(off(changed()) == changed())
    }
  }

  test("a DELETE of all rows is Iceberg's") {
    Seq("merge-on-read", "copy-on-write").foreach { mode =>
      table("t", "p")("format-version" -> "2", "write.delete.mode" -> mode)
      spark.sql("DELETE FROM ice.db.t")
      checkAnswer(spark.sql("SELECT count(*) FROM ice.db.t"), Seq(Row(0)))
      rows(0, 1000).writeTo("ice.db.t").append()
      spark.sql("DELETE FROM ice.db.t WHERE true")
      rows(1000, 1500).writeTo("ice.db.t").append()
      spark.sql("DELETE FROM ice.db.t WHERE p = 1")
      taken("SELECT * FROM ice.db.t WHERE k < 50")
    }
    table("u")()
    spark.sql("TRUNCATE TABLE ice.db.u")
    checkAnswer(spark.sql("SELECT count(*) FROM ice.db.u"), Seq(Row(0)))
  }

  test("first rows of an order") {
    table("t")("write.delete.mode" -> "merge-on-read")
    spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
    withSQLConf(
      "spark.latebloom.topK.minScanBytes" -> "0",
      "spark.latebloom.topK.minSaved" -> "0"
    ) {
      taken("SELECT * FROM ice.db.t WHERE k > 3 ORDER BY id DESC LIMIT 5")
      val scan = onlyTop(spark.sql("SELECT * FROM ice.db.t ORDER BY id LIMIT 5"))
      assert(scan.nonEmpty)
      taken("SELECT * FROM ice.db.t ORDER BY id LIMIT 5")
    }
  }

  private def onlyTop(df: org.apache.spark.sql.DataFrame) = {
    df.collect()
    lateScans(df).filter(_.topRows.nonEmpty)
  }
}
