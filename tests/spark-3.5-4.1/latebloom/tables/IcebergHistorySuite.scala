// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.functions.expr

/** Random histories of an Iceberg table. `LATEBLOOM_ICEBERG_HISTORIES` says how many,
  * `LATEBLOOM_ICEBERG_SEED` which is the first.
  */
class IcebergHistorySuite extends IcebergTest with HistoryTest {

  histories("LATEBLOOM_ICEBERG_HISTORIES", "LATEBLOOM_ICEBERG_SEED") { (seed, steps) =>
    new History(seed, steps).run()
  }

  /** Conditions on a column of partitions stay in the Filter, or are Iceberg's. */
  private class History(seed: Int, steps: Int) extends RandomHistory(
        seed,
        steps,
        "ice.db.t",
        Set("no-filter", "nothing-pushable", "not-selective", "iceberg-files", "iceberg-pruned")
      ) {

    /** Of few partitions each: a history takes as long as it has files. */
    private val transforms =
      Seq("p", "bucket(3, id)", "truncate(600, id)", "days(t)", "months(d)", "truncate(6, s)", "z")

    private var fields = 0

    override protected def create(): Unit = {
      def mode() = pick(Seq("merge-on-read", "merge-on-read", "copy-on-write"))
      val properties = Seq(
        "format-version" -> pick(Seq("2", "2", "3")),
        "write.delete.mode" -> mode(),
        "write.update.mode" -> mode(),
        "write.merge.mode" -> mode(),
        "write.delete.granularity" -> pick(Seq("file", "partition"))
      )
      val by = random.shuffle(transforms).take(random.nextInt(3)).mkString(", ")
      log += properties.mkString(s"partitioned by ($by), properties: ", ", ", "")
      IcebergHistorySuite.this.create("t", by, ", sparse INT, none INT")(properties: _*)
      special.foldLeft(rows(0, 2000)) { case (rows, (name, value)) =>
        rows.withColumn(name, expr(value))
      }
        .withColumn("d", expr("date_add(DATE'2020-01-01', CAST(id % 100 AS INT))"))
        .repartition(3).writeTo("ice.db.t").append()
    }

    /** Iceberg leaves out files of NaN where Spark has it greater than all numbers, and keeps zeros
      * of both signs apart.
      */
    override protected def isExact(condition: String): Boolean = !condition.matches(".*\\bz\\b.*")

    private def call(procedure: String, arguments: String = ""): Unit =
      change(s"CALL ice.system.$procedure(table => 'db.t'$arguments)")

    /** No two fields of partitions have the same transform of the same column. */
    private def repartition(): Unit = {
      fields += 1
      val by = pick(Seq(
        s"bucket(${3 + fields}, id)",
        s"bucket(${3 + fields}, s)",
        s"truncate(${600 + fields}, id)"
      ))
      change(s"ALTER TABLE ice.db.t ADD PARTITION FIELD $by AS f$fields")
    }

    private def writeFormat(): Unit = change(
      "ALTER TABLE ice.db.t SET TBLPROPERTIES ('write.format.default' = " +
        s"'${pick(Seq("parquet", "parquet", "orc", "avro"))}')"
    )

    override protected def changes: Seq[() => Unit] = Seq(
      () => call("rewrite_data_files", ", options => map('rewrite-all', 'true')"),
      () => call("rewrite_position_delete_files", ", options => map('rewrite-all', 'true')"),
      () => call("rewrite_manifests"),
      () => refill("TRUNCATE TABLE ice.db.t"),
      () => addColumns(),
      () => addField(),
      () => widen(),
      () => renameText(),
      () => renameInt(),
      () => dropInt(),
      () => repartition(),
      () => writeFormat()
    )

    override protected def version: String = spark
      .sql("SELECT snapshot_id FROM ice.db.t.history ORDER BY made_current_at DESC LIMIT 1")
      .head().get(0).toString

    override protected def versions: Seq[String] =
      spark.sql("SELECT snapshot_id FROM ice.db.t.snapshots").collect().map(_.get(0).toString).toSeq
  }
}
