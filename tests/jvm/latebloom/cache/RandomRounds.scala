// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import java.io.File
import java.nio.file.{Files, StandardCopyOption}

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest

/** Random rounds of changes to files between queries: overwriting, appending, replacing in place by
  * a file of equal length, removing, other schemas and confs. No answer is stale.
  *
  * `LATEBLOOM_ROUNDS` sets how many rounds, `LATEBLOOM_SEED` where they begin.
  */
trait RandomRounds extends LateBloomTest {

  protected def conditions: Seq[String]

  /** Each conf with the values that it takes. */
  protected def confs: Seq[(String, Seq[String])]

  /** The schemas that the files are read with; the first has their own names. */
  protected def schemas: Seq[String]

  protected def seed: Int = fromEnvironment("LATEBLOOM_SEED", 1)

  abstract protected class Rounds(dir: File, format: String) {
    protected val random = new Random(seed)
    private var clock = System.currentTimeMillis() - 200 * 86400000L
    private var files = 0
    private val listed = mutable.Map.empty[String, DataFrame]
    private var schema = schemas.head
    protected var chosen: Map[String, String] = Map.empty
    private var past: Seq[String] = Nil

    /** The numbers of rows that files have. */
    protected def sizes: Seq[Int]

    /** The columns of a file in which `id` counts the rows. */
    protected def columns(salt: Int): Seq[String]

    /** Changes of the suite's own. */
    protected def others: Seq[() => String] = Nil

    /** A query off and on; `again` makes the plan anew.
      *
      * @param planned
      *   may have been planned before files were replaced in place
      */
    protected def compare(planned: => DataFrame, again: => DataFrame): Unit

    def log: String = past.takeRight(20).mkString("\n")

    protected def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))

    protected def data: Seq[File] = dir.listFiles.toSeq.filter(_.getName.startsWith("part-"))

    /** A file of so many rows; files of as many rows have the same length, most often. */
    private def make(rows: Int): File = {
      val to = new File(dir.getPath + "-made")
      spark.range(0, rows, 1, 1).selectExpr(columns(random.nextInt(1 << 20)): _*)
        .write.mode("overwrite").option("compression", "none")
        .option("parquet.enable.dictionary", "false").format(format).save(to.getPath)
      to.listFiles.find(_.getName.startsWith("part-")).get
    }

    private def put(made: File, into: File): Unit = {
      Files.copy(made.toPath, into.toPath, StandardCopyOption.REPLACE_EXISTING)
      new File(into.getParentFile, s".${into.getName}.crc").delete()
      // One in four has not rested yet.
      if (random.nextInt(4) > 0) {
        clock += 1
        assert(into.setLastModified(clock))
      }
    }

    private def append(): Unit = {
      files += 1
      put(make(pick(sizes)), new File(dir, f"part-$files%05d.$format"))
      listed.clear()
    }

    private def replace(): String = {
      val file = pick(data)
      val made = Iterator.continually(make(pick(sizes))).take(4 * sizes.size)
      made.find(_.length == file.length) match {
        case Some(equal) => put(equal, file); "replace in place"
        case None        => append(); "append, for no file has the length"
      }
    }

    private def change(): String = random.nextInt(8 + others.size) match {
      case 0 | 1 => append(); "append"
      case 2     =>
        data.foreach(_.delete())
        (0 to random.nextInt(3)).foreach(_ => append())
        "overwrite"
      case 3 if data.size > 1 => pick(data).delete(); listed.clear(); "remove"
      case 4                  =>
        val (key, values) = pick(confs)
        chosen += key -> pick(values)
        s"$key = ${chosen(key)}"
      case 5          => schema = pick(schemas); s"schema $schema"
      case n if n > 7 => others(n - 8)()
      case _          => replace()
    }

    /** With the schema of the moment. */
    protected def table: DataFrame = read(schema)

    private def read(as: String) = spark.read.schema(as).format(format).load(dir.getPath)

    private def query(): Unit = {
      val condition = pick(conditions)
      val output = pick(Seq(Seq("v"), Seq("k", "v"), Seq("s", "t", "v"), Seq("*")))
      val caseSensitive = chosen.get(SQLConf.CASE_SENSITIVE.key).contains("true")
      // Its names are not those of the conditions.
      val as = if (caseSensitive && schema.contains("K")) schemas.head else schema
      val known = s"$condition $output $as ${chosen.toSeq.sorted}"
      def now = read(as).where(condition).selectExpr(output: _*)
      withSQLConf(chosen.toSeq: _*) {
        // A plan that was made before files were replaced in place reads what is there now.
        val old = random.nextInt(3) == 0
        withClue(s"$format, seed $seed, $known\n$log\n") {
          compare(if (old) listed.getOrElseUpdate(known, now) else now, now)
        }
      }
    }

    def run(rounds: Int): Unit = {
      append()
      (1 to rounds).foreach { _ =>
        past :+= change()
        (0 to random.nextInt(3)).foreach(_ => query())
      }
    }
  }
}
