// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.common.`type`.HiveDecimal
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf.Type
import org.apache.hadoop.hive.ql.io.sarg.{PredicateLeaf, SearchArgumentFactory}
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable
import org.apache.orc.OrcFile.WriterVersion
import org.apache.orc.OrcProto.ColumnStatistics
import org.apache.orc.TypeDescription.Category
import org.apache.orc.impl.{ReaderImpl, RecordReaderImpl}
import org.apache.orc.{CompressionKind, OrcFile, TypeDescription}
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.orc.OrcUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.compile.JoinKeys
import latebloom.orc.OrcSurgery.Changes
import latebloom.read.predicate.ColumnPredicate

/** Statistics are trusted only where Spark's values lie within them, in Spark's order. */
class StatisticsSuite extends AnyFunSuite with OrcSamples {

  // ---- of files by orc-core, with what Spark reads of them

  /** Whether a value lies within the bounds, by Spark's order of its type. */
  private def isWithin(kind: Kind, value: Any, s: ColumnStatistics): Boolean = kind.spark match {
    case BooleanType            => true
    case FloatType | DoubleType =>
      val v = value match { case f: Float => f.toDouble; case d: Double => d }
      val bounds = s.getDoubleStatistics
      !v.isNaN && v >= bounds.getMinimum && v <= bounds.getMaximum
    case DateType =>
      val (v, bounds) = (value.asInstanceOf[Int], s.getDateStatistics)
      v >= bounds.getMinimum && v <= bounds.getMaximum
    case TimestampType =>
      val (v, bounds) = (Math.floorDiv(value.asInstanceOf[Long], 1000L), s.getTimestampStatistics)
      v >= bounds.getMinimumUtc && v <= bounds.getMaximumUtc
    case _: DecimalType =>
      val (v, bounds) = (value.asInstanceOf[Decimal].toBigDecimal, s.getDecimalStatistics)
      v >= BigDecimal(bounds.getMinimum) && v <= BigDecimal(bounds.getMaximum)
    case StringType =>
      val (v, bounds) = (value.asInstanceOf[Array[Byte]], s.getStringStatistics)
      def order(bound: String) = Arrays.compareUnsigned(v, bound.getBytes(UTF_8))
      val least = if (bounds.hasMinimum) bounds.getMinimum else bounds.getLowerBound
      val most = if (bounds.hasMaximum) bounds.getMaximum else bounds.getUpperBound
      order(least) >= 0 && order(most) <= 0
    case _ =>
      val (v, bounds) = (value.asInstanceOf[Number].longValue, s.getIntStatistics)
      v >= bounds.getMinimum && v <= bounds.getMaximum
  }

  /** Of each stride of a file the statistics of its column, and Spark's values. */
  private def strides(path: Path, kind: Kind): Seq[(ColumnStatistics, Seq[Any])] = {
    val values = bySpark(path, kind)
    val reader = OrcFile.createReader(path, OrcFile.readerOptions(conf))
    val length = reader.getRowIndexStride
    val rows = reader.rows().asInstanceOf[RecordReaderImpl]
    var first = 0
    try
      if (length == 0) Nil
      else
        reader.getStripes.asScala.toSeq.zipWithIndex.flatMap { case (stripe, number) =>
          val end = first + stripe.getNumberOfRows.toInt
          val entries =
            rows.readRowIndex(number, null, null).getRowGroupIndex()(1).getEntryList.asScala
          val of = entries.toSeq.zipWithIndex.map { case (entry, i) =>
            val from = first + i * length
            entry.getStatistics -> values.slice(from, math.min(end, from + length)).toSeq
          }
          first = end
          of
        }
    finally {
      rows.close()
      reader.close()
    }
  }

