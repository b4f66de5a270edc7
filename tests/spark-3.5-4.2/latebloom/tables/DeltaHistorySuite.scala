// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.functions.expr

/** Random histories of a Delta table. `LATEBLOOM_DELTA_HISTORIES` says how many,
  * `LATEBLOOM_DELTA_SEED` which is the first.
  */
class DeltaHistorySuite extends DeltaTest with HistoryTest {

  histories("LATEBLOOM_DELTA_HISTORIES", "LATEBLOOM_DELTA_SEED") { (seed, steps) =>
    withTable("t")(new History(seed, steps).run())
  }

  /** Conditions on a column of partitions stay in the Filter. */
  private class History(
      seed: Int,
      steps: Int
  ) extends RandomHistory(seed, steps, "t", Set("no-filter", "nothing-pushable", "not-selective")) {

    private val mapped = random.nextInt(3) > 0

    override protected def create(): Unit = {
      val properties = Seq(
        "delta.enableDeletionVectors" -> s"${random.nextInt(3) > 0}",
        "delta.enableRowTracking" -> s"${random.nextBoolean()}",
        "delta.enableTypeWidening" -> "true",
        "delta.enableChangeDataFeed" -> s"${random.nextBoolean()}",
        "delta.checkpointInterval" -> "3"
      ) ++ (if (mapped) Seq("delta.columnMapping.mode" -> pick(Seq("name", "id"))) else Nil)
      log += properties.mkString("properties: ", ", ", "")
      val all = special.foldLeft(rows(0, 2000).repartition(3)) { case (rows, (name, value)) =>
        rows.withColumn(name, expr(value))
      }
      val partitioning = if (random.nextBoolean()) "PARTITIONED BY (p)" else ""
      spark.sql(
        s"CREATE TABLE t (${all.schema.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")}) " +
          s"USING delta $partitioning TBLPROPERTIES " +
          properties.map { case (key, value) => s"'$key' = '$value'" }.mkString("(", ", ", ")")
      )
      all.write.format("delta").mode("append").saveAsTable("t")
    }

    private def replace(): Unit = {
      val replaced = changed()
      val kept = changed()
      change(
        s"INSERT INTO t REPLACE WHERE $replaced SELECT * FROM t WHERE $replaced AND $kept",
        s"SELECT * FROM before WHERE NOT coalesce($replaced, false) OR ($replaced AND $kept)"
      )
    }

    override protected def changes: Seq[() => Unit] = Seq(
      () => change("OPTIMIZE t"),
      () => addColumns(),
      () => addField(),
      () => widen(),
      () => replace(),
      () => restore(version => s"RESTORE TABLE t TO VERSION AS OF $version")
    ) ++ (if (mapped) Seq(() => renameText(), () => dropInt(), () => renameInt()) else Nil)

    override protected def version: String =
      DeltaHistorySuite.this.log("t").update().version.toString

    override protected def versions: Seq[String] =
      (1L to spark.sql("DESCRIBE HISTORY t LIMIT 1").head().getLong(0)).map(_.toString)
  }
}
