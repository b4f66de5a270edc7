// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.{EOFException, File, IOException}
import java.nio.file.Files

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.{SparkThrowable, TaskKilledException}

import latebloom.orc.encoding.CorruptStreamException
import latebloom.orc.stripe.{CorruptStripeException, StripePlace}
import latebloom.read.RandomCases
import latebloom.read.predicate.FailedCondition
import latebloom.{LateBloomTest, LineTest}

/** Faults of a file's bytes are errors that name the file, the stripe and the column; other errors
  * stay unchanged.
  */
class OrcFaultsSuite extends LateBloomTest with RandomCases {
  private val place = new StripePlace("f.orc", 3)

  private def chain(e: Throwable): Seq[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq

  test("unchecked errors of decoders get their place in the file") {
    Seq[Exception](
      new CorruptStreamException("it ends"),
      new IllegalArgumentException("it ends"),
      new ArrayIndexOutOfBoundsException(7),
      new NegativeArraySizeException("-1"),
      new java.nio.BufferUnderflowException,
      new IllegalStateException,
      new EOFException
    ).foreach { e =>
      val placed = intercept[CorruptStripeException](place.read("column c", () => throw e))
      assert(placed.getMessage.startsWith("corrupt ORC file f.orc: stripe 3, column c: "))
      assert(placed.getCause == e)
    }
  }

  test("errors that are no fault of the bytes stay unchanged") {
    Seq[Throwable](
      new TaskKilledException("by the user"),
      new FailedCondition(new IllegalArgumentException),
      new IOException("the store is gone"),
      new java.nio.channels.ClosedByInterruptException,
      new OutOfMemoryError,
      new StackOverflowError,
      LineTest.error("NUMERIC_VALUE_OUT_OF_RANGE")
    ).foreach { e =>
      assert(intercept[Throwable](place.read("column c", () => throw e)) eq e)
    }
    val inner = intercept[CorruptStripeException](
      place.read("streams", () => throw new IllegalStateException)
    )
    assert(intercept[IOException](place.read("column c", () => throw inner)) eq inner)
  }

  test("an error of the query's condition does not become one of the file") {
    withTempPath { dir =>
      spark.range(0, 3000, 1, 1).selectExpr("id", "cast(id as string) s", "array(id) a")
        .write.orc(dir.getPath)
      val fails = udf((x: Long) => if (x > 2000) throw new IllegalArgumentException("no") else true)
      def query = spark.read.orc(dir.getPath).where(fails(col("id")))
      def failure = LineTest.ofTask(intercept[Exception](query.collect()))
      val expected = off(failure)
      val actual = failure
      assert(actual.getClass == expected.getClass)
      def sentence(e: Throwable) = e.getMessage.linesIterator.next().replaceAll("Lambda\\S+", "")
      assert(sentence(actual) == sentence(expected))
      assert(!chain(actual).exists(_.isInstanceOf[CorruptStripeException]))
    }
  }

  /** Errors that Spark's own reader may raise as well; all others must name their place. */
  private def isOrderly(e: Throwable, file: String): Boolean = {
    val causes = chain(e)
    causes.exists {
      case c: CorruptStripeException =>
        c.getMessage.contains(file) && c.getMessage.contains("stripe ")
      case _ => false
    } || causes.last.isInstanceOf[SparkThrowable]
  }

  test("bytes that are changed anywhere in a stripe give rows or an error that says where") {
    withTempPath { made =>
      Seq("none", "zlib", "snappy").foreach { codec =>
        spark.range(0, 2500, 1, 1).selectExpr(
          "id",
          "cast(id % 50 as int) i",
          "if(id % 3 = 0, null, concat('w', id % 40)) s",
          "sha1(cast(id as string)) t",
          "cast(id % 1000 as decimal(9,2)) n",
          "cast(id as double) / 3 d",
          "id % 2 = 0 b",
          "cast(id % 100 as byte) y",
          "timestamp_seconds(id * 1000) ts",
          "date_add(date'2000-01-01', cast(id % 99 as int)) dt",
          "array(id, id % 4) a",
          "map(cast(id % 5 as string), id) m",
          "named_struct('x', id, 'y', cast(id as string)) st"
        ).write.option("compression", codec).option("orc.row.index.stride", "1000")
          .orc(new File(made, codec).getPath)
      }
      val queries = Seq(
        "i = 7" -> "*",
        "s = 'w7' or t like '%ab%'" -> "id, n, ts",
        "n > 500 and d < 600" -> "b, y, dt",
        "ts > timestamp'1970-01-05 00:00:00' and dt < date'2000-02-02'" -> "s, a",
        "b and y < 9 and st.x % 5 = 2" -> "m, t"
      )
      forSeeds(90) { random =>
        val codec = random.oneOf("none", "none", "zlib", "snappy")
        val good = new File(made, codec).listFiles.filter(_.getName.endsWith(".orc")).head
        withTempPath { dir =>
          dir.mkdirs()
          val bad = new File(dir, "bad.orc")
          val bytes = Files.readAllBytes(good.toPath)
          // What is before the metadata of the tail.
          val end = bytes.length - 1 - (bytes.last & 0xff) - 3000
          (0 to random.nextInt(4)).foreach { _ =>
            bytes(3 + random.nextInt(end - 3)) =
              random.oneOf(0, -1, 0x7f, 0x80, random.nextInt()).toByte
          }
          Files.write(bad.toPath, bytes)
          val schema = spark.read.orc(new File(made, codec).getPath).schema
          val (where, columns) = random.oneOf(queries: _*)
          val df = spark.read.schema(schema).orc(bad.getPath).where(where)
            .selectExpr(columns.split(", ").toSeq: _*)
          Try(df.collect()) match {
            case Success(_) =>
            case Failure(e) => withClue(s"$codec: $where\n")(
                assert(isOrderly(e, bad.getName), chain(e).mkString("\n"))
              )
          }
        }
      }
    }
  }
}
