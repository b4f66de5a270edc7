// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.SparkPlan

import latebloom.LateBloomTest

/** Suites of random histories of a table: after each change, and at each version in the end, the
  * answers of random queries are the same off and on.
  */
trait HistoryTest extends LateBloomTest {

  /** The codes of the reasons against the scans that are not ours. */
  protected def declined(plan: SparkPlan): Seq[String]

  /** One test a history, as two variables of the environment say: how many histories of eight
    * changes, one of three without it; and with which seed the first begins.
    */
  protected def histories(many: String, first: String)(history: (Int, Int) => Unit): Unit = {
    val from = fromEnvironment(first, 1)
    val steps = if (sys.env.contains(many)) 8 else 3
    (from until from + fromEnvironment(many, 1)).foreach { seed =>
      test(s"a history with seed $seed")(history(seed, steps))
    }
  }

  /** A history of a table with the columns `id BIGINT`, `k INT`, `s STRING`, `d DATE`,
    * `n STRUCT<a: INT, b: STRING>`, `p INT` and more, with ids below 2,000.
    *
    * @param table
    *   as queries name it
    * @param allowed
    *   codes of reasons that a scan may be left for
    */
  abstract protected class RandomHistory(
      seed: Int,
      steps: Int,
      table: String,
      allowed: Set[String]
  ) {
    protected val random = new Random(seed)
    protected val log: ArrayBuffer[String] = ArrayBuffer.empty

    /** The names of the columns that change, by type. */
    protected var ints: Vector[String] = Vector("k", "n.a", "p")
    protected var texts: Vector[String] = Vector("s", "n.b")
    private var added = 0
    private var nextId = 2000L
    private var scans = 0

    /** Creates the table. */
    protected def create(): Unit

    /** The changes that only such a table has; each may be repeated to become likelier. */
    protected def changes: Seq[() => Unit]

    /** The versions of the table, as a query with `VERSION AS OF` names them. */
    protected def versions: Seq[String]

    protected def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))

    protected def change(sql: String): Unit = {
      log += sql
      spark.sql(sql)
    }

    protected def condition(): String = pick(Seq(
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

    protected def topLevel(names: Vector[String]): Vector[String] =
      names.filterNot(_.contains("."))

    protected def unpartitioned: Vector[String] = topLevel(ints).filter(_ != "p")

    protected def insert(): Unit = {
      val n = 200 + random.nextInt(600)
      nextId += n
      val columns = spark.table(table).schema.fields.filter(_.name != "id")
      val values = columns.map {
        case f if f.name == "n"                      => "NULL"
        case f if f.dataType.typeName == "array"     => "array(1, 2)"
        case f if f.dataType.typeName == "map"       => "map('a', 1)"
        case f if f.dataType.typeName == "date"      => "DATE'2021-05-05'"
        case f if f.dataType.typeName == "timestamp" => "timestamp_seconds(id * 200)"
        case f if f.dataType.typeName == "string"    =>
          s"concat('text ', id % ${1 + random.nextInt(60)})"
        case f if f.dataType.typeName == "long" => s"IF(id % 5 = 0, 9000000000, id % 50)"
        case _                                  => s"CAST(id % ${1 + random.nextInt(60)} AS INT)"
      }
      change(s"INSERT INTO $table (id, ${columns.map(f => s"`${f.name}`").mkString(", ")}) " +
        s"SELECT id, ${values.mkString(", ")} FROM range(${nextId - n}, $nextId, 1, 2)")
    }

    protected def delete(): Unit =
      change(s"DELETE FROM $table WHERE ${condition()} AND id % ${2 + random.nextInt(4)} = 1")

    private def update(): Unit = change(
      s"UPDATE $table SET ${pick(topLevel(texts))} = 'text ${random.nextInt(9)}' WHERE ${condition()}"
    )

    private def merge(): Unit = change(
      s"MERGE INTO $table t USING (SELECT id * ${1 + random.nextInt(9)} AS id FROM range(300)) u " +
        s"ON t.id = u.id WHEN MATCHED AND ${condition().replace("id ", "t.id ")} THEN DELETE " +
        s"WHEN MATCHED THEN UPDATE SET ${pick(topLevel(texts))} = 'text merged' " +
        "WHEN NOT MATCHED THEN INSERT (id, d) VALUES (u.id, DATE'2022-02-02')"
    )

    protected def addColumns(): Unit = {
      added += 1
      change(s"ALTER TABLE $table ADD COLUMNS (i$added INT, t$added STRING)")
      ints :+= s"i$added"
      texts :+= s"t$added"
    }

    protected def widen(): Unit = unpartitioned
      .find(c => spark.table(table).schema(c).dataType.typeName == "integer")
      .foreach(c => change(s"ALTER TABLE $table ALTER COLUMN $c TYPE BIGINT"))

    protected def renameText(): Unit = {
      added += 1
      val old = pick(topLevel(texts))
      change(s"ALTER TABLE $table RENAME COLUMN $old TO t$added")
      texts = texts.filter(_ != old) :+ s"t$added"
    }

    protected def renameInt(): Unit = {
      added += 1
      val old = pick(unpartitioned)
      change(s"ALTER TABLE $table RENAME COLUMN $old TO i$added")
      ints = ints.filter(_ != old) :+ s"i$added"
    }

    protected def dropInt(): Unit =
      if (unpartitioned.size > 1) {
        val old = pick(unpartitioned)
        change(s"ALTER TABLE $table DROP COLUMN $old")
        ints = ints.filter(_ != old)
      }

    private def rows: Seq[() => Unit] = Seq(
      () => insert(),
      () => insert(),
      () => delete(),
      () => delete(),
      () => update(),
      () => merge()
    )

    private def compare(query: String): Unit = {
      log += query
      def answer: Seq[Row] = spark.sql(query).collect().toSeq
      val df = spark.sql(query)
      checkAnswer(df, off(answer))
      scans += lateScans(df).size
      val reasons = declined(df.queryExecution.executedPlan).filterNot(allowed)
      assert(reasons.isEmpty, df.queryExecution.executedPlan)
    }

    private def look(): Unit = {
      compare(s"SELECT * FROM $table WHERE ${condition()}")
      compare(
        s"SELECT id, ${pick(ints)}, ${pick(texts)} FROM $table " +
          s"WHERE ${condition()} AND ${condition()}"
      )
      compare(s"SELECT count(*), sum(id), max(${pick(texts)}) FROM $table WHERE ${condition()}")
      compare(
        s"SELECT a.id, b.${pick(topLevel(texts))} FROM $table a JOIN $table b ON a.id = b.id " +
          s"WHERE a.id % 50 < 3 AND b.${pick(topLevel(ints))} > 5"
      )
      if (random.nextBoolean()) compare(s"SELECT * FROM $table")
    }

    def run(): Unit =
      try {
        create()
        look()
        (0 until steps).foreach { _ =>
          pick(rows ++ changes)()
          look()
        }
        versions.foreach { version =>
          compare(s"SELECT * FROM $table VERSION AS OF $version WHERE id % 5 > 2")
        }
        assert(scans > 2 * steps)
      } catch {
        case e: Throwable => throw new AssertionError(s"seed $seed\n${log.mkString("\n")}\n$e", e)
      }
  }
}
