// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.spark.sql.Row

/** Random histories of a table: after each change, and at each version in the end, the answers of
  * random queries are the same off and on.
  *
  * `LATEBLOOM_DELTA_HISTORIES` says how many histories of eight changes; without it there is one of
  * three. `LATEBLOOM_DELTA_SEED` says with which seed the first begins.
  */
class DeltaHistorySuite extends DeltaTest {

  private def number(name: String, default: Int) = sys.env.get(name).fold(default)(_.toInt)

  private val first = number("LATEBLOOM_DELTA_SEED", 1)

  private val steps = if (sys.env.contains("LATEBLOOM_DELTA_HISTORIES")) 8 else 3

  (first until first + number("LATEBLOOM_DELTA_HISTORIES", 1)).foreach { seed =>
    test(s"a history with seed $seed")(new History(seed).run())
  }

  private class History(seed: Int) {
    private val random = new Random(seed)
    private val log = ArrayBuffer.empty[String]

    /** The names of the columns that change, by type. */
    private var ints = Vector("k", "n.a", "p")
    private var texts = Vector("s", "n.b")
    private var added = 0
    private var nextId = 2000L
    private var scans = 0

    private val mapped = random.nextInt(3) > 0

    private def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))

    private def change(sql: String): Unit = {
      log += sql
      spark.sql(sql)
    }

    private def condition(): String = pick(Seq(
      () => s"${pick(ints)} = ${random.nextInt(40)}",
      () => s"${pick(ints)} BETWEEN ${random.nextInt(20)} AND ${20 + random.nextInt(30)}",
      () => s"${pick(ints)} IN (1, 3, ${random.nextInt(100)}, 2)",
      () => s"${pick(texts)} LIKE '%${random.nextInt(10)}%'",
      () => s"${pick(texts)} IS NULL",
      () => s"id > ${random.nextInt(nextId.toInt)}",
      () => s"(${condition()} OR ${condition()})",
      () => s"NOT (${condition()} AND ${condition()})",
      () => s"${pick(ints)} + id % 7 > ${random.nextInt(60)}"
    ))()

    private def create(): Unit = {
      val properties = Seq(
        "delta.enableDeletionVectors" -> s"${random.nextInt(3) > 0}",
        "delta.enableRowTracking" -> s"${random.nextBoolean()}",
        "delta.enableTypeWidening" -> "true",
        "delta.enableChangeDataFeed" -> s"${random.nextBoolean()}",
        "delta.checkpointInterval" -> "3"
      ) ++ (if (mapped) Seq("delta.columnMapping.mode" -> pick(Seq("name", "id"))) else Nil)
      log += properties.mkString("properties: ", ", ", "")
      table("t", partitioned = random.nextBoolean())(properties: _*)
      spark.sql("DELETE FROM t WHERE id >= 2000")
    }

    private def insert(): Unit = {
      val n = 200 + random.nextInt(600)
      log += s"append $n rows"
      rows(nextId, nextId + n).write.format("delta").mode("append")
        .option("mergeSchema", "true").saveAsTable("source")
      nextId += n
      val base = Seq("id")
      val columns = spark.table("t").schema.fields.filter(f => !base.contains(f.name))
      val values = columns.map {
        case f if f.name == "n"                   => "NULL"
        case f if f.dataType.typeName == "array"  => "array(1, 2)"
        case f if f.dataType.typeName == "date"   => "DATE'2021-05-05'"
        case f if f.dataType.typeName == "string" =>
          s"concat('text ', id % ${1 + random.nextInt(60)})"
        case f if f.dataType.typeName == "long" => s"IF(id % 5 = 0, 9000000000, id % 50)"
        case _                                  => s"CAST(id % ${1 + random.nextInt(60)} AS INT)"
      }
      change(s"INSERT INTO t (id, ${columns.map(f => s"`${f.name}`").mkString(", ")}) " +
        s"SELECT id, ${values.mkString(", ")} FROM range(${nextId - n}, $nextId, 1, 2)")
    }

    private def topLevel(names: Vector[String]) = names.filterNot(_.contains("."))

    private def step(): Unit = random.nextInt(if (mapped) 12 else 9) match {
      case 0 | 1 => insert()
      case 2 | 3 =>
        change(s"DELETE FROM t WHERE ${condition()} AND id % ${2 + random.nextInt(4)} = 1")
      case 4 =>
        change(
          s"UPDATE t SET ${pick(topLevel(texts))} = 'text ${random.nextInt(9)}' WHERE ${condition()}"
        )
      case 5 =>
        change(
          s"MERGE INTO t USING (SELECT id * ${1 + random.nextInt(9)} AS id FROM range(300)) u ON t.id = u.id " +
            s"WHEN MATCHED AND ${condition().replace("id ", "t.id ")} THEN DELETE " +
            s"WHEN MATCHED THEN UPDATE SET ${pick(topLevel(texts))} = 'text merged' " +
            "WHEN NOT MATCHED THEN INSERT (id, d) VALUES (u.id, DATE'2022-02-02')"
        )
      case 6 => change("OPTIMIZE t")
      case 7 =>
        added += 1
        change(s"ALTER TABLE t ADD COLUMNS (i$added INT, t$added STRING)")
        ints :+= s"i$added"
        texts :+= s"t$added"
      case 8 =>
        topLevel(ints).filter(_ != "p").find(c =>
          spark.table("t").schema(c).dataType.typeName == "integer"
        )
          .foreach(c => change(s"ALTER TABLE t ALTER COLUMN $c TYPE BIGINT"))
      case 9 =>
        added += 1
        val old = pick(topLevel(texts))
        change(s"ALTER TABLE t RENAME COLUMN $old TO t$added")
        texts = texts.filter(_ != old) :+ s"t$added"
      case 10 if topLevel(ints).count(_ != "p") > 1 =>
        val old = pick(topLevel(ints).filter(_ != "p"))
        change(s"ALTER TABLE t DROP COLUMN $old")
        ints = ints.filter(_ != old)
      case _ =>
        added += 1
        val old = pick(topLevel(ints).filter(_ != "p"))
        change(s"ALTER TABLE t RENAME COLUMN $old TO i$added")
        ints = ints.filter(_ != old) :+ s"i$added"
    }

    private def compare(query: String): Unit = {
      log += query
      def answer: Seq[Row] = spark.sql(query).collect().toSeq
      val df = spark.sql(query)
      checkAnswer(df, off(answer))
      scans += lateScans(df).size
      assert(declined(df.queryExecution.executedPlan).forall(Set("no-filter", "nothing-pushable")))
    }

    private def look(): Unit = {
      compare(s"SELECT * FROM t WHERE ${condition()}")
      compare(
        s"SELECT id, ${pick(ints)}, ${pick(texts)} FROM t WHERE ${condition()} AND ${condition()}"
      )
      compare(s"SELECT count(*), sum(id), max(${pick(texts)}) FROM t WHERE ${condition()}")
      compare(
        s"SELECT a.id, b.${pick(topLevel(texts))} FROM t a JOIN t b ON a.id = b.id " +
          s"WHERE a.id % 50 < 3 AND b.${pick(topLevel(ints))} > 5"
      )
      if (random.nextBoolean()) compare("SELECT * FROM t")
    }

    def run(): Unit = withTable("t", "source") {
      try {
        create()
        look()
        (0 until steps).foreach { _ =>
          step()
          look()
        }
        val newest = spark.sql("DESCRIBE HISTORY t LIMIT 1").head().getLong(0)
        (1L to newest).foreach { version =>
          compare(s"SELECT * FROM t VERSION AS OF $version WHERE id % 5 > 2")
        }
        assert(scans > 2 * steps)
      } catch {
        case e: Throwable => throw new AssertionError(s"seed $seed\n${log.mkString("\n")}", e)
      }
    }
  }
}