  for (kind <- kinds.groupBy(_.file).values.map(_.head)) {
    test(s"of a stride of ${kind.file} what is trusted holds for all that Spark reads of it") {
      val category = TypeDescription.fromString(kind.file).getCategory
      var trusted, strides = 0
      forSeeds(12) { random =>
        this.strides(write(random, kind, random.nextInt(9000)), kind).foreach { case (s, values) =>
          strides += 1
          Option(Statistics.trusted(category, s)).foreach { t =>
            trusted += 1
            // What has no order that Spark and ORC share is trusted where there is no value at all.
            if (Set(Category.CHAR, Category.BINARY)(category)) assert(t.getNumberOfValues == 0)
            assert(t.getNumberOfValues == values.count(_ != null))
            assert(!values.contains(null) || t.getHasNull)
            values.filter(_ != null).foreach(v => assert(isWithin(kind, v, t), s"$v not in $t"))
          }
        }
      }
      assert(strides > 10)
      assert(trusted > 0)
    }
  }

  private def keys(kind: Kind, values: Seq[Any]): ColumnPredicate = {
    val rows = values.map {
      case bytes: Array[Byte] if kind.spark == StringType =>
        InternalRow(UTF8String.fromBytes(bytes))
      case value => InternalRow(value)
    }
    JoinKeys.collect(rows.iterator, kind.spark).get.predicate
  }

  for (kind <- kinds.groupBy(_.file).values.map(_.head) if JoinKeys.domain(kind.spark).nonEmpty) {
    test(s"statistics of ${kind.file} rule out no key that a stride has") {
      val file = TypeDescription.fromString(kind.file)
      var ruledOut = 0
      forSeeds(12) { random =>
        val strides = this.strides(write(random, kind, random.nextInt(9000)), kind)
        strides.foreach { case (s, values) =>
          values.filter(_ != null).distinct.take(50).foreach { v =>
            assert(!Statistics.isDisjoint(file, s, keys(kind, Seq(v))), s"$v not in $s")
          }
          strides.foreach { case (other, _) =>
            if (Statistics.isDisjoint(file, other, keys(kind, values.filter(_ != null)))) {
              ruledOut += 1
            }
          }
        }
      }
      info(s"$ruledOut strides were ruled out")
    }
  }

  test("keys between which a stride lies rule it out, in each type") {
    def rulesOut(file: String, s: ColumnStatistics, keys: Any*): Boolean = {
      val of = OrcUtils.toCatalystSchema(TypeDescription.createStruct()
        .addField("c", TypeDescription.fromString(file))).head.dataType
      val predicate = JoinKeys.collect(keys.iterator.map(InternalRow(_)), of).get.predicate
      Statistics.isDisjoint(TypeDescription.fromString(file), s, predicate)
    }
    val long = stats()(_.getIntStatisticsBuilder.setMinimum(10).setMaximum(20))
    assert(rulesOut("bigint", long, 9L, 21L) && !rulesOut("bigint", long, 9L, 20L))
    val reversed = stats()(_.getIntStatisticsBuilder.setMinimum(20).setMaximum(10))
    assert(!rulesOut("bigint", reversed, 9L, 21L))
    val date = stats()(_.getDateStatisticsBuilder.setMinimum(10).setMaximum(20))
    assert(rulesOut("date", date, 9, 21) && !rulesOut("date", date, 10))
    val decimal = stats()(_.getDecimalStatisticsBuilder.setMinimum("1.5").setMaximum("2"))
    def dec(text: String) = Decimal(BigDecimal(text), 9, 2)
    assert(rulesOut("decimal(9,2)", decimal, dec("1.49"), dec("2.01")))
    assert(!rulesOut("decimal(9,2)", decimal, dec("2.00")))
    Seq("1e2000000000", "", "x").foreach { bound =>
      val damaged = stats()(_.getDecimalStatisticsBuilder.setMinimum(bound).setMaximum(bound))
      assert(!rulesOut("decimal(9,2)", damaged, dec("1.00")))
    }
    def text(s: String) = UTF8String.fromString(s)
    val string = stats()(_.getStringStatisticsBuilder.setMinimum("b").setMaximum("d"))
    assert(rulesOut("string", string, text("a"), text("da")) && !rulesOut(
      "string",
      string,
      text("c")
    ))
    val cut = stats()(_.getStringStatisticsBuilder.setLowerBound("b").setUpperBound("d"))
    assert(rulesOut("string", cut, text("a"), text("da")) && !rulesOut("string", cut, text("d")))
    val day = 86400000L
    val time =
      stats()(_.getTimestampStatisticsBuilder.setMinimumUtc(10 * day).setMaximumUtc(10 * day))
    assert(rulesOut("timestamp", time, 7 * day * 1000, 13 * day * 1000))
    assert(!rulesOut("timestamp", time, 10 * day * 1000) && !rulesOut(
      "timestamp",
      time,
      9 * day * 1000
    ))
    // No value at all.
    assert(rulesOut("bigint", stats(values = 0)(_.setHasNull(true)), 1L))
    assert(!rulesOut("bigint", stats(values = 0)(_ => ()), 1L))
  }

