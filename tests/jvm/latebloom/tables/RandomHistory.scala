// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer
import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest

/** Suites of random histories of a table: what each change leaves is what Spark makes of the rows
  * before it, in memory, and the answers of random queries after it, and at each version in the
  * end, are those of the rows that the table has with the extension off.
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

  private val Decimals = "CAST(id % 97 / 4 AS DECIMAL(12, 2))"
  private val Times = "timestamp_seconds(id * 200 + 1577836800)"
  private val Doubles =
    "CASE id % 6 WHEN 0 THEN DOUBLE('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D " +
      "WHEN 3 THEN NULL ELSE CAST(id % 11 AS DOUBLE) END"
  private val Sparse = "IF(id % 90 = 7, CAST(id % 10 AS INT), NULL)"

  /** Columns of types that need care, by the values of a row of number `id`. */
  protected val special: Seq[(String, String)] = Seq(
    "x" -> Decimals,
    "t" -> Times,
    "z" -> Doubles,
    "sparse" -> Sparse,
    "none" -> "CAST(NULL AS INT)"
  )

  /** A history of a table with the columns `id BIGINT`, `k INT`, `s STRING`, `d DATE`,
    * `n STRUCT<a: INT, b: STRING>`, `p INT`, the special ones and more, with ids below 2,000.
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
    protected var ints: Vector[String] = Vector("k", "n.a", "p", "sparse", "none")
    protected var texts: Vector[String] = Vector("s", "n.b")
    private var added = 0
    private val names = mutable.LinkedHashSet.empty[String]
    private var nextId = 2000L
    private var scans = 0

    /** What the table has, and what it had at its versions, in memory: with the names of columns.
      */
    private case class Contents(view: String, ints: Vector[String], texts: Vector[String])
    private var now: Contents = _
    private val past = mutable.LinkedHashMap.empty[String, Contents]

    /** Creates the table. */
    protected def create(): Unit

    /** The changes that only such a table has; each may be repeated to become likelier. */
    protected def changes: Seq[() => Unit]

    /** The table's version now, and all, as a query with `VERSION AS OF` names them. */
    protected def version: String
    protected def versions: Seq[String]

    protected def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))

    /** Changes the table, so that it has the rows that a query of `before` gives. */
    protected def change(sql: String, after: String = "SELECT * FROM before"): Unit = {
      log += sql
      val expected = off {
        spark.table(now.view).createOrReplaceTempView("before")
        spark.sql(after).collect().toSeq
      }
      spark.sql(sql)
      remember()
      off(checkAnswer(spark.table(now.view), expected))
    }

    private def remember(): Unit = off {
      val view = s"contents_${log.size}"
      spark.table(table).localCheckpoint().createOrReplaceTempView(view)
      now = Contents(view, ints, texts)
      past.getOrElseUpdate(version, now)
    }

    protected def condition(of: String = ""): String = pick(Seq(
      () => s"$of${pick(ints)} = ${random.nextInt(40)}",
      () => s"$of${pick(ints)} BETWEEN ${random.nextInt(20)} AND ${20 + random.nextInt(30)}",
      () => s"$of${pick(ints)} IN (1, 3, ${random.nextInt(100)}, 2)",
      () => s"$of${pick(texts)} LIKE '%${random.nextInt(10)}%'",
      () => s"$of${pick(texts)} IS NULL",
      () => s"${of}id > ${random.nextInt(nextId.toInt)}",
      () => s"(${condition(of)} OR ${condition(of)})",
      () => s"NOT (${condition(of)} AND ${condition(of)})",
      () => s"$of${pick(ints)} + ${of}id % 7 > ${random.nextInt(60)}",
      () => s"${of}d < DATE'2020-01-01' + ${random.nextInt(500)}",
      () => s"${of}x ${pick(Seq("<", "=", ">"))} ${random.nextInt(24)}.25",
      () => s"${of}t >= TIMESTAMP'2020-01-0${1 + random.nextInt(6)} 0${random.nextInt(10)}:30:00'",
      () => s"${of}z ${pick(Seq("<", "=", ">="))} ${pick(Seq("0", "-0.0", "3"))}D",
      () => pick(Seq(s"${of}z = DOUBLE('NaN')", s"${of}z > 9D", s"NOT ${of}z IN (0D, 4D)")),
      () => s"$of${pick(ints :+ "n")} IS ${pick(Seq("NULL", "NOT NULL"))}"
    ))()

    /** Whether the table's own format finds the rows that meet the condition. */
    protected def isExact(condition: String): Boolean = true

    /** A condition of a command. */
    protected def changed(of: String = ""): String =
      Iterator.continually(condition(of)).find(isExact).get

    protected def topLevel(names: Vector[String]): Vector[String] =
      names.filterNot(_.contains("."))

    protected def unpartitioned: Vector[String] = topLevel(ints).filter(_ != "p")

    private def schema: Seq[StructField] = spark.table(table).schema.fields.toSeq

    /** The columns, some of them replaced. */
    private def columns(replaced: PartialFunction[StructField, String]): String =
      schema.map(f => replaced.applyOrElse(f, (_: StructField).name)).mkString(", ")

    /** A value for a row of a number `id`. */
    private def value(of: DataType): String = of match {
      case StructType(all) =>
        val fields = all.map(f => s"'${f.name}', ${value(f.dataType)}")
        s"IF(id % 4 = 0, NULL, named_struct(${fields.mkString(", ")}))"
      case _: ArrayType   => "array(1, 2)"
      case _: MapType     => "map('a', 1)"
      case DateType       => "DATE'2021-05-05'"
      case StringType     => s"concat('text ', id % ${1 + random.nextInt(60)})"
      case LongType       => s"IF(id % 5 = 0, 9000000000, id % 50)"
      case IntegerType    => integer()
      case _: DecimalType => Decimals
      case TimestampType  => Times
      case _              => Doubles
    }

    private def integer(): String = pick(Seq(
      s"CAST(id % ${1 + random.nextInt(60)} AS INT)",
      s"CAST(id % ${1 + random.nextInt(60)} AS INT)",
      Sparse,
      "NULL"
    ))

    private def cast(value: String, to: DataType): String = s"CAST($value AS ${to.sql})"

    protected def insert(): Unit = {
      val n = 200 + random.nextInt(600)
      nextId += n
      val added = schema.map(f => if (f.name == "id") "id" else cast(value(f.dataType), f.dataType))
      val rows = s"SELECT ${added.mkString(", ")} FROM range(${nextId - n}, $nextId, 1, 2)"
      change(
        s"INSERT INTO $table (${columns(PartialFunction.empty)}) $rows",
        s"SELECT * FROM before UNION ALL $rows"
      )
    }

    private def delete(): Unit = {
      val deleted = s"${changed()} AND id % ${2 + random.nextInt(4)} = 1"
      change(
        s"DELETE FROM $table WHERE $deleted",
        s"SELECT * FROM before WHERE NOT coalesce($deleted, false)"
      )
    }

    /** All rows go, and others come. */
    protected def refill(command: String): Unit = {
      change(command, "SELECT * FROM before WHERE false")
      compare("SELECT * FROM @now WHERE id > 10")
      insert()
    }

    private def overwrite(): Unit = {
      val kept = s"(${changed()} OR id % 3 = 1)"
      change(
        s"INSERT OVERWRITE $table SELECT * FROM $table WHERE $kept",
        s"SELECT * FROM before WHERE $kept"
      )
    }

    /** A column, and what it becomes. */
    private def assignment(of: String): (String, String) = pick(Seq(
      () => pick(topLevel(texts)) -> s"'text ${random.nextInt(9)}'",
      () => "p" -> s"(coalesce(${of}p, 0) + ${1 + random.nextInt(2)}) % 5",
      () => "n" -> "NULL",
      () => "x" -> s"${of}x + 1",
      () => "z" -> s"-${of}z",
      () => pick(unpartitioned) -> "NULL"
    ))()

    private def update(): Unit = {
      val where = changed()
      if (random.nextInt(4) == 0) {
        val rest = schema.find(_.name == "n").get.dataType.asInstanceOf[StructType].fieldNames
          .map(f => s"'$f', " + (if (f == "a") "n.a + 1" else s"n.$f"))
        change(
          s"UPDATE $table SET n.a = n.a + 1 WHERE n IS NOT NULL AND $where",
          "SELECT " + columns { case StructField("n", t, _, _) =>
            s"IF(n IS NOT NULL AND $where, ${cast(s"named_struct(${rest.mkString(", ")})", t)}, n)"
          } + " FROM before"
        )
      } else {
        val (column, value) = assignment("")
        change(
          s"UPDATE $table SET $column = $value WHERE $where",
          "SELECT " + columns {
            case f if f.name == column =>
              s"IF($where, ${cast(value, f.dataType)}, $column)"
          } + " FROM before"
        )
      }
    }

    private def merge(): Unit = {
      val source = pick(Seq(
        s"SELECT id * ${1 + random.nextInt(9)} AS id FROM range(300)",
        s"SELECT DISTINCT id FROM $table WHERE ${changed()}"
      ))
      val deleted = changed("o.")
      val (column, value) = assignment("o.")
      val kept = if (random.nextBoolean()) "false" else changed("o.")
      val unmatched =
        if (kept == "false") "" else s" WHEN NOT MATCHED BY SOURCE AND $kept THEN DELETE"
      val inserted = columns {
        case f if f.name == "id" => "u.id"
        case f if f.name == "d"  => "DATE'2022-02-02'"
        case f                   => cast("NULL", f.dataType)
      }
      val left = columns {
        case f if f.name == column => s"IF(u.id IS NULL, o.$column, ${cast(value, f.dataType)})"
        case f                     => s"o.${f.name}"
      }
      change(
        s"MERGE INTO $table o USING ($source) u ON o.id = u.id WHEN MATCHED AND $deleted THEN DELETE " +
          s"WHEN MATCHED THEN UPDATE SET $column = $value " +
          s"WHEN NOT MATCHED THEN INSERT (id, d) VALUES (u.id, DATE'2022-02-02')$unmatched",
        s"WITH u AS (${source.replace(s"FROM $table ", "FROM before ")}) " +
          s"SELECT $left FROM before o LEFT JOIN u ON o.id = u.id WHERE NOT coalesce(" +
          s"IF(u.id IS NULL, $kept, $deleted), false) UNION ALL " +
          s"SELECT $inserted FROM u LEFT ANTI JOIN before o ON o.id = u.id"
      )
    }

    /** A name for a column: a new one, or one that another column had. */
    private def name(prefix: String): String = {
      added += 1
      val now = schema.map(_.name)
      names ++= now
      val free = names.toSeq.diff(now)
      if (free.isEmpty || random.nextBoolean()) s"$prefix$added" else pick(free)
    }

    protected def addColumns(): Unit = {
      val int = name("i")
      val text = s"t$added"
      ints :+= int
      texts :+= text
      change(
        s"ALTER TABLE $table ADD COLUMNS ($int INT, $text STRING)",
        "SELECT *, CAST(NULL AS INT), CAST(NULL AS STRING) FROM before"
      )
    }

    protected def addField(): Unit = {
      added += 1
      val all = schema.find(_.name == "n").get.dataType.asInstanceOf[StructType].fieldNames
        .map(f => s"'$f', n.$f") :+ s"'i$added', CAST(NULL AS INT)"
      val after = columns {
        case f if f.name == "n" =>
          s"IF(n IS NULL, NULL, named_struct(${all.mkString(", ")}))"
      }
      ints :+= s"n.i$added"
      change(
        s"ALTER TABLE $table ADD COLUMNS (n.i$added INT)",
        s"SELECT $after FROM before"
      )
    }

    protected def widen(): Unit = {
      val narrow = schema.filter(f => unpartitioned.contains(f.name) && f.dataType == IntegerType)
      if (narrow.nonEmpty) {
        val column = pick(narrow).name
        val after = columns { case f if f.name == column => s"CAST($column AS BIGINT)" }
        change(
          s"ALTER TABLE $table ALTER COLUMN $column TYPE BIGINT",
          s"SELECT $after FROM before"
        )
      }
    }

    private def rename(old: String, to: String): Unit = {
      def renamed(names: Vector[String]) = names.map(n => if (n == old) to else n)
      ints = renamed(ints)
      texts = renamed(texts)
      change(s"ALTER TABLE $table RENAME COLUMN $old TO $to")
    }

    protected def renameText(): Unit = rename(pick(topLevel(texts)), name("t"))

    protected def renameInt(): Unit = rename(pick(unpartitioned), name("i"))

    protected def dropInt(): Unit =
      if (unpartitioned.size > 1) {
        val old = pick(unpartitioned)
        ints = ints.filter(_ != old)
        val kept = schema.map(_.name).filter(_ != old)
        change(
          s"ALTER TABLE $table DROP COLUMN $old",
          s"SELECT ${kept.mkString(", ")} FROM before"
        )
      }

    /** The table as it was, if that is known. */
    protected def restore(command: String => String): Unit = {
      val (version, old) = pick(past.toSeq)
      ints = old.ints
      texts = old.texts
      change(command(version), s"SELECT * FROM ${old.view}")
    }

    private def rows: Seq[() => Unit] = Seq(
      () => insert(),
      () => insert(),
      () => delete(),
      () => delete(),
      () => update(),
      () => update(),
      () => merge(),
      () => merge(),
      () => overwrite(),
      () => refill(s"DELETE FROM $table")
    )

    /** A query of the table `@now`, and of `@old`, a version of it. */
    private def compare(query: String, old: Option[(String, Contents)] = None): Unit = {
      def of(now: String, old: => String) =
        query.replace("@now", now) match {
          case all if all.contains("@old") => all.replace("@old", old)
          case all                         => all
        }
      val asked = of(table, s"$table VERSION AS OF ${old.get._1}")
      log += asked
      val expected = off(spark.sql(of(now.view, old.get._2.view)).collect().toSeq)
      val df = spark.sql(asked)
      if (isSame(df, expected, asked)) {
        scans += lateScans(df).size
        val reasons = declined(df.queryExecution.executedPlan).filterNot(allowed)
        assert(reasons.isEmpty, df.queryExecution.executedPlan)
      }
    }

    /** Whether the answer is that of the rows in memory. If it is not, it must be that of the table
      * without the extension, which may differ from them, or fail, itself.
      */
    private def isSame(df: DataFrame, expected: Seq[Row], asked: String): Boolean =
      try {
        checkAnswer(df, expected)
        true
      } catch {
        case e: Exception =>
          Try(off(spark.sql(asked).collect().toSeq)) match {
            case Success(rows) => checkAnswer(spark.sql(asked), rows)
            case Failure(theirs) if theirs.getClass == e.getClass =>
            case _                                                => throw e
          }
          info(s"not as in memory, with the extension and without: $asked")
          false
      }

    private def look(): Unit = {
      compare(s"SELECT * FROM @now WHERE ${condition()}")
      compare(
        s"SELECT id, ${pick(ints)}, ${pick(texts)} FROM @now " +
          s"WHERE ${condition()} AND ${condition()}"
      )
      pick(Seq(
        () =>
          compare(s"SELECT count(*), sum(id), max(${pick(texts)}) FROM @now WHERE ${condition()}"),
        () => compare(s"SELECT id FROM @now WHERE ${condition()} ORDER BY id DESC LIMIT 7"),
        () =>
          compare(s"SELECT id, x FROM @now WHERE id IN (SELECT id FROM @now WHERE ${condition()})")
      ))()
      if (random.nextInt(3) > 0)
        compare(
          s"SELECT a.id, b.${pick(topLevel(texts))} FROM @now a JOIN @now b ON a.id = b.id " +
            s"WHERE a.id % 50 < 3 AND b.${pick(topLevel(ints))} > 5"
        )
      else
        compare(
          s"SELECT a.id, b.* FROM @now a JOIN @old b ON a.id = b.id WHERE ${condition("a.")}",
          Some(pick(past.toSeq))
        )
      if (random.nextBoolean()) compare("SELECT * FROM @now")
    }

    private def steppedBack(): Unit = versions.foreach { version =>
      past.get(version) match {
        case Some(old) =>
          ints = old.ints
          texts = old.texts
          compare(s"SELECT * FROM @old WHERE ${condition()}", Some(version -> old))
        case None =>
          val query = s"SELECT * FROM $table VERSION AS OF $version WHERE id % 5 > 2"
          log += query
          checkAnswer(spark.sql(query), off(spark.sql(query).collect().toSeq))
      }
    }

    /** Some histories have Spark compile its expressions, which takes longer than tables so small
      * need.
      */
    def run(): Unit = {
      val compiled = random.nextInt(4) == 0
      under(
        "spark.sql.codegen.wholeStage" -> s"$compiled",
        "spark.sql.codegen.factoryMode" -> (if (compiled) "CODEGEN_ONLY" else "NO_CODEGEN")
      )(runAll())
    }

    private def runAll(): Unit =
      try {
        create()
        remember()
        look()
        (0 until steps).foreach { _ =>
          pick(rows ++ changes)()
          look()
        }
        steppedBack()
        assert(scans > steps)
      } catch {
        case e: Throwable =>
          val what = e.toString.take(4000)
          throw new AssertionError(s"seed $seed\n${log.mkString("\n")}\n$what", e)
      }
  }
}
