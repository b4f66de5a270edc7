// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat

import java.util.TimeZone

import scala.collection.mutable.ArrayBuffer
import scala.util.{Failure, Random, Success, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.OrcConf
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._

import latebloom.orc.stripe.{CorruptStripeException, StripePlace}
import latebloom.orc.{OrcSamples, WholeStripes}
import latebloom.read.BenchColumn
import latebloom.read.predicate.{
  ColumnPredicate,
  CompiledPredicate,
  LongRanges,
  OrderedKeys,
  RowPredicate,
  ValuePredicate
}
import latebloom.read.selection.Selection
import latebloom.read.task.Counters
import latebloom.read.text.BytesPredicate

/** Columns of files by orc-core's writer, read by our decoders and by Spark. */
class FlatOrcColumnCursorSuite extends AnyFunSuite with OrcSamples {
  private val batch = 1500

  /** Spark's values for the rows of a stripe. */
  private case class Sample(kind: Kind, stripe: WholeStripes#Stripe, expected: Array[Any]) {
    def shared(): StripeColumn = stripe.column(1, kind.spark, new Counters)
    def rows: Int = stripe.rows
  }

  private def samples(random: Random, kind: Kind, most: Int)(check: Sample => Unit): Unit =
    read(write(random, kind, random.nextInt(most)), kind, conf)(check)

  private def read(path: Path, kind: Kind, settings: Configuration)(check: Sample => Unit): Unit = {
    val expected = bySpark(path, kind, settings)
    withStripes(path, settings) { stripes =>
      var first = 0
      for (s <- 0 until stripes.count) withClue(s"stripe $s of ${stripes.count}: ") {
        val stripe = stripes.stripe(s)
        check(Sample(kind, stripe, expected.slice(first, first + stripe.rows)))
        first += stripe.rows
      }
      assert(first == expected.length)
    }
  }

  private def withStripes(path: Path, settings: Configuration)(f: WholeStripes => Unit): Unit = {
    val stripes = new WholeStripes(settings, path)
    try f(stripes)
    finally stripes.close()
  }

  private def selection(random: Random, rows: Int): Selection = {
    val builder = new Selection.Builder(rows)
    random.nextInt(6) match {
      case 0 => builder.addRange(0, rows)
      case 1 => if (rows > 0) builder.add(random.nextInt(rows))
      case 2 =>
        val share = random.oneOf(0.001, 0.01, 0.3, 0.9)
        (0 until rows).foreach(r => if (random.nextDouble() < share) builder.add(r))
      case 3 =>
        var row = random.nextInt(rows + 1)
        while (row < rows) {
          val end = math.min(rows, row + 1 + random.nextInt(3000))
          builder.addRange(row, end)
          row = end + 1 + random.nextInt(random.oneOf(3, 9000))
        }
      case 4 =>
        builder.addRange(0, rows / 2)
        (rows / 2 until rows by 7).foreach(builder.add)
      case _ =>
    }
    builder.build()
  }

  private def positions(s: Selection): Array[Int] = {
    val all = new Array[Int](s.count)
    s.positions(0, s.rows, s.count, all)
    all
  }

  private def same(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Array[Byte], y: Array[Byte]) => x.sameElements(y)
    case (x: Double, y: Double)           => x == y || x.isNaN && y.isNaN
    case (x: Float, y: Float)             => x == y || x.isNaN && y.isNaN
    case _                                => a == b
  }

  /** Selects into batches, either new or begun by other values. */
  private def selected(random: Random, s: Sample, c: StripeColumn, rows: Array[Int]): Seq[Any] = {
    val column = OrcColumns.flat(c)
    val vector = new OnHeapColumnVector(batch, s.kind.spark)
    val out = BenchColumn.of(vector)
    val values = new ArrayBuffer[Any]
    var from = 0
    while (from < rows.length) {
      val n = math.min(rows.length - from, 1 + random.nextInt(batch))
      BenchColumn.begin(out)
      val before = if (random.nextBoolean()) random.nextInt(n) else 0
      if (before > 0) {
        BenchColumn.append(out, 0)
        column.select(rows.slice(from, from + before), before, out)
        BenchColumn.append(out, before)
      }
      column.select(rows.slice(from + before, from + n), n - before, out)
      values ++= (0 until n).map(value(vector, _, s.kind.spark))
      from += n
    }
    vector.close()
    values.toSeq
  }

  private def ranges(random: Random, keys: Seq[Long]): LongRanges = {
    def key =
      if (keys.isEmpty || random.nextInt(5) == 0) random.nextLong() else random.oneOf(keys: _*)
    random.nextInt(7) match {
      case 0 => LongRanges.atLeast(key)
      case 1 => LongRanges.atMost(key)
      case 2 => LongRanges.ofPoints(Array.fill(1 + random.nextInt(20))(key): _*)
      case 3 =>
        val (a, b) = (key, key)
        LongRanges.of(math.min(a, b), math.max(a, b))
      case 4 => LongRanges.ofPoints(key).complement()
      case 5 => LongRanges.all()
      case _ => LongRanges.none()
    }
  }

  private def test(random: Random, values: Seq[Array[Byte]]): BytesPredicate = {
    def one = if (values.isEmpty) Array[Byte]('a') else random.oneOf(values: _*)
    random.nextInt(6) match {
      case 0 => BytesPredicate.equalTo(one)
      case 1 =>
        val some = new java.util.ArrayList[Array[Byte]]
        (0 to random.nextInt(9)).foreach(_ => some.add(one))
        BytesPredicate.in(some)
      case 2 => BytesPredicate.startsWith(one.take(2))
      case 3 => BytesPredicate.contains(one.takeRight(2)).negate()
      case 4 => BytesPredicate.range(one, true, null, false)
      case _ => BytesPredicate.all()
    }
  }

  private def key(v: Any): Long = v match {
    case b: Boolean => if (b) 1 else 0
    case f: Float   => OrderedKeys.of(f)
    case d: Double  => OrderedKeys.of(d)
    case d: Decimal => d.toUnscaledLong
    case n: Number  => n.longValue
  }

  private def predicate(random: Random, s: Sample): ColumnPredicate = {
    val some = Seq.fill(20)(s.expected).flatMap(e =>
      if (e.isEmpty) None else Option(random.oneOf(e.toSeq: _*))
    )
    val divisor = 1 + random.nextInt(4)
    if (random.nextInt(4) == 0) {
      val byHash: RowPredicate = () =>
        row =>
          row.isNullAt(0) == (divisor == 1) || !row.isNullAt(0) && hash(
            row,
            s.kind.spark
          ) % divisor == 0
      new CompiledPredicate(byHash, s.kind.spark, random.nextBoolean())
    } else if (s.kind.spark == StringType || s.kind.spark == BinaryType)
      new ColumnPredicate.Bytes(
        random.nextInt(3) == 0,
        test(random, some.map(_.asInstanceOf[Array[Byte]]))
      )
    else new ColumnPredicate.Longs(random.nextInt(3) == 0, ranges(random, some.map(key)))
  }

  private def hash(row: InternalRow, kind: DataType): Int = kind match {
    case StringType => java.util.Arrays.hashCode(row.getUTF8String(0).getBytes)
    case BinaryType => java.util.Arrays.hashCode(row.getBinary(0))
    case t          => row.get(0, t).hashCode
  }

  /** The predicate, row by row. */
  private def passes(p: ColumnPredicate, s: Sample): Any => Boolean = {
    val naive = new ValuePredicate(s.kind.spark, p.cursor)
    v => {
      val held = (v, s.kind.spark, p) match {
        case (b: Array[Byte], StringType, _: CompiledPredicate) =>
          org.apache.spark.unsafe.types.UTF8String.fromBytes(b)
        case _ => v
      }
      naive.passes(new GenericInternalRow(Array[Any](held)))
    }
  }

  for (kind <- kinds) {
    test(s"${kind.file} as ${kind.spark.simpleString}: selects and filters what Spark reads") {
      forSeeds(30) { random =>
        samples(random, kind, 9000) { s =>
          // One column for several cursors, as in a scan.
          val column = s.shared()
          assert(OrcColumns.flat(column) != null)
          val wanted = selection(random, s.rows)
          val rows = positions(wanted)
          val got = selected(random, s, column, rows)
          for ((row, v) <- rows.zip(got)) {
            assert(same(v, s.expected(row)), s"row $row: $v instead of ${s.expected(row)}")
          }
          for (_ <- 1 to 3) {
            val p = predicate(random, s)
            val asked = selection(random, s.rows)
            val passed = OrcColumns.flat(column).filter(asked, p.cursor)
            val test = passes(p, s)
            val expected = positions(asked).filter(r => test(s.expected(r)))
            assert(positions(passed).toSeq == expected.toSeq, s"by $p of $asked")
            for ((row, v) <- expected.zip(selected(random, s, column, expected))) {
              assert(same(v, s.expected(row)), s"row $row: $v instead of ${s.expected(row)}")
            }
          }
        }
      }
    }
  }

  private def checkAll(random: Random)(s: Sample): Unit = {
    val got = selected(random, s, s.shared(), Array.range(0, s.rows))
    for ((row, v) <- Array.range(0, s.rows).zip(got)) {
      assert(same(v, s.expected(row)), s"row $row: $v instead of ${s.expected(row)}")
    }
  }

  test("times of a writer in another zone are read as Spark reads them") {
    val own = TimeZone.getDefault
    val zones = Seq("America/Los_Angeles", "Asia/Kolkata", "UTC", "Europe/Paris")
    try
      for { writer <- zones; reader <- zones }
        withClue(s"$writer, $reader: ")(forSeeds(3) { random =>
          TimeZone.setDefault(TimeZone.getTimeZone(writer))
          val kind = Kind("timestamp", TimestampType)
          val path = write(random, kind, 3000)
          TimeZone.setDefault(TimeZone.getTimeZone(reader))
          read(path, kind, conf)(checkAll(random))
        })
    finally TimeZone.setDefault(own)
  }

  test(
    "dates and times by a reader that asks for the proleptic calendar are those that Spark reads"
  ) {
    val proleptic = new Configuration(conf)
    proleptic.setBoolean(OrcConf.PROLEPTIC_GREGORIAN.getAttribute, true)
    for (kind <- Seq(Kind("date", DateType), Kind("timestamp", TimestampType))) {
      forSeeds(10)(random => read(write(random, kind, 3000), kind, proleptic)(checkAll(random)))
    }
  }

  test("a column that Spark reads as another type, or in an unknown encoding, is declined") {
    forSeeds(3) { random =>
      samples(random, Kind("int", IntegerType), 100) { s =>
        for (t <- Seq(LongType, StringType, DateType, DoubleType)) {
          assert(OrcColumns.flat(s.stripe.column(1, t, new Counters)) == null)
        }
      }
      samples(random, Kind("decimal(20,2)", DecimalType(20, 2)), 100) { s =>
        assert(OrcColumns.flat(s.shared()) == null)
      }
    }
  }

  test("changed bytes give other values or an error that says where, and do so soon") {
    for (kind <- kinds) withClue(s"${kind.file}: ") {
      forSeeds(12) { random =>
        samples(random, kind, 3000) { s =>
          for (_ <- 0 to random.nextInt(6) if s.stripe.bytes.length > 0) {
            s.stripe.bytes(random.nextInt(s.stripe.bytes.length)) = random.nextInt().toByte
          }
          val all = Array.range(0, s.rows)
          val started = System.nanoTime
          val place = new StripePlace("f.orc", 7)
          Try(place.read("column c", () => selected(random, s, s.shared(), all))) match {
            case Failure(e: CorruptStripeException) =>
              assert(e.getMessage.startsWith("corrupt ORC file f.orc: stripe 7, column c: "))
            case Failure(e: ArithmeticException) => // as Spark says of a value out of its range
            case Failure(e: java.io.IOException) if e.getMessage.contains("rotobuf") =>
            case Failure(e)                                                          => throw e
            case Success(_)                                                          =>
          }
          assert(System.nanoTime - started < 5000000000L)
        }
      }
    }
  }
}