  // ---- of other writers

  private def stats(values: Long = 3)(fill: ColumnStatistics.Builder => Any): ColumnStatistics = {
    val builder = ColumnStatistics.newBuilder().setNumberOfValues(values).setHasNull(false)
    fill(builder)
    builder.build()
  }

  private def trusts(category: Category, s: ColumnStatistics): Boolean =
    Statistics.trusted(category, s) != null

  private val ints = stats()(_.getIntStatisticsBuilder.setMinimum(1).setMaximum(2))

  test(
    "statistics without the number of values, or that count neither values nor nulls, are none"
  ) {
    assert(trusts(Category.LONG, ints))
    assert(!trusts(Category.LONG, ints.toBuilder.clearNumberOfValues().build()))
    val empty = ints.toBuilder.setNumberOfValues(0).clearIntStatistics()
    assert(!trusts(Category.LONG, empty.build()))
    assert(trusts(Category.LONG, empty.setHasNull(true).build()))
    // Writers before the mark of nulls: there may be some.
    assert(trusts(Category.LONG, empty.clearHasNull().build()))
  }

  test("a missing bound is no bound") {
    Seq(Category.BYTE, Category.SHORT, Category.INT, Category.LONG).foreach { c =>
      assert(trusts(c, ints))
      assert(!trusts(c, stats()(_.getIntStatisticsBuilder.setMinimum(1))))
      assert(!trusts(c, stats()(_.getIntStatisticsBuilder.setMaximum(1))))
    }
    assert(!trusts(Category.LONG, stats()(_ => ())))
    assert(!trusts(Category.DATE, stats()(_.getDateStatisticsBuilder.setMinimum(1))))
    assert(!trusts(Category.DECIMAL, stats()(_.getDecimalStatisticsBuilder.setMaximum("1"))))
    assert(!trusts(Category.STRING, stats()(_.getStringStatisticsBuilder.setMinimum("a"))))
    assert(!trusts(Category.TIMESTAMP, stats()(_.getTimestampStatisticsBuilder.setMinimumUtc(1))))
    assert(!trusts(Category.BOOLEAN, stats()(_ => ())))
    assert(trusts(Category.BOOLEAN, stats()(_.getBucketStatisticsBuilder.addCount(2))))
  }

  test("floating-point bounds hold only where their sum shows that there is no NaN") {
    def doubles(sum: Option[Double], least: Double = 1, most: Double = 2) = stats() { b =>
      val d = b.getDoubleStatisticsBuilder.setMinimum(least).setMaximum(most)
      sum.foreach(d.setSum)
    }
    Seq(Category.FLOAT, Category.DOUBLE).foreach { c =>
      assert(trusts(c, doubles(Some(3))))
      assert(!trusts(c, doubles(None)))
      assert(!trusts(c, doubles(Some(Double.NaN))))
      assert(!trusts(c, doubles(Some(3), least = Double.NaN)))
      // Infinities of both signs: as good as a NaN.
      assert(!trusts(c, doubles(Some(0), Double.NegativeInfinity, Double.PositiveInfinity)))
    }
  }

