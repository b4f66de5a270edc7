// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{BytesColumnVector, LongColumnVector}
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf.Type
import org.apache.hadoop.hive.ql.io.sarg.{SearchArgument, SearchArgumentFactory}
import org.apache.orc.{CompressionKind, OrcFile, OrcProto, TypeDescription}

import latebloom.orc.OrcSurgery.Changes
import latebloom.read.RandomCases

/** Which strides statistics rule out. A naive model enumerates the values that a stride may have by
  * its statistics; orc-core's reader tells which strides Spark would pass over; and of files whose
  * statistics lie the answer is Spark's own, which goes by some of them and not by others.
  */
class OrcPruningSuite extends RewrittenOrc with RandomCases {

  // ---- against the model, and against orc-core

  private val Strides = 12
  private val PerStride = 1000

  /** `a` and `b` are the stride's number, `s` a letter of it. */
  private def written(path: Path, blooms: Boolean = false): Unit = {
    val schema = TypeDescription.fromString("struct<a:bigint,b:int,s:string>")
    val options = OrcFile.writerOptions(new Configuration(false)).setSchema(schema)
      .compress(CompressionKind.NONE).rowIndexStride(PerStride)
    val writer =
      OrcFile.createWriter(path, if (blooms) options.bloomFilterColumns("a,s") else options)
    val batch = schema.createRowBatch(PerStride)
    (0 until Strides).foreach { stride =>
      batch.size = PerStride
      val Seq(a, b, s) = batch.cols.toSeq
      (0 until PerStride).foreach { r =>
        // The bounds are the same everywhere, which leaves the rest to Bloom filters.
        val v = if (r == 0) -100 else if (r == 1) 100 else stride.toLong
        a.asInstanceOf[LongColumnVector].vector(r) = v
        b.asInstanceOf[LongColumnVector].vector(r) = v
        s.asInstanceOf[BytesColumnVector].setVal(r, s"${('a' + stride).toChar}".getBytes)
      }
      writer.addRowBatch(batch)
    }
    writer.close()
  }

  private def withWritten(blooms: Boolean = false)(body: Path => Unit): Unit = withTempPath { dir =>
    dir.mkdirs()
    val path = new Path(new File(dir, "f.orc").toURI)
    written(path, blooms)
    new File(dir, ".f.orc.crc").delete()
    body(path)
  }

  /** Values that a column may have in a stride; None is null. */
  private type Domain = Seq[Option[Any]]

  sealed private trait Condition {
    def test(row: String => Option[Any]): Option[Boolean]
    def addTo(builder: SearchArgument.Builder): SearchArgument.Builder
  }

  private case class Leaf(operator: String, column: String, literals: Seq[Any]) extends Condition {
    private def kind = if (column == "s") Type.STRING else Type.LONG

    private def order(a: Any, b: Any): Int = (a, b) match {
      case (x: Long, y: Long) => x.compare(y)
      case (x, y)             => x.toString.compareTo(y.toString)
    }

    override def test(row: String => Option[Any]): Option[Boolean] = {
      val value = row(column)
      def by(is: Int => Boolean) = value.map(v => is(order(v, literals.head)))
      operator match {
        case "is null" => Some(value.isEmpty)
        case "<=>"     => Some(value.exists(order(_, literals.head) == 0))
        case "="       => by(_ == 0)
        case "<"       => by(_ < 0)
        case "<="      => by(_ <= 0)
        case "in"      => value.map(v => literals.exists(order(v, _) == 0))
        case "between" =>
          value.map(v => order(v, literals(0)) >= 0 && order(v, literals(1)) <= 0)
      }
    }

    override def addTo(b: SearchArgument.Builder): SearchArgument.Builder = {
      val of = literals.map(_.asInstanceOf[AnyRef])
      operator match {
        case "is null" => b.isNull(column, kind)
        case "<=>"     => b.nullSafeEquals(column, kind, of.head)
        case "="       => b.equals(column, kind, of.head)
        case "<"       => b.lessThan(column, kind, of.head)
        case "<="      => b.lessThanEquals(column, kind, of.head)
        case "in"      => b.in(column, kind, of: _*)
        case "between" => b.between(column, kind, of(0), of(1))
      }
    }
  }

  private case class All(of: Seq[Condition]) extends Condition {
    override def test(row: String => Option[Any]): Option[Boolean] = {
      val found = of.map(_.test(row))
      if (found.contains(Some(false))) Some(false)
      else if (found.contains(None)) None
      else Some(true)
    }
    override def addTo(b: SearchArgument.Builder): SearchArgument.Builder =
      of.foldLeft(b.startAnd())((builder, c) => c.addTo(builder)).end()
  }

