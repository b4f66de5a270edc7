// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import java.time.ZoneId
import java.util.TimeZone

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.testkit.RowGroups

/** The bounds of keys that statistics are compared with: dates and times in every calendar. */
class KeyRangesSuite extends LateBloomTest {

  private def inEachWay(body: (String, String) => Unit): Unit =
    for (format <- Seq("parquet", "orc"); java8 <- Seq("true", "false")) {
      withSQLConf(
        SQLConf.DATETIME_JAVA8API_ENABLED.key -> java8,
        SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> "CORRECTED",
        SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> "TIMESTAMP_MICROS",
        "spark.latebloom.join.minScanBytes" -> "0"
      ) {
        withTable("fact", "dim")(withClue(s"$format, java8API: $java8\n")(body(format, java8)))
      }
    }

  private def save(table: String, format: String, sql: String): Unit =
    spark.sql(sql).coalesce(1).write.format(format).saveAsTable(table)

  private def joined: DataFrame = spark.sql(
    "select /*+ broadcast(d) */ f.id, f.k from fact f join dim d on f.k = d.k where d.few < 1000"
  )

  private def counted(counter: Counter): Long = {
    val df = joined
    df.collect()
    lateScans(df).filter(_.joinFilters.nonEmpty).map(_.metrics(counter.key).value).sum
  }

  private def pruned: Long = counted(Counter.ROWS_PRUNED)

  private def check(): Unit = sameAnswer(joined) { plan =>
    assert(lateScans(plan).exists(_.joinFilters.nonEmpty))
  }

  test("days that the calendars skipped in 1582 find their rows") {
    inEachWay { (format, _) =>
      save(
        "fact",
        format,
        "select id, date_add(date'1582-10-05', cast(id % 10 as int)) k from range(1000)"
      )
      save(
        "dim",
        format,
        "select id few, date_add(date'1582-10-05', cast(id as int)) k from range(3)"
      )
      check()
      // ORC has not got these days either: it reads them as the one after.
      assert(joined.count() == (if (format == "orc") 3000 else 300))
    }
  }

  test("times before zones counted in whole hours find their rows") {
    Seq("Europe/Amsterdam", "America/Los_Angeles").foreach { zone =>
      val before = TimeZone.getDefault
      TimeZone.setDefault(TimeZone.getTimeZone(ZoneId.of(zone)))
      try
        withSQLConf(SQLConf.SESSION_LOCAL_TIMEZONE.key -> zone) {
          Seq("1582-10-04 23:50:00", "1582-10-13 23:00:00", "1883-11-18 11:40:00")
            .foreach { from =>
              inEachWay { (format, _) =>
                withClue(s"$zone from $from\n") {
                  save(
                    "fact",
                    format,
                    s"select id, timestamp'$from' + make_dt_interval(0, 0, id % 500) k from range(1000)"
                  )
                  save(
                    "dim",
                    format,
                    s"select id few, timestamp'$from' + make_dt_interval(0, 0, 30 * id) k from range(9)"
                  )
                  check()
                }
              }
            }
        }
      finally TimeZone.setDefault(before)
    }
  }

  test("a day that a time zone skipped finds its rows") {
    val before = TimeZone.getDefault
    TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Apia"))
    try
      inEachWay { (format, _) =>
        save("fact", format, "select id, date'2011-12-30' k from range(1000)")
        save("dim", format, "select id few, date'2011-12-30' k from range(1)")
        check()
        assert(joined.count() == 1000)
      }
    finally TimeZone.setDefault(before)
  }

  test("dates and times of today prune by statistics, for any class of literals") {
    inEachWay { (format, _) =>
      Seq(
        "date_add(date'2001-01-01', cast(id / 100 as int))",
        "timestamp'2001-01-01 00:00:00' + make_dt_interval(cast(id / 100 as int))"
      ).foreach { k =>
        withTable("fact", "dim") {
          spark.sql(s"select id, $k k from range(0, 60000, 1, 1)").write.format(format)
            .option("orc.row.index.stride", "10000")
            .options(RowGroups.of(10000))
            .saveAsTable("fact")
          save("dim", format, s"select id few, $k k from range(10)")
          check()
          val pruned = counted(Counter.ROWS_PRUNED) + counted(Counter.ROW_GROUPS_PRUNED)
          assert(pruned > 0, s"$format, $k")
        }
      }
    }
  }