  test("text is compared by its bytes: bounds that Java orders otherwise are none") {
    def texts(least: String, most: String) =
      stats()(_.getStringStatisticsBuilder.setMinimum(least).setMaximum(most))
    assert(trusts(Category.STRING, texts("a", "日本")))
    assert(!trusts(Category.STRING, texts("a", "𝄞")))
    // Above the surrogates Java's order of chars is not that of code points either.
    assert(!trusts(Category.STRING, texts("a", "\uff21")))
    assert(trusts(Category.VARCHAR, texts("a", "b")))
    assert(!trusts(Category.CHAR, texts("a", "b")))
    def cut(least: String, most: String) =
      stats()(_.getStringStatisticsBuilder.setLowerBound(least).setUpperBound(most))
    assert(trusts(Category.STRING, cut("a", "b")) && !trusts(Category.STRING, cut("a", "𝄞")))
  }

  test("dates and times are known from the change of the calendar on") {
    val change = java.time.LocalDate.of(1582, 10, 15).toEpochDay.toInt
    def dates(least: Int) = stats()(_.getDateStatisticsBuilder.setMinimum(least).setMaximum(9))
    assert(trusts(Category.DATE, dates(change)) && !trusts(Category.DATE, dates(change - 1)))
    val day = 86400000L
    def times(least: Long, most: Long = 9) =
      stats()(_.getTimestampStatisticsBuilder.setMinimumUtc(least).setMaximumUtc(most))
    assert(trusts(Category.TIMESTAMP, times((change + 3) * day)))
    assert(!trusts(Category.TIMESTAMP, times((change + 1) * day)))
    assert(!trusts(Category.TIMESTAMP, times(0, Long.MaxValue)))
    assert(!trusts(Category.TIMESTAMP, times(Long.MinValue)))
    assert(!trusts(
      Category.TIMESTAMP,
      stats()(_.getTimestampStatisticsBuilder.setMinimum(0).setMaximum(9))
    ))
  }

  test("bounds of times are wider than any zone is off") {
    val found = Statistics.trusted(
      Category.TIMESTAMP,
      stats()(_.getTimestampStatisticsBuilder.setMinimumUtc(1000).setMaximumUtc(2000))
    ).getTimestampStatistics
    val farthest = 18 * 3600 * 1000L // java.time.ZoneOffset.MAX
    assert(found.getMinimumUtc <= 1000 - farthest && found.getMaximumUtc >= 2000 + farthest)
  }

  test("what ORC keeps no bounds of, and lists, are not compared") {
    Seq(Category.BINARY, Category.LIST, Category.MAP, Category.STRUCT, Category.UNION)
      .foreach(c => assert(!trusts(c, ints), c))
  }

  // ---- which comparisons they are a measure of

  private def leaf(kind: Type, literals: Any*): PredicateLeaf = {
    val of = literals.map(_.asInstanceOf[AnyRef])
    val builder = SearchArgumentFactory.newBuilder().startAnd()
    val all =
      if (of.size == 1) builder.equals("c", kind, of.head) else builder.in("c", kind, of: _*)
    all.end().build().getLeaves.get(0)
  }

  private def compares(
      leaf: PredicateLeaf,
      file: String,
      read: String,
      version: WriterVersion = WriterVersion.ORC_14
  ): Boolean =
    Statistics.compare(
      leaf,
      TypeDescription.fromString(file),
      TypeDescription.fromString(read),
      version
    )

  test("integers are compared as what is at least as wide") {
    val seven = leaf(Type.LONG, 7L)
    val widths = Seq("tinyint", "smallint", "int", "bigint")
    for ((file, f) <- widths.zipWithIndex; (read, r) <- widths.zipWithIndex)
      assert(compares(seven, file, read) == (f <= r), s"$file as $read")
    Seq("string", "double", "boolean", "date", "decimal(9,0)").foreach { other =>
      assert(!compares(seven, "int", other) && !compares(seven, other, "bigint"))
    }
  }