  private case class No(of: Condition) extends Condition {
    override def test(row: String => Option[Any]): Option[Boolean] = of.test(row).map(!_)
    override def addTo(b: SearchArgument.Builder): SearchArgument.Builder =
      of.addTo(b.startNot()).end()
  }

  private case class AnyOf(of: Seq[Condition]) extends Condition {
    override def test(row: String => Option[Any]): Option[Boolean] =
      No(All(of.map(No(_)))).test(row)
    override def addTo(b: SearchArgument.Builder): SearchArgument.Builder =
      of.foldLeft(b.startOr())((builder, c) => c.addTo(builder)).end()
  }

  private def argument(condition: Condition): SearchArgument =
    condition.addTo(SearchArgumentFactory.newBuilder().startAnd()).end().build()

  private def literal(random: scala.util.Random, column: String): Any =
    if (column == "s") s"${('a' + random.nextInt(7)).toChar}" else random.nextInt(13) - 6L

  private def leaf(random: scala.util.Random): Leaf = {
    val column = random.oneOf("a", "b", "s")
    val operator = random.oneOf("is null", "<=>", "=", "<", "<=", "in", "between")
    val literals =
      Seq.fill(if (operator == "in") 1 + random.nextInt(3) else 2)(literal(random, column))
    Leaf(
      operator,
      column,
      if (operator == "in") literals
      else literals.sortBy {
        case n: Long => f"${n + 100}%03d"
        case other   => other.toString
      }
    )
  }

  private def condition(random: scala.util.Random, depth: Int): Condition =
    if (depth == 0) {
      leaf(random)
    } else {
      def some = Seq.fill(2)(condition(random, depth - 1))
      random.oneOf[() => Condition](
        () => All(some),
        () => AnyOf(some),
        () => No(condition(random, depth - 1)),
        () => leaf(random)
      )()
    }

  /** Random statistics of a column in a stride, and the values that they allow. */
  private def say(random: scala.util.Random, column: Int, s: OrcProto.ColumnStatistics.Builder) = {
    val nulls = random.nextInt(3)
    s.setHasNull(nulls > 0).setNumberOfValues(if (nulls == 2) 0 else PerStride)
    val (x, y) = (random.nextInt(7), random.nextInt(7))
    val (least, most) = (x.min(y), x.max(y))
    val values: Domain = if (column == 3) {
      val letters = (least to most).map(i => s"${('a' + i).toChar}")
      s.getStringStatisticsBuilder.setMinimum(letters.head).setMaximum(letters.last)
      letters.map(Some(_))
    } else {
      s.getIntStatisticsBuilder.setMinimum(least - 3).setMaximum(most - 3)
      (least to most).map(i => Some(i - 3L))
    }
    val domain: Domain = if (nulls == 2) Nil else values
    if (nulls > 0) domain :+ None else domain
  }

  private def kept(path: Path, sarg: SearchArgument): Set[Int] = OpenedOrc(path, sarg) { file =>
    if (!file.mayPrune) {
      (0 until Strides).toSet
    } else {
      val Seq(stripe) = file.reader.getStripes.asScala.toSeq
      val rows = file.pruned(stripe)
      (0 until Strides).filter { s =>
        val n = rows.countIn(s * PerStride, (s + 1) * PerStride)
        assert(n == 0 || n == PerStride)
        n > 0
      }.toSet
    }
  }

  /** The strides that orc-core's reader, as Spark uses it, gives rows of. */
  private def keptByOrc(path: Path, sarg: SearchArgument): Set[Int] = {
    val reader = OrcFile.createReader(path, OrcFile.readerOptions(new Configuration(false)))
    val columns = sarg.getLeaves.asScala.map(_.getColumnName).toArray
    val rows = reader.rows(reader.options().searchArgument(sarg, columns).useSelected(false)
      .allowSARGToFilter(false))
    try {
      val batch = reader.getSchema.createRowBatch(PerStride)
      val found = Set.newBuilder[Int]
      var row = rows.getRowNumber
      while (rows.nextBatch(batch)) {
        if (batch.size > 0) found ++= Seq(row, row + batch.size - 1).map(r => (r / PerStride).toInt)
        row = rows.getRowNumber
      }
      found.result()
    } finally {
      rows.close()
      reader.close()
    }
  }

