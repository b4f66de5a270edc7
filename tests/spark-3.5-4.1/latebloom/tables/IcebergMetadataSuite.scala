// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf

import latebloom.read.task.Counter

/** Iceberg's metadata columns, off against on. */
class IcebergMetadataSuite extends IcebergTest {

  private val Deletes = Seq("write.delete.mode" -> "merge-on-read")

  /** Files of many small row groups, so that conditions prune some and tasks share files. */
  private val SmallGroups = Seq(
    "write.parquet.row-group-size-bytes" -> "4096",
    "write.parquet.row-group-check-min-record-count" -> "50",
    "write.parquet.row-group-check-max-record-count" -> "50"
  )

  private def inSplits(body: => Unit): Unit =
    withSQLConf(
      SQLConf.FILES_MAX_PARTITION_BYTES.key -> "8k",
      SQLConf.FILES_OPEN_COST_IN_BYTES.key -> "0"
    )(body)

  private val All = "_file, _pos, _spec_id, _partition"

  test("files, numbers, specs and partitions of rows") {
    for (by <- Seq("p, months(t)", "")) {
      table("t", by)(SmallGroups ++ Deletes: _*)
      spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
      inSplits {
        taken(s"SELECT id, $All FROM ice.db.t WHERE k = 4")
        taken(s"SELECT $All FROM ice.db.t WHERE id BETWEEN 1010 AND 2040")
        taken("SELECT _pos FROM ice.db.t WHERE s IS NULL AND k > 5")
        taken("SELECT id, _pos + 1, _file || 'x' FROM ice.db.t WHERE k = 5 AND _pos > 100")
        taken("SELECT id FROM ice.db.t WHERE k < 5 AND _pos % 3 = 1 AND _spec_id = 0")
        left("nothing-pushable")("SELECT id FROM ice.db.t WHERE k < 5 OR _pos = 17")
      }
    }
  }

  test("numbers of rows are those of files, whatever is left out of them") {
    create("t")(SmallGroups ++ Deletes: _*)
    rows(0, 4000).writeTo("ice.db.t").append()
    inSplits {
      val query = "SELECT id, _file, _pos FROM ice.db.t"
      val numbers = off(spark.sql(query).collect()).map(r => r.getLong(0) -> r.getLong(2)).toMap
      spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
      def found = spark.sql(s"$query WHERE id BETWEEN 1500 AND 2600 AND k <> 5")
      assert(onlyScan(found).metrics(Counter.ROW_GROUPS_PRUNED.key).value > 0)
      val rows = found.collect()
      assert(rows.length > 900)
      rows.foreach(r => assert(numbers(r.getLong(0)) == r.getLong(2)))
    }
  }

  test("conditions on what all rows of a file have in common leave out files") {
    table("t", "p")()
    val file = off(spark.sql("SELECT DISTINCT _file FROM ice.db.t")).head().getString(0)
    def files(where: String) =
      onlyScan(spark.sql(s"SELECT id, _pos FROM ice.db.t WHERE k < 50 AND $where"))
        .metrics("numFiles").value
    Seq(s"_file = '$file'", "_partition.p = 2", "_spec_id = 7", s"substr(_file, -9) > 'a'")
      .foreach(where => taken(s"SELECT id, $All FROM ice.db.t WHERE k < 50 AND $where"))
    assert(files(s"_file = '$file'") == 1)
    assert(files("_partition.p = 2") < files("_spec_id = 0"))
    assert(files("_spec_id = 7") == 0)
  }

  test("partition specs that change, and columns of the same names") {
    create("t", "p, truncate(3, s), months(t)")(Deletes: _*)
    rows(0, 500).writeTo("ice.db.t").append()
    spark.sql("ALTER TABLE ice.db.t DROP PARTITION FIELD p")
    spark.sql("ALTER TABLE ice.db.t ADD PARTITION FIELD bucket(3, id) AS b")
    rows(500, 1000).writeTo("ice.db.t").append()
    spark.sql("ALTER TABLE ice.db.t ADD PARTITION FIELD z")
    spark.sql("ALTER TABLE ice.db.t ALTER COLUMN k TYPE BIGINT")
    rows(1000, 1500).where("id % 100 < 20").writeTo("ice.db.t").append()
    spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
    taken(s"SELECT id, p, $All FROM ice.db.t WHERE id % 50 = 5")
    taken("SELECT id, _spec_id FROM ice.db.t WHERE id % 50 < 9 AND _partition.b = 1")
    taken("SELECT id FROM ice.db.t WHERE id % 50 < 9 AND _partition.p IS NULL")
  }