  test("floating-point numbers are compared as they are, but not with NaN and the zeros") {
    assert(compares(leaf(Type.FLOAT, 1.5), "double", "double"))
    assert(compares(leaf(Type.FLOAT, 1.5), "float", "float"))
    assert(!compares(leaf(Type.FLOAT, 1.5), "float", "double"))
    Seq(0.0, -0.0, Double.NaN).foreach { v =>
      assert(!compares(leaf(Type.FLOAT, v), "double", "double"))
      assert(!compares(leaf(Type.FLOAT, 1.5, v), "double", "double"))
    }
  }

  test("text is compared with text whose chars are in the order of its bytes") {
    assert(compares(leaf(Type.STRING, "a"), "string", "string"))
    assert(compares(leaf(Type.STRING, "a"), "varchar(9)", "string"))
    assert(!compares(leaf(Type.STRING, "a"), "char(9)", "string"))
    assert(!compares(leaf(Type.STRING, "a"), "string", "varchar(9)"))
    assert(!compares(leaf(Type.STRING, "a"), "int", "string"))
    assert(!compares(leaf(Type.STRING, "a", "𝄞"), "string", "string"))
    assert(!compares(leaf(Type.STRING, "\uff21"), "string", "string"))
  }

  test("of other types only the same is compared") {
    assert(compares(leaf(Type.BOOLEAN, java.lang.Boolean.TRUE), "boolean", "boolean"))
    assert(!compares(leaf(Type.BOOLEAN, java.lang.Boolean.TRUE), "tinyint", "boolean"))
    val date = leaf(Type.DATE, java.sql.Date.valueOf("2020-01-01"))
    assert(compares(date, "date", "date") && !compares(date, "timestamp", "date"))
  }

  test("a version of the writer that wrote wrong bounds is not believed in these") {
    val time = leaf(Type.TIMESTAMP, new java.sql.Timestamp(0))
    assert(!compares(time, "timestamp", "timestamp", WriterVersion.ORC_101))
    assert(compares(time, "timestamp", "timestamp", WriterVersion.ORC_135))
    val one = leaf(Type.DECIMAL, new HiveDecimalWritable(HiveDecimal.ONE))
    assert(compares(one, "decimal(9,2)", "decimal(9,2)"))
    assert(!compares(one, "decimal(9,2)", "decimal(9,2)", WriterVersion.ORC_135))
    assert(!compares(one, "decimal(9,2)", "decimal(12,2)"))
    assert(!compares(one, "decimal(9,2)", "decimal(9,3)"))
  }

  // ---- whom to believe where Spark would not ask

  test("only the Java writer is known, as of the version that mended its last fault") {
    val schema = TypeDescription.fromString("struct<c:bigint>")
    def known(writer: Int, version: Int): Boolean = {
      val path = fileOf(schema)
      val changes = Changes(footer = _.setWriter(writer), postscript = _.setWriterVersion(version))
      OrcSurgery.rewrite(new File(path.toUri), changes)
      val reader = OrcFile.createReader(path, OrcFile.readerOptions(conf)).asInstanceOf[ReaderImpl]
      try Statistics.areOfKnownWriter(reader)
      finally reader.close()
    }
    // ORC_517 is 7, ORC_203 is 8 and ORC_14 is 9 in the specification's list of Java's versions.
    Seq(7, 8, 9).foreach(v => assert(known(0, v), v))
    Seq(0, 1, 4, 6).foreach(v => assert(!known(0, v), v))
    for (writer <- Seq(1, 2, 3, 4, 5, 77); version <- Seq(6, 9))
      assert(!known(writer, version), s"writer $writer of version $version")
  }

  private def fileOf(schema: TypeDescription): Path = {
    val path = newPath()
    val options = OrcFile.writerOptions(conf).setSchema(schema).compress(CompressionKind.NONE)
    OrcFile.createWriter(path, options).close()
    assert(new File(path.getParent.toUri.getPath, ".f.orc.crc").delete())
    path
  }
}
