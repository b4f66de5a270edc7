// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File
import java.nio.file.Files
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.orc.OrcProto
import org.apache.orc.OrcProto.Stream.Kind

import org.apache.spark.SparkException
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.orc.OrcSurgery.Changes
import latebloom.{LateBloomTest, LineTest}

/** What Spark reads of files that no usual writer makes, we read alike. */
class OddOrcFilesSuite extends LateBloomTest {

  private def written(dir: File, rows: DataFrame): File = {
    rows.coalesce(1).write.option("orc.compress", "NONE").orc(dir.getPath)
    val file = dir.listFiles.filter(_.getName.endsWith(".orc")).head
    new File(dir, s".${file.getName}.crc").delete()
    file
  }

  private def same(query: => DataFrame)(values: Row => Any): Seq[Any] = {
    val expected = off(query.collect().map(values).toSeq)
    val df = query
    assert(df.collect().map(values).toSeq == expected)
    assert(lateScans(df).nonEmpty)
    expected
  }

  test("what stands for an encrypted stream takes no place") {
    for (kind <- Seq(Kind.ENCRYPTED_DATA, Kind.ENCRYPTED_INDEX)) {
      withTempPath { dir =>
        val file = written(dir, spark.range(3000).selectExpr("id", "concat('w', id) w"))
        val stream = OrcProto.Stream.newBuilder().setKind(kind).setColumn(1).setLength(7)
        OrcSurgery.rewrite(file, Changes(stripeFooter = _.addStreams(0, stream)))
        val rows = same(spark.read.orc(dir.getPath).where("id % 1000 = 7"))(identity)
        assert(rows == Seq(Row(7, "w7"), Row(1007, "w1007"), Row(2007, "w2007")))
      }
    }
  }

  test("a stream of a column with a negative id is nobody's") {
    withTempPath { dir =>
      val file = written(dir, spark.range(3000).toDF("id"))
      val stream = OrcProto.Stream.newBuilder().setKind(Kind.DATA).setColumn(-1).setLength(0)
      OrcSurgery.rewrite(file, Changes(stripeFooter = _.addStreams(stream)))
      // Spark's reader fails.
      val df = spark.read.orc(dir.getPath).where("id % 1000 = 7")
      assert(lateScans(df).nonEmpty)
      assert(df.collect().map(_.getLong(0)).toSeq == Seq(7, 1007, 2007))
    }
  }

  test("a column whose encoding the footer lacks fails where its values are read, and no earlier") {
    withTempPath { dir =>
      val file = written(dir, spark.range(3000).selectExpr("id", "concat('w', id) w"))
      OrcSurgery.rewrite(file, Changes(stripeFooter = f => f.removeColumns(f.getColumnsCount - 1)))
      def rows(condition: String) = spark.read.orc(dir.getPath).where(condition).collect()
      assert(rows("id % 1000 = 1001").isEmpty)
      for (condition <- Seq("id % 1000 = 7", "w = 'w7'")) {
        val e = intercept[SparkException](rows(condition))
        val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
        assert(causes.exists(_.getMessage.contains("no encoding of column 2")), e)
      }
    }
  }

  test("a signalling NaN among floats is the quiet one that Spark's reader makes of it") {
    withTempPath { dir =>
      val file = written(dir, spark.range(100).selectExpr("id", "cast(id + 0.625 as float) f"))
      val bytes = Files.readAllBytes(file.toPath)
      val buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
      val at = (0 to bytes.length - 4)
        .filter(i => buffer.getInt(i) == java.lang.Float.floatToRawIntBits(50.625f))
      assert(at.size == 1)
      buffer.putInt(at.head, 0xff97d000)
      Files.write(file.toPath, bytes)
      val bits = same(spark.read.orc(dir.getPath).where("id between 49 and 51")) { row =>
        java.lang.Float.floatToRawIntBits(row.getFloat(1)).toHexString
      }
      assert(bits(1) == "ffd7d000")
    }
  }

  /** What reading a file fails with that was changed. */
  private def failureOf(change: File => Unit): String = {
    var said = ""
    withTempPath { dir =>
      val file = written(dir, spark.range(100).toDF("id"))
      change(file)
      val rows = spark.read.schema("id long").orc(dir.getPath).where("id > 3")
      assert(lateScans(rows).nonEmpty)
      val failure = intercept[SparkException](rows.collect())
      assert(LineTest.condition(failure).startsWith("FAILED_READ_FILE"))
      assert(failure.getMessageParameters.get("path").contains(file.getName))
      said = failure.getCause.getMessage
    }
    said
  }

  test("a postscript that claims more than the file has allocates none of it") {
    // With the footer's bytes the larger is more than an int holds.
    for (claimed <- Seq(1L << 30, Int.MaxValue - 7L)) {
      assert(failureOf(
        OrcSurgery.claim(_)(_.setMetadataLength(claimed))
      ).contains(s"metadata of $claimed"))
    }
  }

  test("a postscript that claims larger chunks than there can be allocates none") {
    val said = failureOf(OrcSurgery.claim(_) { claims =>
      claims.setCompression(OrcProto.CompressionKind.ZLIB).setCompressionBlockSize(1L << 30)
    })
    assert(said.contains("chunks of up to 1073741824 bytes"))
  }

  test("of a stripe that is longer than the file nothing is allocated") {
    for (
      claim <- Seq[OrcProto.StripeInformation.Builder => Unit](
        _.setFooterLength(Int.MaxValue - 1L),
        _.setDataLength(3L << 30),
        _.setIndexLength(Long.MaxValue)
      )
    ) assert(failureOf(OrcSurgery.rewrite(_, Changes(stripe = claim))).contains("stripe 0, footer"))
  }

  test("a postscript whose claims Spark never follows does no harm") {
    withTempPath { dir =>
      val file = written(dir, spark.range(100).toDF("id"))
      OrcSurgery.claim(file)(_.setMetadataLength(1L << 32))
      assert(same(spark.read.orc(dir.getPath).where("id > 97"))(_.getLong(0)) == Seq(98, 99))
    }
  }
}