  test("files that Iceberg reads within the scan have them as well") {
    create("t", "p")(Deletes: _*)
    Seq("parquet", "orc", "avro").zipWithIndex.foreach { case (format, i) =>
      spark.sql(s"ALTER TABLE ice.db.t SET TBLPROPERTIES ('write.format.default' = '$format')")
      rows(i * 500, i * 500 + 500).writeTo("ice.db.t").append()
    }
    spark.sql("ALTER TABLE ice.db.t ADD COLUMN n.c INT")
    spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
    taken(s"SELECT id, $All FROM ice.db.t WHERE k = 5 AND s IS NOT NULL")
    taken(s"SELECT n, $All FROM ice.db.t WHERE k = 5 AND _pos > 20")
    taken("SELECT n FROM ice.db.t WHERE k < 9 AND _pos % 2 = 1 AND _file LIKE '%.orc'")
    withTopK(taken(s"SELECT *, $All FROM ice.db.t WHERE k < 50 ORDER BY id DESC LIMIT 7"))
  }

  private def withTopK(body: => Unit): Unit = withSQLConf(
    "spark.latebloom.topK.minScanBytes" -> "0",
    "spark.latebloom.topK.minSaved" -> "0"
  )(body)

  test("orders, groups, counts and extremes") {
    table("t", "p")(SmallGroups ++ Deletes: _*)
    // Of whole row groups, which extremes are taken from what files say of them.
    taken("SELECT max(_pos), min(_pos), count(_pos), max(id) FROM ice.db.t WHERE k >= 0")
    spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
    withTopK(inSplits {
      taken(s"SELECT *, $All FROM ice.db.t WHERE k > 3 ORDER BY id DESC LIMIT 5")
      taken("SELECT id, s, _pos FROM ice.db.t WHERE k > 3 ORDER BY _pos DESC, id LIMIT 5")
      taken("SELECT id, s FROM ice.db.t WHERE k > 3 ORDER BY _pos, id LIMIT 5")
      taken("SELECT id, s FROM ice.db.t WHERE k > 3 ORDER BY _file, id DESC LIMIT 5")
      taken("SELECT max(_pos), min(_pos), count(_pos), count(*) FROM ice.db.t WHERE k > 3")
      taken("SELECT p, max(_pos) FROM ice.db.t WHERE k > 3 GROUP BY p")
      taken("SELECT _file, count(*), max(id) FROM ice.db.t WHERE k > 3 GROUP BY _file")
      taken("SELECT _partition, count(*) FROM ice.db.t WHERE k > 3 GROUP BY _partition")
      taken("SELECT _spec_id, _file, max(k) FROM ice.db.t WHERE k < 90 GROUP BY _file, _spec_id")
      taken("SELECT DISTINCT _pos FROM ice.db.t WHERE k > 3")
      taken("SELECT DISTINCT _file FROM ice.db.t WHERE k > 3")
      taken("SELECT count(DISTINCT _pos), count(DISTINCT _file) FROM ice.db.t WHERE k > 3")
      taken("SELECT id, max(_pos) OVER (PARTITION BY _file) FROM ice.db.t WHERE k = 4")
    })
  }

