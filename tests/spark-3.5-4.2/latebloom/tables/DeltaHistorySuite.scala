// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

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
      DeltaHistorySuite.this.table("t", partitioned = random.nextBoolean())(properties: _*)
      spark.sql("DELETE FROM t WHERE id >= 2000")
    }

    override protected def changes: Seq[() => Unit] =
      Seq(() => change("OPTIMIZE t"), () => addColumns(), () => widen()) ++ {
        if (mapped) Seq(() => renameText(), () => dropInt(), () => renameInt()) else Nil
      }

    override protected def versions: Seq[String] =
      (1L to spark.sql("DESCRIBE HISTORY t LIMIT 1").head().getLong(0)).map(_.toString)
  }
}
