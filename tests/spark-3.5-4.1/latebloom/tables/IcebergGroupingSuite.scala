// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.internal.SQLConf

import latebloom.inspect.PlanNodes

/** Iceberg tables whose rows Spark may read in groups, off against on. */
class IcebergGroupingSuite extends IcebergTest {

  private val Bucketing = "spark.sql.sources.v2.bucketing"

  private def grouped(confs: (String, String)*)(body: => Unit): Unit = withSQLConf(
    Seq(
      "spark.sql.iceberg.planning.preserve-data-grouping" -> "true",
      s"$Bucketing.enabled" -> "true",
      SQLConf.REQUIRE_ALL_CLUSTER_KEYS_FOR_CO_PARTITION.key -> "false",
      SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1"
    ) ++ confs: _*
  )(body)

  private def shuffles(plan: SparkPlan): Int =
    PlanNodes.all(plan).count(_.isInstanceOf[ShuffleExchangeLike])

  /** A query whose scans stay Iceberg's for their groups, which spare Spark a shuffle. */
  private def leftGrouped(query: String): Unit =
    sameAnswer(spark.sql(query), adaptive = true) { plan =>
      assert(declined(plan).nonEmpty && declined(plan).forall(_ == "iceberg-partitioning"))
      assert(shuffles(plan) == off(shuffles(spark.sql(query).queryExecution.executedPlan)))
    }

  private def tables(): Unit = {
    Seq("a", "b").foreach { name =>
      create(name, "p, bucket(4, id)")()
      rows(0, 2000).writeTo(s"ice.db.$name").append()
    }
    create("by_k", "truncate(50, k)")()
    rows(0, 200).writeTo("ice.db.by_k").append()
    table("plain")()
  }

  test("groups that nothing asks for") {
    tables()
    grouped() {
      taken("SELECT * FROM ice.db.a WHERE k = 5")
      taken("SELECT id, s FROM ice.db.a WHERE k < 50 ORDER BY p, id LIMIT 7")
      taken("SELECT k, count(*), max(p) FROM ice.db.a WHERE k < 5 GROUP BY k")
      taken(
        "SELECT id, p FROM ice.db.a WHERE k = 5 UNION ALL SELECT id, k FROM ice.db.b WHERE k = 6"
      )
      taken("SELECT id, explode(l) FROM ice.db.a WHERE k = 5")
      taken("SELECT /*+ REPARTITION(3, p, id) */ id, p FROM ice.db.a WHERE k = 5")
      taken("SELECT id, count(*) OVER (PARTITION BY k) FROM ice.db.a WHERE k < 5")
      // The partitions are made of two columns.
      taken("SELECT p, count(*), max(id) FROM ice.db.a WHERE k < 50 GROUP BY p")
    }
    grouped(s"$Bucketing.enabled" -> "false") {
      taken(
        "SELECT a.s, b.x FROM ice.db.a JOIN ice.db.b ON a.id = b.id AND a.p = b.p " +
          "WHERE a.k < 5 AND b.k < 7"
      )
    }
  }

  test("groups that a join, an aggregation or a window asks for") {
    tables()
    grouped() {
      leftGrouped(
        "SELECT a.s, b.x FROM ice.db.a JOIN ice.db.b ON a.id = b.id AND a.p = b.p WHERE a.k = 5"
      )
      leftGrouped(
        "SELECT a.s FROM (SELECT id AS i, p + 0 AS same, p AS q, s FROM ice.db.a WHERE k = 5) a " +
          "JOIN ice.db.b ON a.i = b.id AND a.q = b.p AND a.same = b.k"
      )
      leftGrouped("SELECT p, id, count(*) FROM ice.db.a WHERE k < 5 GROUP BY p, id")
      leftGrouped(
        "SELECT p, q, count(*) FROM (SELECT p, id AS q FROM ice.db.a WHERE k = 5) GROUP BY p, q"
      )
      leftGrouped("SELECT s, max(x) OVER (PARTITION BY p, id ORDER BY k) FROM ice.db.a WHERE k < 5")
      leftGrouped("SELECT DISTINCT p, id FROM ice.db.a WHERE k < 5")
    }
    if (spark.version.take(1) != "3") {
      grouped(s"$Bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled" -> "true") {
        left("iceberg-partitioning")(
          "SELECT a.s, b.x FROM ice.db.a JOIN ice.db.b ON a.id = b.id WHERE a.k = 5"
        )
      }
      grouped(s"$Bucketing.shuffle.enabled" -> "true") {
        sameAnswer(
          spark.sql(
            "SELECT a.s, c.x FROM ice.db.a JOIN ice.db.plain c ON a.id = c.id AND a.p = c.p " +
              "WHERE a.k < 50 AND c.k = 5"
          ),
          adaptive = true
        )(plan => assert(declined(plan) == Seq("iceberg-partitioning")))
      }
    }
  }

  test("groups that the other side of a join has not") {
    tables()
    // What Spark prunes is not filtered by keys, too.
    grouped(SQLConf.DYNAMIC_PARTITION_PRUNING_ENABLED.key -> "false") {
      taken(
        "SELECT a.s, c.x FROM ice.db.a JOIN ice.db.plain c ON a.id = c.id AND a.p = c.p " +
          "WHERE a.k < 50 AND c.k = 5"
      )
      taken(
        "SELECT a.s, c.x FROM ice.db.a JOIN ice.db.by_k c ON a.id = c.id AND a.p = c.p " +
          "WHERE a.k < 50 AND c.z = 5"
      )
      taken(
        "SELECT a.s, b.x FROM ice.db.a JOIN ice.db.b ON a.id = b.k AND a.p = b.z " +
          "WHERE a.k < 50 AND b.k = 5"
      )
      sameAnswer(
        spark.sql(
          "SELECT a.s, c.x FROM ice.db.a JOIN ice.db.by_k c ON a.id = c.id AND a.p = c.p " +
            "WHERE c.z = 5 AND c.s LIKE '%1%'"
        ),
        adaptive = true
      )(plan => assert(lateScans(plan).exists(_.joinFilters.nonEmpty)))
      taken("SELECT s FROM ice.db.a WHERE k < 9 AND id IN (SELECT k FROM ice.db.b WHERE z = 5)")
    }
  }

  test("scans that nothing filters are Iceberg's, in groups") {
    tables()
    grouped() {
      left("no-filter")("SELECT id, s FROM ice.db.a")
      left("not-selective")("SELECT id, s FROM ice.db.a WHERE s IS NOT NULL")
    }
  }
}