  test("keys of joins") {
    table("big", "p")(SmallGroups ++ Deletes: _*)
    spark.sql("DELETE FROM ice.db.big WHERE id % 10 = 3")
    table("small")(SmallGroups: _*)
    Seq("-1", "10m").foreach { broadcast =>
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> broadcast) {
        def join(on: String, where: String) = taken(
          "SELECT big.id, big._pos, big._file, small._pos FROM ice.db.big JOIN ice.db.small " +
            s"ON $on WHERE $where"
        )
        join("big.id = small.id", "small.k = 5")
        join("big._pos = small._pos AND big.k = small.k", "small.k = 5")
        join("big._pos = small.id AND big.k = small.k", "small.k = 5 AND big.s IS NOT NULL")
        join("big.id = small._pos", "small.k = 5")
        sameAnswer(spark.sql(
          "SELECT big.id FROM ice.db.big JOIN ice.db.small ON big._file = small.s AND " +
            "big.k = small.k WHERE small.k = 5"
        ))(_ => ())
        join("big._spec_id = small.k AND big.id = small.id", "small.z = 5")
        join("big._partition.p = small.k AND big.id = small.id", "small.z = 5")
      }
    }
    // As Spark's own rewriting of commands reads them.
    taken(
      "SELECT a.id FROM ice.db.big a JOIN ice.db.big b ON a._file = b._file AND a._pos = b._pos " +
        "WHERE a.k = 4 AND b.k < 50"
    )
  }

  private val Lineage = "_row_id, _last_updated_sequence_number"

  private def ofRows(body: => Unit): Unit = if (hasLineage) body else cancel("no row lineage")

  private def hasLineage: Boolean = Try(spark.sql("SELECT _row_id FROM ice.db.t")).isSuccess

  /** Spark 3.5 checks all plans while it is tested, and its own rule for commands on such a table
    * makes one that it finds invalid, without LateBloom, too.
    */
  private def unlessInvalid(mode: String)(body: => Unit): Unit =
    if (spark.version >= "4" || mode != "copy-on-write") body
    else {
      val testing = sys.props.remove("spark.testing")
      try withSQLConf(SQLConf.PLAN_CHANGE_VALIDATION.key -> "false")(body)
      finally testing.foreach(sys.props("spark.testing") = _)
    }

  for (mode <- Seq("merge-on-read", "copy-on-write")) test(s"the lineage of rows; $mode") {
    table("t", "p")(
      SmallGroups ++ Seq(
        "format-version" -> "3",
        "write.delete.mode" -> mode,
        "write.update.mode" -> mode,
        "write.merge.mode" -> mode
      ): _*
    )
    ofRows {
      def checked() = inSplits {
        taken(s"SELECT id, $Lineage FROM ice.db.t WHERE k < 5")
        taken(s"SELECT id, $Lineage, _pos, _file FROM ice.db.t WHERE k = 4 AND s IS NOT NULL")
        taken("SELECT id FROM ice.db.t WHERE k < 40 AND _row_id % 7 = 1")
        taken(
          "SELECT id FROM ice.db.t WHERE _row_id > 60 AND k < 40 AND 100 / (_row_id - 5) < 7 AND 9 / (k - 41) < 1"
        )
        // Fails on rows that the condition before it drops.
        taken("SELECT id FROM ice.db.t WHERE k < 40 AND _row_id < 0 AND 9 / (k - 5) > 0")
        taken("SELECT id FROM ice.db.t WHERE k < 40 AND _last_updated_sequence_number > 1")
        taken("SELECT max(_row_id), count(_row_id) FROM ice.db.t WHERE k < 40")
        // Of the rows that it updates below, Iceberg gives several one `_row_id`.
        withTopK(taken("SELECT id, s FROM ice.db.t WHERE k < 40 ORDER BY _row_id DESC, id LIMIT 4"))
        taken(
          s"SELECT a.s, b._row_id FROM ice.db.t a JOIN ice.db.t b ON a._row_id = b._row_id WHERE a.k = 4 AND b.k < 9"
        )
        left("no-filter")(s"SELECT id, $Lineage, _pos FROM ice.db.t")
        left("not-selective")(s"SELECT id, $Lineage FROM ice.db.t WHERE id IS NOT NULL")
        left("no-filter")("SELECT id FROM ice.db.t WHERE _row_id = 77")
      }
      checked()
      unlessInvalid(mode) {
        spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
        spark.sql("UPDATE ice.db.t SET s = 'changed' WHERE k = 4")
        spark.sql(
          "MERGE INTO ice.db.t USING (SELECT id + 2 AS id, s FROM ice.db.t WHERE k = 2) u ON t.id = u.id " +
            "WHEN MATCHED THEN UPDATE SET s = u.s, p = 9"
        )
      }
      rows(4000, 4500).writeTo("ice.db.t").append()
      checked()
      // Some of the files have the columns themselves by now.
      val scan = onlyScan(spark.sql(s"SELECT id, $Lineage FROM ice.db.t WHERE k = 4"))
      assert(scan.metrics(Counter.FILES_OF_TABLE.key).value == 0)
      Seq("orc", "avro").foreach { format =>
        spark.sql(s"ALTER TABLE ice.db.t SET TBLPROPERTIES ('write.format.default' = '$format')")
        spark.sql("UPDATE ice.db.t SET s = 'again' WHERE k = 4 AND p < 2")
      }
      checked()
    }
  }

  test("rows from before lineage have none, until their files are rewritten") {
    table("t", "p")("format-version" -> "2")
    val first = spark.sql("SELECT snapshot_id FROM ice.db.t.snapshots").head().getLong(0)
    spark.sql("ALTER TABLE ice.db.t SET TBLPROPERTIES ('format-version' = '3')")
    ofRows {
      sameAnswer(
        spark.sql(
          s"SELECT id, $Lineage FROM ice.db.t VERSION AS OF $first WHERE k = 4"
        )
      )(_ => ())
      rows(4000, 4500).writeTo("ice.db.t").append()
      taken(s"SELECT id, $Lineage FROM ice.db.t WHERE k = 4")
      spark.sql(
        "CALL ice.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))"
      )
      taken(s"SELECT id, $Lineage FROM ice.db.t WHERE k = 4")
    }
  }

  test("what else there is of metadata is Iceberg's") {
    table("t")(Deletes: _*)
    spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
    left("iceberg-column")("SELECT id, _deleted FROM ice.db.t WHERE k < 5")
    left("no-filter")(s"SELECT id, $All FROM ice.db.t")
    left("nothing-pushable")("SELECT id FROM ice.db.t WHERE _pos = 7")
    left("no-filter")("SELECT id FROM ice.db.t WHERE _file LIKE '%parquet'")
  }
}
