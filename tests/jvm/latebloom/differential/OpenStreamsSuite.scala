// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Try}

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}
import org.scalatest.{BeforeAndAfterAll, BeforeAndAfterEach}

import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.{DebugFilesystem, SparkException}

/** Tests that no query leaves a file open, however it ends. Spark's `DebugFilesystem` keeps the
  * list.
  */
class OpenStreamsSuite
    extends AnyFunSuite
    with BeforeAndAfterAll
    with BeforeAndAfterEach
    with Eventually {

  implicit override val patienceConfig: PatienceConfig =
    PatienceConfig(timeout = Span(20, Seconds), interval = Span(50, Millis))

  private var spark: SparkSession = _
  private var folder: Path = _

  override def beforeAll(): Unit = {
    super.beforeAll()
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    folder = Files.createTempDirectory("latebloom-streams")
    spark = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.sql.extensions", "latebloom.LateBloomExtensions")
      .config("spark.hadoop.fs.file.impl", classOf[DebugFilesystem].getName)
      .config("spark.hadoop.fs.file.impl.disable.cache", "true")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.files.maxPartitionBytes", "200000")
      .getOrCreate()
    spark
      .range(0, 60000, 1, 4)
      .selectExpr(
        "id",
        "id % 100 as k",
        "cast(id % 7 as string) as word",
        "concat('payload ', id * 7919 % 60013) as text"
      )
      .write
      .option("parquet.page.row.count.limit", "200")
      .option("parquet.block.size", "100000")
      .option("parquet.block.size.row.check.min", "200")
      .parquet(good)
  }

  override def afterAll(): Unit =
    try {
      spark.stop()
      val paths = Files.walk(folder)
      try paths.iterator().asScala.toSeq.reverse.foreach(Files.delete)
      finally paths.close()
    } finally super.afterAll()

  override def beforeEach(): Unit = {
    super.beforeEach()
    DebugFilesystem.clearOpenStreams()
  }

  override def afterEach(): Unit =
    try eventually(DebugFilesystem.assertNoOpenStreams())
    finally super.afterEach()

  private def good: String = folder.resolve("good").toString

  private def selected: DataFrame = {
    val df = spark.read.parquet(good).where("k = 7 and word <> '3'")
    assert(df.queryExecution.executedPlan.toString.contains("LateScan"), "tests nothing")
    df
  }

  test("a query that reads everything closes its streams") {
    assert(selected.collect().length > 400)
    assert(selected.count() > 400)
  }

  test("a query whose filter drops everything closes its streams") {
    assert(spark.read.parquet(good).where("k = 7 and word = 'x'").collect().isEmpty)
  }

  test("a LIMIT that is reached early closes its streams") {
    assert(selected.limit(1).collect().length == 1)
    assert(selected.take(3).length == 3)
    assert(selected.limit(5).selectExpr("count(text)").head().getLong(0) == 5)
  }

  test("an iterator that is left half-way closes its streams when its job is cancelled") {
    val rows = selected.toLocalIterator()
    assert(rows.next().isInstanceOf[Row])
    spark.sparkContext.cancelAllJobs()
  }

  test("a task that fails half-way closes its streams") {
    val fail = udf { (id: Long) =>
      if (id > 20000) throw new IllegalStateException("on purpose")
      id
    }
    assertThrows[SparkException](selected.select(fail(col("id")), col("text")).collect())
  }

  test("a cancelled job closes its streams") {
    implicit val context: ExecutionContext = ExecutionContext.global
    for (interrupt <- Seq(true, false)) {
      val group = s"cancel-$interrupt"
      val df = selected.select(OpenStreamsSuite.slow(col("id")), col("text"))
      OpenStreamsSuite.rowsSeen.set(0)
      val job = Future {
        spark.sparkContext.setJobGroup(group, "slow", interrupt)
        df.collect()
      }
      eventually(assert(OpenStreamsSuite.rowsSeen.get > 0))
      spark.sparkContext.cancelJobGroup(group)
      assert(Try(Await.result(job, 30.seconds)).isFailure)
      eventually(DebugFilesystem.assertNoOpenStreams())
    }
  }

  test("a damaged file closes its streams") {
    val original = Files.list(Path.of(good)).iterator().asScala
      .filter(_.toString.endsWith(".parquet")).toSeq.head
    val bytes = Files.readAllBytes(original)
    val schema = spark.read.parquet(good).schema
    val damages = Seq[(String, Array[Byte] => Array[Byte])](
      "truncated" -> (_.take(bytes.length / 2)),
      "no-footer" -> (_.dropRight(40)),
      "pages" -> { b =>
        for (i <- 4 until b.length / 2) b(i) = (b(i) ^ 0x5a).toByte
        b
      },
      "text" -> (_ => "no Parquet".getBytes)
    )
    for ((name, damage) <- damages) {
      val target = folder.resolve(name)
      Files.createDirectory(target)
      Files.write(target.resolve("bad.parquet"), damage(bytes.clone()))
      val outcome = Try(spark.read.schema(schema).parquet(target.toString).where("k = 7").collect())
      outcome match {
        case Failure(e) =>
          val messages = Iterator.iterate(e: Throwable)(_.getCause).takeWhile(_ != null)
          assert(messages.exists(m => s"${m.getMessage}".contains("bad.parquet")), s"$name: $e")
        case _ => fail(s"$name: no error")
      }
      eventually(DebugFilesystem.assertNoOpenStreams())
    }
  }

  test("joins, unions and subqueries over several scans close their streams") {
    spark.read.parquet(good).createOrReplaceTempView("t")
    val queries = Seq(
      "select count(*) from t a join t b on a.id = b.id where a.k = 7 and b.word = '3'",
      "select text from t where k = 7 union all select word from t where k = 8 limit 3",
      "select text from t where k = 7 and id > (select avg(id) from t where word = '3')"
    )
    queries.foreach(sql => assert(spark.sql(sql).collect().nonEmpty))
  }
}

object OpenStreamsSuite {

  /** Rows on which [[slow]] has started; the tasks run in this JVM. */
  val rowsSeen = new AtomicInteger

  val slow: UserDefinedFunction = udf { (id: Long) =>
    rowsSeen.incrementAndGet()
    Thread.sleep(20)
    id
  }
}
