// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File
import java.nio.file.Files
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.orc.OrcProto.Stream.Kind
import org.apache.orc.{OrcFile, OrcProto}

import org.apache.spark.SparkException
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LineTest
import latebloom.orc.OrcSurgery.Changes
import latebloom.orc.stripe.CorruptStripeException

/** Files that no usual writer makes are read as Spark reads them. */
class OddOrcFilesSuite extends RewrittenOrc {

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

  test("the placeholder of an encrypted stream takes no space") {
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

  test("a stream of a column with a negative id is ignored") {
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

  test("the first code of a dictionary without entries is an empty string, as to orc-core") {
    withTempPath { dir =>
      val file = written(dir, spark.range(3000).selectExpr("id", "'one' w"))
      def empty(footer: OrcProto.StripeFooter.Builder): Unit = {
        val column = footer.getColumnsBuilderList.asScala.last
        assert(column.getDictionarySize == 1)
        column.clearDictionarySize()
      }
      OrcSurgery.rewrite(file, Changes(stripeFooter = empty))
      val read = spark.read.orc(dir.getPath)
      val kept =
        same(read.where("length(w) = 0 and id % 1000 = 7"))(r => (r.getLong(0), r.getString(1)))
      assert(kept == Seq((7L, ""), (1007L, ""), (2007L, "")))
      assert(same(read.where("length(w) = 3"))(_.getLong(0)).isEmpty)
    }
  }

  test("a signalling NaN among floats becomes quiet, as in Spark's reader") {
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

  private def messages(error: Throwable): String =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("\n")

  /** The error of reading a changed file. */
  private def failureOf(change: File => Unit): String = {
    var said = ""
    withTempPath { dir =>
      val file = written(dir, spark.range(100).toDF("id"))
      change(file)
      val rows = spark.read.schema("id long").orc(dir.getPath).where("id > 3")
      assert(lateScans(rows).nonEmpty)
      val failure = failedTask(rows.collect())
      assert(LineTest.isFailedRead(failure, file.getName), failure)
      said = messages(failure)
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

  test("a stripe that claims to be longer than the file allocates nothing") {
    for (
      claim <- Seq[OrcProto.StripeInformation.Builder => Unit](
        _.setFooterLength(Int.MaxValue - 1L),
        _.setDataLength(3L << 30),
        _.setIndexLength(Long.MaxValue)
      )
    ) assert(failureOf(OrcSurgery.rewrite(_, Changes(stripe = claim))).contains("stripe 0, footer"))
  }

  test("a stream that is longer than its stripe, which is left to Spark's reader, is an error") {
    for (length <- Seq(Long.MaxValue, -1L, 1L << 45)) {
      val said = failureOf(OrcSurgery.rewrite(
        _,
        Changes(
          stripe = _.setNumberOfRows(Int.MaxValue - 1L),
          stripeFooter = _.getStreamsBuilderList.asScala.last.setLength(length)
        )
      ))
      val claim = s"a stream of ${java.lang.Long.toUnsignedString(length)} bytes, where "
      assert(said.contains("stripe 0, footer") && said.contains(claim), said)
    }
  }

  test("a footer of a stripe that is left to Spark's reader allocates no more than the file has") {
    for (
      (text, claim) <- Seq[(String, OrcProto.StripeInformation.Builder => Unit)](
        "2147483646 bytes at " -> (_.setFooterLength(Int.MaxValue - 1L)),
        ", in a file of " -> (_.setDataLength(1L << 29)),
        "it is said to lie at byte" -> (_.setIndexLength(Long.MaxValue))
      )
    ) {
      val said = failureOf(OrcSurgery.rewrite(
        _,
        Changes(stripe = s => claim(s.setNumberOfRows(Int.MaxValue - 1L)))
      ))
      assert(said.contains("stripe 0, footer") && said.contains(text), said)
    }
  }

  test("a dictionary that orc-core reads allocates no more than its streams have") {
    val claims = Seq(
      // Three times the length 2^29, in a run of four bytes a value.
      "a dictionary of 1610612736 bytes" -> Changes(data =
        (stream, bytes) =>
          if (stream.getKind == OrcProto.Stream.Kind.LENGTH) Array[Byte](0x18, 0x20, 0, 0, 0)
          else bytes
      ),
      "a dictionary of 2147483639 entries" -> Changes(stripeFooter =
        _.getColumnsBuilder(3).setDictionarySize(Int.MaxValue - 8)
      )
    )
    for ((text, changes) <- claims) withTempPath { dir =>
      val texts =
        spark.range(3000).selectExpr("id", "named_struct('s', concat('text ', id % 3), 'n', id) st")
      OrcSurgery.rewrite(written(dir, texts), changes)
      val rows = spark.read.orc(dir.getPath).where("st.s = 'text 1'")
      assert(lateScans(rows).nonEmpty)
      val said = messages(failedTask(rows.collect()))
      assert(said.contains("column st") && said.contains(text), said)
      // Other columns are as they were.
      assert(
        spark.read.orc(dir.getPath).where("id > 2997 and st.n > 2").select("st.n").count() == 2
      )
    }
  }

  test("a postscript whose claims Spark never follows does no harm") {
    withTempPath { dir =>
      val file = written(dir, spark.range(100).toDF("id"))
      OrcSurgery.claim(file)(_.setMetadataLength(1L << 32))
      assert(same(spark.read.orc(dir.getPath).where("id > 97"))(_.getLong(0)) == Seq(98, 99))
    }
  }

  test("a stream that nobody reads may be damaged") {
    val long = Changes(stripeFooter = footer => {
      val last = footer.getStreamsBuilderList.asScala.last
      assert(last.getColumn == 3)
      last.setLength(1L << 40)
    })
    withFile(long) { dir =>
      val df = check(spark.read.orc(dir.getPath).where("id = 4321").select("word"))
      assert(df == Seq(Row("w4321")))
    }
  }

  test("a stripe of very many rows with a stride of one row fails as soon as its data end") {
    val tooMany = (1L << 31) - 3000
    val rowsSaid = Changes(
      footer = f => f.setRowIndexStride(1).setNumberOfRows(tooMany),
      stripe = _.setNumberOfRows(tooMany)
    )
    withFile(rowsSaid) { dir =>
      Seq("id = -4", "id % 5 = 7", "word = 'w3'", "id + few < 0 or word is null").foreach { where =>
        withClue(where) {
          val from = System.nanoTime
          val e = intercept[Exception](spark.read.orc(dir.getPath).where(where).collect())
          assert(System.nanoTime - from < 20000000000L)
          val chain = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq
          assert(chain.exists(_.isInstanceOf[CorruptStripeException]), e)
        }
      }
    }
  }

  test("a stride of one row without an index costs nothing") {
    withTempPath { dir =>
      dir.mkdirs()
      val file = new File(dir, "a.orc")
      val schema = org.apache.orc.TypeDescription.fromString("struct<a:bigint,b:bigint>")
      val conf = new org.apache.hadoop.conf.Configuration(false)
      val writer = OrcFile.createWriter(
        new Path(file.toURI),
        OrcFile.writerOptions(conf).setSchema(schema).rowIndexStride(0)
          .compress(org.apache.orc.CompressionKind.NONE)
      )
      val batch = schema.createRowBatch(1 << 16)
      batch.size = batch.getMaxSize
      batch.cols.foreach { c =>
        c.isRepeating = true
        c.asInstanceOf[org.apache.hadoop.hive.ql.exec.vector.LongColumnVector].vector(0) = 7
      }
      (0 until 400).foreach(_ => writer.addRowBatch(batch))
      writer.close()
      OrcSurgery.rewrite(file, Changes(footer = _.setRowIndexStride(1)))
      new File(dir, ".a.orc.crc").delete()
      val from = System.nanoTime
      val all = spark.read.orc(dir.getPath)
      assert(all.where("a = 7 and b % 2 = 0").count() == 0)
      assert(all.where("a % 2 = 1").selectExpr("count(b)").head().getLong(0) == 400L << 16)
      assert(System.nanoTime - from < 20000000000L)
    }
  }

  private def isRight(dir: File): Unit = {
    val all = spark.read.orc(dir.getPath)
    assert(all.where("id % 5000 = 77").collect().map(_.getLong(0)).toSeq == Seq(77L, 5077L))
    val df = all.where("id = 4321").select("word")
    assert(df.collect().toSeq == Seq(Row("w4321")))
    assert(lateScans(df).nonEmpty)
  }

  test("the answer is right with a row index that does not fit the stripe") {
    Seq[OrcProto.RowIndex.Builder => Unit](
      _.removeEntry(9),
      index => (0 until 70000).foreach(_ => index.addEntry(index.getEntry(3))),
      index => index.getEntryBuilderList.asScala.foreach(_.clearPositions()),
      index => index.getEntryBuilderList.asScala.foreach(_.setPositions(0, -1L)),
      index => index.getEntryBuilderList.asScala.foreach(_.setPositions(0, Long.MaxValue)),
      index => index.getEntryBuilder(5).setPositions(0, 0)
    ).foreach(change => withFile(Changes(index = (c, index) => if (c == 1) change(index)))(isRight))
  }
}