  /** Keys in every type, of a number below 600, in its order. */
  private val keys = Seq(
    "cast(n - 300 as smallint)",
    "cast(n - 300 as int)",
    "n * 1000000000 - 300000000000",
    "date_add(date'2001-01-01', cast(n as int))",
    "timestamp'2001-01-01 00:00:00' + make_dt_interval(cast(10 * n as int))",
    "cast(n - 300 as decimal(9, 2))",
    "cast(n - 300 as decimal(18, 3))",
    "lpad(cast(n as string), 5, '0')"
  )

  private def saveSorted(format: String, key: String, options: Map[String, String]): Unit =
    spark.sql(s"select id, $key k from (select id, id div 100 n from range(0, 60000, 1, 1))")
      .write.format(format).options(options).saveAsTable("fact")

  private def saveKeys(format: String, key: String, few: Boolean): Unit = {
    val some = if (few) "n in (3, 597)" else "n < 20 or n >= 580"
    save("dim", format, s"select n few, $key k from (select id n from range(600)) where $some")
  }

  /** Rows that no key can be in lie between the first and the last keys. */
  private def prunesBetween(format: String, key: String, few: Boolean*): Unit =
    withTable("fact") {
      saveSorted(format, key, RowGroups.of(10000) ++ Map("orc.row.index.stride" -> "10000"))
      few.foreach(withKeys(format, key, _) { rows =>
        assert(joined.count() == rows)
        if (format == "orc") assert(pruned >= 40000)
        else assert(counted(Counter.ROW_GROUPS_PRUNED) == 4)
      })
    }

  /** Checks the join of a sorted table with few keys or with more; `also` gets its rows. */
  private def withKeys(format: String, key: String, few: Boolean)(also: Int => Unit): Unit =
    withTable("dim") {
      withClue(s"$key, few: $few\n") {
        saveKeys(format, key, few)
        check()
        also(if (few) 200 else 4000)
      }
    }

  private val micros = SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> "TIMESTAMP_MICROS"
  private val millis = SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> "TIMESTAMP_MILLIS"
  private val small = "spark.latebloom.join.minScanBytes" -> "0"

  test("keys that lie apart prune the row groups between them, in every type") {
    withSQLConf(small, micros) {
      for (format <- Seq("parquet", "orc"); key <- keys) prunesBetween(format, key, true, false)
    }
    withSQLConf(small, millis, SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key -> "true") {
      for (key <- keys if key.contains("decimal") || key.contains("timestamp")) {
        prunesBetween("parquet", key, false)
      }
    }
  }

  test("keys that lie apart prune the pages between them, in every type") {
    withSQLConf(small, micros) {
      for (key <- keys) {
        withTable("fact") {
          saveSorted("parquet", key, Map("parquet.page.row.count.limit" -> "1000"))
          Seq(true, false).foreach(withKeys("parquet", key, _)(_ => assert(pruned >= 50000)))
        }
      }
    }
  }

  test("a few keys prune by the Bloom filters of a file") {
    val options = RowGroups.of(10000) ++ Map(
      "parquet.bloom.filter.enabled#k" -> "true",
      "parquet.bloom.filter.expected.ndv#k" -> "10000",
      "parquet.enable.dictionary" -> "false",
      "orc.row.index.stride" -> "10000",
      "orc.bloom.filter.columns" -> "k"
    )
    withSQLConf(small) {
      for (
        format <- Seq("parquet", "orc");
        key <- Seq("cast(n as int)", "n", "lpad(cast(n as string), 9, '0')")
      ) {
        withTable("fact", "dim") {
          withClue(s"$format, $key\n") {
            // Every row group has numbers from all of the range, and two of the six have 7000.
            spark.sql(
              s"select id, $key k from (select id, id * 7919 % 30000 * 2 n from range(0, 60000, 1, 1))"
            ).write.format(format).options(options).saveAsTable("fact")
            save("dim", format, s"select 0 few, $key k from (select 7000 n)")
            check()
            assert(joined.count() == 2)
            assert(pruned + 10000 * counted(Counter.ROW_GROUPS_PRUNED) == 40000)
          }
        }
      }
    }
  }
}