  test("of random statistics those strides are kept that may have a row, and those of orc-core") {
    withWritten() { path =>
      val good = Files.readAllBytes(new File(path.toUri).toPath)
      var ruledOut, exact = 0
      forSeeds(60) { random =>
        val file = new File(path.toUri)
        Files.write(file.toPath, good)
        val domains = Array.fill(4)(Array.empty[Domain])
        OrcSurgery.rewrite(
          file,
          Changes(index =
            (column, index) =>
              if (column > 0) {
                domains(column) = index.getEntryBuilderList.asScala
                  .map(e => say(random, column, e.getStatisticsBuilder)).toArray
              }
          )
        )
        for (depth <- 0 to 3) {
          val where = condition(random, depth)
          val sarg = argument(where)
          val needed = (0 until Strides).filter { s =>
            val Seq(a, b, t) = (1 to 3).map(domains(_)(s))
            a.exists(x =>
              b.exists(y =>
                t.exists(z => where.test(Map("a" -> x, "b" -> y, "s" -> z)).contains(true))
              )
            )
          }.toSet
          val found = kept(path, sarg)
          withClue(s"$where\n$sarg\n") {
            assert((needed -- found).isEmpty)
            assert((keptByOrc(path, sarg) -- found).isEmpty)
            where match {
              // That a stride has no null is not worth an index that nothing else asks for.
              case Leaf("is null", _, _) => assert(found.size == Strides)
              case _: Leaf               => assert(found == needed)
              case _                     =>
            }
          }
          ruledOut += Strides - found.size
          exact += (if (found == needed) 1 else 0)
        }
      }
      assert(ruledOut > 600 && exact > 150)
    }
  }

  test("a Bloom filter rules out what the bounds do not, where its hashes are known to be right") {
    withWritten(blooms = true) { path =>
      def equal(column: String, value: Any) = argument(Leaf("=", column, Seq(value)))
      (0 until Strides).foreach { s =>
        assert(kept(path, equal("a", s.toLong)).contains(s))
        assert(kept(path, equal("b", s.toLong)).size == Strides)
      }
      assert((0 until Strides).map(s => kept(path, equal("a", s.toLong)).size).sum < 2 * Strides)
      assert(kept(path, argument(Leaf("in", "a", Seq(3L, 7L)))).intersect(Set(3, 7)).size == 2)
      // It tells nothing of an order.
      assert(kept(path, argument(Leaf("<", "a", Seq(5L)))).size == Strides)
      OrcSurgery.rewrite(new File(path.toUri), Changes(footer = _.setWriter(1)))
      assert(kept(path, equal("a", 3L)).size == Strides)
    }
  }

  test("an index that is damaged, or statistics that are not there, rule nothing out") {
    Seq[OrcProto.RowIndex.Builder => Unit](
      _.removeEntry(3),
      _.getEntryBuilderList.asScala.foreach(_.clearStatistics()),
      _.getEntryBuilderList.asScala.foreach(_.getStatisticsBuilder.clearNumberOfValues()),
      _.getEntryBuilderList.asScala.foreach(_.getStatisticsBuilder.clearIntStatistics()),
      _.getEntryBuilderList.asScala.foreach(_.clearPositions())
    ).foreach { damage =>
      withWritten() { path =>
        val nothing = argument(Leaf("=", "a", Seq(777L)))
        assert(kept(path, nothing).isEmpty)
        OrcSurgery.rewrite(
          new File(path.toUri),
          Changes(index = (column, index) => if (column == 1) damage(index))
        )
        assert(kept(path, nothing).size == Strides)
        // What is known of other columns still counts.
        val other = argument(All(Seq(Leaf("=", "a", Seq(777L)), Leaf("=", "s", Seq("c")))))
        assert(kept(path, other) == Set(2))
      }
    }
  }

  test("a column that the file has not got, or compares in another way, rules nothing out") {
    withWritten() { path =>
      val builder = SearchArgumentFactory.newBuilder().startAnd()
      assert(kept(
        path,
        builder.equals("z", Type.LONG, 777L.asInstanceOf[AnyRef]).end().build()
      ).size
        == Strides)
      val asText = SearchArgumentFactory.newBuilder().startAnd().equals("a", Type.STRING, "777")
      assert(kept(path, asText.end().build()).size == Strides)
    }
  }

  // ---- statistics that lie

  private def narrow(statistics: OrcProto.ColumnStatistics.Builder, from: Long, to: Long): Unit =
    if (statistics.hasIntStatistics) {
      statistics.getIntStatisticsBuilder.setMinimum(from).setMaximum(to)
    } else if (statistics.hasStringStatistics) {
      statistics.getStringStatisticsBuilder.setMinimum("a").setMaximum("b")
    }

  /** All that the tail has of stripes and of the file. */
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

  test("statistics of stripes take no row away and let none pass") {
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

  test("statistics of strides take away what they take away from Spark") {
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

  test("a column without a row index keeps Spark from pruning, and us") {
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

  test("keys of a join prune strides of writers that are known to be right only") {
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
}
