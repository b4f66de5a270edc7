// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.orc.{OrcFile, OrcProto}

import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest
import latebloom.orc.OrcSurgery.Changes
import latebloom.orc.stripe.CorruptStripeException
import latebloom.read.task.Counter

/** Wrong statistics: the answer is Spark's own, which uses some of them and not others. */
class OrcStatisticsSuite extends LateBloomTest {
  private val rows = 10000

  /** A file of the numbers from 0 on, as `id` and as text, 1000 to a stride. */
  private def withFile(changes: Changes)(body: File => Unit): Unit = withTempPath { dir =>
    spark.range(0, rows, 1, 1).selectExpr("id", "concat('w', id) word", "id % 7 few")
      .write
      .option("compression", "none")
      .option("orc.row.index.stride", "1000")
      .orc(dir.getPath)
    val file = dir.listFiles.filter(_.getName.endsWith(".orc")).head
    OrcSurgery.rewrite(file, changes)
    new File(dir, s".${file.getName}.crc").delete()
    body(dir)
  }

  /** Compares with Spark itself, including its pushed filters. */
  private def check(query: => DataFrame): Seq[Row] = {
    val expected = off(query.collect().toSeq)
    val df = query
    checkAnswer(df, expected)
    assert(lateScans(df).nonEmpty, df.queryExecution.executedPlan)
    expected
  }

  private def pruned(df: DataFrame): Long = {
    df.collect()
    lateScans(df).map(_.metrics(Counter.ROWS_PRUNED.key).value).sum
  }

  private def narrow(statistics: OrcProto.ColumnStatistics.Builder, from: Long, to: Long): Unit =
    if (statistics.hasIntStatistics) {
      statistics.getIntStatisticsBuilder.setMinimum(from).setMaximum(to)
    } else if (statistics.hasStringStatistics) {
      statistics.getStringStatisticsBuilder.setMinimum("a").setMaximum("b")
    }

  /** All statistics of stripes and of the file in the tail. */
  private def tailSays(from: Long, to: Long, hasNull: Boolean, values: Option[Long] = None) =
    Changes(
      metadata = _.getStripeStatsBuilderList.asScala.foreach(
        _.getColStatsBuilderList.asScala.foreach { s =>
          narrow(s, from, to)
          s.setHasNull(hasNull)
          values.foreach(s.setNumberOfValues)
        }
      ),
      footer = _.getStatisticsBuilderList.asScala.foreach(narrow(_, from, to))
    )

  test("statistics of stripes neither drop a row nor keep one") {
    val conditions = Seq(
      "id = 4321",
      "id between 4000 and 4400",
      "id < 100",
      "word = 'w77'",
      "id is null",
      "id >= 0",
      "few in (1, 2)",
      "few + id > 5000 or word = 'w3'",
      "word is null or id = 4"
    )
    for (
      says <- Seq(
        tailSays(20000, 20001, hasNull = false),
        tailSays(4000, 4400, hasNull = false),
        tailSays(50, 60, hasNull = true),
        tailSays(0, 10000, hasNull = false, values = Some(0))
      )
    ) withFile(says) { dir =>
      conditions.foreach { where =>
        withClue(s"$where\n")(check(spark.read.orc(dir.getPath).where(where)))
      }
      assert(check(spark.read.orc(dir.getPath).where("id between 4000 and 4400")).size == 401)
      withTempView("few") {
        spark.range(4000, 4401).createOrReplaceTempView("few")
        withSQLConf("spark.latebloom.join.minScanBytes" -> "0") {
          def joined =
            spark.read.orc(dir.getPath).join(spark.table("few").where("id % 2 = 0"), "id")
          assert(check(joined).size == 201)
        }
      }
    }
  }

  test("statistics of strides drop the rows that Spark drops") {
    val lies = Changes(index =
      (column, index) =>
        if (column > 0) {
          index.getEntryBuilderList.asScala.zipWithIndex.foreach { case (e, i) =>
            narrow(e.getStatisticsBuilder, 100L * i, 100L * i + 50)
          }
        }
    )
    withFile(lies) { dir =>
      Seq(
        "id = 4321",
        "id < 400",
        "id between 4000 and 4400",
        "word = 'w77'",
        "few = 3",
        "id is null"
      )
        .foreach(where => withClue(where)(check(spark.read.orc(dir.getPath).where(where))))
    }
  }

  test("a column without a row index prevents pruning, as in Spark") {
    val renamed = Changes(stripeFooter = _.getStreamsBuilderList.asScala.foreach { s =>
      if (s.getKind == OrcProto.Stream.Kind.ROW_INDEX && s.getColumn == 3) {
        s.setColumn(0)
      }
    })
    withFile(renamed) { dir =>
      def df = spark.read.orc(dir.getPath).where("id = 4321 and few >= 0")
      check(df)
      assert(pruned(df) == 0)
      assert(pruned(spark.read.orc(dir.getPath).where("id = 4321")) == rows - 1000)
    }
  }

  test("keys of a join prune strides only in files of writers known to be correct") {
    def written(writer: Int, version: Int): Changes = Changes(
      footer = _.setWriter(writer),
      postscript = _.setWriterVersion(version),
      index = (column, index) =>
        if (writer > 0 && column == 1) {
          index.getEntryBuilderList.asScala.foreach(e => narrow(e.getStatisticsBuilder, -9, -5))
        }
    )
    for (
      (writer, version) <- Seq((0, 9), (0, 7), (0, 6), (0, 1), (1, 6), (2, 6), (5, 6), (77, 6))
    ) {
      withClue(s"writer $writer, version $version\n") {
        withFile(written(writer, version)) { dir =>
          withTempView("keys") {
            spark.range(4300, 4310).createOrReplaceTempView("keys")
            withSQLConf("spark.latebloom.join.minScanBytes" -> "0") {
              def joined =
                spark.read.orc(dir.getPath).join(spark.table("keys").where("id % 2 = 0"), "id")
              assert(check(joined).size == 5)
              val df = joined
              assert(lateScans(df).exists(_.joinFilters.nonEmpty))
              assert((pruned(df) > 0) == (writer == 0 && version >= 7))
            }
          }
        }
      }
    }
  }

  // ---- indexes that are no use

  private def isRight(dir: File): Unit = {
    val all = spark.read.orc(dir.getPath)
    assert(all.where("id % 5000 = 77").collect().map(_.getLong(0)).toSeq == Seq(77L, 5077L))
    val df = all.where("id = 4321").select("word")
    assert(df.collect().toSeq == Seq(Row("w4321")))
    assert(lateScans(df).nonEmpty)
  }

  test("a row index that does not fit the stripe counts as none") {
    Seq[OrcProto.RowIndex.Builder => Unit](
      _.removeEntry(9),
      index => (0 until 70000).foreach(_ => index.addEntry(index.getEntry(3))),
      index => index.getEntryBuilderList.asScala.foreach(_.clearPositions()),
      index => index.getEntryBuilderList.asScala.foreach(_.setPositions(0, -1L)),
      index => index.getEntryBuilderList.asScala.foreach(_.setPositions(0, Long.MaxValue)),
      index => index.getEntryBuilder(5).setPositions(0, 0)
    ).foreach(change => withFile(Changes(index = (c, index) => if (c == 1) change(index)))(isRight))
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
}
