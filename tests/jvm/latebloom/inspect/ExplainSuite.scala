// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.collection.mutable

import org.apache.spark.SparkConf
import org.apache.spark.sql.execution.{ExplainMode, ExtendedMode, FormattedMode, SimpleMode}
import org.apache.spark.sql.internal.SQLConf

import latebloom.read.task.Counter
import latebloom.{BuiltFor, LateBloomTest, LineTest}

/** The texts that people read, and those of a line of Spark that differ from them. Set the
  * environment variable LATEBLOOM_GOLDEN=write to write the files anew, and review the difference.
  */
class ExplainSuite extends LateBloomTest {

  override protected def sparkConf: SparkConf =
    LineTest.explainProviders.foldLeft(super.sparkConf)(_.set(_, classOf[LateBloomExplain].getName))

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(200)
      .selectExpr("id", "cast(id % 10 as int) n", "concat('s', id % 5) s", "cast(id % 3 as int) p")
      .write.partitionBy("p").saveAsTable("t")
    spark.range(20).selectExpr("id k", "concat('d', id) name").write.format("orc").saveAsTable("o")
    spark.range(200)
      .selectExpr("id % 10 n", "map('a', id, 'b', id + 1) counts", "array(id, id + 1) pair")
      .write.saveAsTable("m")
  }

  override protected def afterAll(): Unit =
    try Seq("t", "o", "m").foreach(t => spark.sql(s"drop table $t"))
    finally super.afterAll()

  private def golden(name: String, mode: ExplainMode, query: String): Unit =
    test(s"EXPLAIN reads as in $name.txt") {
      val text = normal(LineTest.explained(spark.sql(query).queryExecution, mode))
      if (sys.env.get("LATEBLOOM_GOLDEN").contains("write")) write(name, text)
      val file = Seq(ofLine(name), ofAll(name)).find(Files.exists(_)).get
      assert(text == read(file))
    }

  private def ofAll(name: String): Path = Path.of("tests", "golden", s"$name.txt")

  private def ofLine(name: String): Path =
    Path.of("tests", "golden", s"spark-${BuiltFor.spark}", s"$name.txt")

  private def read(file: Path): String = new String(Files.readAllBytes(file), UTF_8)

  /** The files of all lines are those of one; another line has what differs. */
  private def write(name: String, text: String): Unit = {
    val file = if (BuiltFor.spark == "4.1") ofAll(name) else ofLine(name)
    Files.deleteIfExists(file)
    if (!Files.exists(ofAll(name)) || text != read(ofAll(name))) {
      Files.createDirectories(file.getParent)
      Files.write(file, text.getBytes(UTF_8))
    }
  }

  /** Numbers expression ids by first appearance, and removes plan ids and paths. */
  private def normal(text: String): String = {
    val ids = mutable.LinkedHashMap.empty[String, Int]
    "#(\\d+)".r
      .replaceAllIn(text, m => "#" + ids.getOrElseUpdate(m.group(1), ids.size + 1))
      .replaceAll("plan_id=\\d+", "plan_id=_")
      .replaceAll("\\[id=#\\d+\\]", "[id=_]")
      .replaceAll("\\[file:[^\\],]*\\]?", "[file:_]") // Spark cuts a long path, bracket and all
      .linesIterator.map(_.replaceAll("\\s+$", "")).mkString("", "\n", "\n")
  }

  private val whole = "select id from t where s in ('s1', 's3') and n between 3 and 5"
  private val partly =
    "select id, _metadata.row_index from t where n = 3 and id % 4 = 1 and id > p and p in (2, 9)"

  golden("whole-filter-simple", SimpleMode, whole)
  golden("whole-filter-formatted", FormattedMode, whole)
  golden("whole-filter-extended", ExtendedMode, whole)
  golden("residual-formatted", FormattedMode, partly)
  golden(
    "lookups-formatted",
    FormattedMode,
    "select counts['b'] - counts['a'] d, pair[0] from m where n = 3"
  )
  golden(
    "declined-formatted",
    FormattedMode,
    "select t.id, o.name from t left join o on t.id = o.k"
  )
  golden(
    "join-formatted",
    FormattedMode,
    "select t.id, o.name from t join o on t.id = o.k where o.name = 'd3'"
  )

  test("EXPLAIN says what became of a join filter once the query has run") {
    for (adaptive <- Seq(true, false); most <- Seq(10, 1)) {
      withSQLConf(
        // On a slow machine the files have rested when the second query comes.
        "spark.latebloom.cache.enabled" -> "false",
        "spark.latebloom.statistics.enabled" -> "false",
        "spark.latebloom.join.minScanBytes" -> "0",
        "spark.latebloom.join.maxKeys" -> s"$most",
        SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> s"$adaptive"
      ) {
        val df = spark.sql("select t.id, o.name from t join o on t.id = o.k where o.name < 'd11'")
        def told = LineTest.explained(df.queryExecution, FormattedMode).linesIterator
          .filter(_.contains("has run: ")).map(_.trim).toSeq
        assert(told.isEmpty)
        df.collect()
        val keys = "has run: id IN k of o (broadcast): "
        if (most == 1) assert(told == Seq(s"${keys}none, too many keys"))
        else {
          val Seq(found, rows) = told
          assert(found.startsWith(s"${keys}3 keys in ") && found.contains(" B, gathered in "))
          val Seq(scan) = lateScans(df).filter(_.joinFilters.nonEmpty)
          def count(counter: Counter) = scan.metrics(counter.key).value
          assert(count(Counter.JOIN_ROWS_DROPPED) == count(Counter.JOIN_ROWS_TESTED) - 3)
          assert(
            rows == s"has run: ${count(Counter.JOIN_ROWS_TESTED)} rows tested, " +
              s"${count(Counter.JOIN_ROWS_DROPPED)} rows dropped"
          )
        }
      }
    }
  }
}
