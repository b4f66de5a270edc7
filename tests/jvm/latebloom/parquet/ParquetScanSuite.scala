// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet

import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

import latebloom.bloom.{KeyCollector, KeyDomain, KeyLimits}
import latebloom.read.predicate.{
  ColumnPredicate,
  CompiledPredicate,
  DecimalKeys,
  LongRanges,
  OrderedKeys,
  RowPredicate
}
import latebloom.read.task.{Counter, Counters}
import latebloom.read.text.BytesPredicate
import latebloom.read.{RandomCases, RowFilter, ScanFilter, ScanSpec}

/** Compares scans of whole files, written by parquet-java with random options, with a model that
  * filters rows in memory one by one.
  */
class ParquetScanSuite extends AnyFunSuite with RandomCases {
  private val schema = StructType(
    Seq(
      StructField("i", IntegerType),
      StructField("l", LongType),
      StructField("f", FloatType),
      StructField("d", DoubleType),
      StructField("s", StringType),
      StructField("b", BooleanType),
      StructField("n", DecimalType(12, 2)),
      StructField("w", DecimalType(25, 3))
    )
  )

  private def parquetSchema(repetition: Int => String): MessageType = {
    val columns = Seq(
      "int32 i",
      "int64 l",
      "float f",
      "double d",
      "binary s (STRING)",
      "boolean b",
      "fixed_len_byte_array(6) n (DECIMAL(12,2))",
      "binary w (DECIMAL(25,3))"
    )
    val fields = columns.zipWithIndex.map { case (c, i) => s"${repetition(i)} $c;" }
    MessageTypeParser.parseMessageType(fields.mkString("message m {", " ", "}"))
  }

  private type Row = Array[Any]

  /** Values that repeat, so that writers build dictionaries, or that do not, so that writers drop
    * them; nulls here and there, or many in a row.
    */
  private def rows(random: Random, optional: Set[Int]): IndexedSeq[Row] = {
    val distinct = random.oneOf(1, 3, 40, 100000)
    val nulls = random.oneOf(0.0, 0.02, 0.5, 1.0)
    val nullRun = random.oneOf(1, 1, 50, 700)
    val clustered = random.nextBoolean()
    val n = random.oneOf(0, 1, 100, 3000)
    val isNull = Array.fill(schema.length, n / nullRun + 1)(random.nextDouble() < nulls)
    (0 until n).map { r =>
      def k = if (clustered) r * distinct / (n + 1) else random.nextInt(distinct)
      val row: Row = Array(
        k - distinct / 2,
        k.toLong * 1000003L - 7,
        if (k % 10 == 3) Float.NaN else if (k % 10 == 4) -0.0f else k / 3f,
        if (k % 10 == 3) Double.NaN else if (k % 10 == 4) -0.0 else k / 7.0,
        ("v" + k + "é" * (k % 3)).getBytes("UTF-8"),
        k % 2 == 0,
        BigInt(k - distinct / 2) * 12345,
        BigInt(k - distinct / 2) * BigInt("123456789012345678")
      )
      row.indices.foreach(c => if (optional(c) && isNull(c)(r / nullRun)) row(c) = null)
      row
    }
  }

  private def bigEndian(v: BigInt, length: Int): Array[Byte] = {
    val bytes = v.toByteArray
    Array.fill[Byte](length - bytes.length)(if (v < 0) -1 else 0) ++ bytes
  }

  private def write(random: Random, path: Path, message: MessageType, rows: Seq[Row]): Unit = {
    val builder = ExampleParquetWriter
      .builder(path)
      .withConf(new Configuration())
      .withType(message)
      .withCompressionCodec(random.oneOf(UNCOMPRESSED, SNAPPY, GZIP, ZSTD, LZ4_RAW))
      .withWriterVersion(random.oneOf(WriterVersion.PARQUET_1_0, WriterVersion.PARQUET_2_0))
      .withByteStreamSplitEncoding(random.nextBoolean())
      .withDictionaryEncoding(random.nextBoolean())
      .withDictionaryPageSize(random.oneOf(200, 1 << 20))
      .withPageSize(random.oneOf(100, 2000, 1 << 20))
      .withPageRowCountLimit(random.oneOf(5, 100, 20000))
      .withRowGroupSize(random.oneOf(2000L, 100000L, 1L << 27))
      .withPageWriteChecksumEnabled(random.nextBoolean())
    val writer = builder.build()
    val groups = new SimpleGroupFactory(message)
    try rows.foreach { row =>
        val g = groups.newGroup()
        row.zipWithIndex.foreach {
          case (null, _)           =>
          case (v: Int, c)         => g.add(c, v)
          case (v: Long, c)        => g.add(c, v)
          case (v: Float, c)       => g.add(c, v)
          case (v: Double, c)      => g.add(c, v)
          case (v: Boolean, c)     => g.add(c, v)
          case (v: Array[Byte], c) => g.add(c, Binary.fromConstantByteArray(v))
          case (v: BigInt, 6)      => g.add(6, Binary.fromConstantByteArray(bigEndian(v, 6)))
          case (v: BigInt, c)      => g.add(c, Binary.fromConstantByteArray(v.toByteArray))
        }
        writer.write(g)
      }
    finally writer.close()
  }

  /** A join filter in any form. The model of a Bloom filter is the filter itself. */
  private def joinFilter(random: Random, column: Int): (ColumnPredicate, Any => Boolean) = {
    val limits = new KeyLimits(random.oneOf(1, 100), 1024, 1000)
    val n = random.oneOf(0, 1, 3, 40)
    def ofBytes(key: Int => Any): KeyCollector = {
      val keys = new KeyCollector(KeyDomain.BYTES, limits)
      Seq.fill(n)(bytesOf(key(random.nextInt(40)))).foreach(k => keys.add(k, 0, k.length))
      keys
    }
    val keys = schema(column).name match {
      case "s" => ofBytes(k => ("v" + k + "é" * (k % 3)).getBytes("UTF-8"))
      case "w" => ofBytes(k => BigInt(k - 20) * BigInt("123456789012345678"))
      case _   =>
        val keys = new KeyCollector(KeyDomain.LONGS, limits)
        Seq.fill(n)(key(random, column)).foreach(keys.add)
        keys
    }
    val predicate = keys.finish().get.predicate
    val passes: Any => Boolean = predicate match {
      case longs: ColumnPredicate.Longs   => v => longs.ranges.contains(keyOf(v))
      case probed: ColumnPredicate.Probed => v => probed.probe.test(keyOf(v))
      case bytes: ColumnPredicate.Bytes   =>
        val cursor = bytes.predicate.cursor
        v => cursor.test(bytesOf(v), 0, bytesOf(v).length)
      case other => fail(s"$other is no join filter")
    }
    (predicate, v => v != null && passes(v))
  }

  private def bytesOf(v: Any): Array[Byte] = v match {
    case v: BigInt      => DecimalKeys.of(v.bigInteger)
    case v: Array[Byte] => v
  }

  /** A filter on one column and the same as a Scala function of the value. */
  private def randomFilter(random: Random, column: Int): (ColumnPredicate, Any => Boolean) =
    if (random.nextInt(4) == 0) joinFilter(random, column) else literalFilter(random, column)

  private def literalFilter(random: Random, column: Int): (ColumnPredicate, Any => Boolean) = {
    val nulls = random.nextInt(4) == 0
    def onNull(test: Any => Boolean): Any => Boolean = v => if (v == null) nulls else test(v)
    schema(column).dataType match {
      case StringType =>
        val text = "v" + random.nextInt(50)
        random.oneOf(
          (BytesPredicate.startsWith(text.getBytes), (v: Any) => string(v).startsWith(text)),
          (BytesPredicate.contains("1".getBytes), (v: Any) => string(v).contains("1")),
          (BytesPredicate.equalTo(text.getBytes), (v: Any) => string(v) == text),
          (BytesPredicate.startsWith("v".getBytes), (_: Any) => true),
          (BytesPredicate.startsWith("x".getBytes), (_: Any) => false)
        ) match {
          case (test, model) => (new ColumnPredicate.Bytes(nulls, test), onNull(model))
        }
      case d: DecimalType if d.precision > 18 =>
        val bound = BigInt(random.nextInt(40) - 20) * BigInt("123456789012345678")
        val test = BytesPredicate.range(DecimalKeys.of(bound.bigInteger), true, null, false)
        (new ColumnPredicate.Bytes(nulls, test), onNull(_.asInstanceOf[BigInt] >= bound))
      case _ =>
        val lo = key(random, column)
        val hi = key(random, column)
        val ranges = random.oneOf(
          LongRanges.of(lo, hi),
          LongRanges.atLeast(lo),
          LongRanges.ofPoints(lo, hi),
          LongRanges.of(lo, hi).complement(),
          LongRanges.all(),
          LongRanges.none()
        )
        (new ColumnPredicate.Longs(nulls, ranges), onNull(v => ranges.contains(keyOf(v))))
    }
  }

  /** A filter of any form, over columns of the file, and the same as a function of the row.
    *
    * @param index
    *   of a column in what the scan reads
    */
  private def randomTree(random: Random, depth: Int, index: Int => Int): Tree = {
    def column = random.nextInt(schema.length)
    def parts = Seq.fill(1 + random.nextInt(3))(randomTree(random, depth - 1, index))
    random.nextInt(if (depth > 0) 6 else 4) match {
      case 0 | 1 =>
        val c = column
        val (predicate, model) = randomFilter(random, c)
        Tree(
          n => new ScanFilter.ColumnFilter(index(c), n, predicate, s"on $c"),
          row => model(row(c))
        )
      case 2 =>
        val c = column
        val (_, model) = randomFilter(random, c)
        val test: RowPredicate = () => row => model(modelValue(row, 0, c))
        val compiled = new CompiledPredicate(test, schema(c).dataType, random.nextBoolean())
        Tree(n => new ScanFilter.ColumnFilter(index(c), n, compiled, s"$c"), row => model(row(c)))
      case 3 =>
        val cs = Seq.fill(1 + random.nextInt(3))(column)
        val models = cs.map(randomFilter(random, _)._2)
        val test: RowPredicate = () =>
          row =>
            cs.indices.exists(i => models(i)(modelValue(row, i, cs(i))))
        Tree(
          n => new RowFilter(cs.map(index).toArray, n, test, s"on $cs"),
          row => cs.indices.exists(i => models(i)(row(cs(i))))
        )
      case 4 =>
        val all = parts
        Tree(
          n => new ScanFilter.And(all.zipWithIndex.map(t => t._1.at(n + 100 * t._2)).asJava, "all"),
          row => all.forall(_.model(row))
        )
      case 5 =>
        val any = parts
        Tree(
          n => new ScanFilter.Or(any.zipWithIndex.map(t => t._1.at(n + 100 * t._2)).asJava, "any"),
          row => any.exists(_.model(row))
        )
    }
  }

  /** @param at
    *   makes the filter, given the first number for its uses of columns
    */
  private case class Tree(at: Int => ScanFilter, model: Row => Boolean)

  private def modelValue(row: InternalRow, ordinal: Int, column: Int): Any =
    if (row.isNullAt(ordinal)) null
    else schema(column).dataType match {
      case StringType     => row.getUTF8String(ordinal).getBytes
      case d: DecimalType =>
        BigInt(row.getDecimal(ordinal, d.precision, d.scale).toJavaBigDecimal.unscaledValue)
      case t => row.get(ordinal, t)
    }

  private def string(v: Any): String = new String(v.asInstanceOf[Array[Byte]], "UTF-8")

  private def keyOf(v: Any): Long = v match {
    case v: Int     => v
    case v: Long    => v
    case v: Float   => OrderedKeys.of(v)
    case v: Double  => OrderedKeys.of(v)
    case v: Boolean => if (v) 1 else 0
    case v: BigInt  => v.toLong
  }

  private def key(random: Random, column: Int): Long = {
    val k = random.nextInt(100) - 50
    keyOf(schema(column).dataType match {
      case IntegerType => k
      case LongType    => k.toLong * 1000003L - 7
      case FloatType   => random.oneOf(k / 3f, Float.NaN, 0.0f)
      case DoubleType  => random.oneOf(k / 7.0, Double.NaN, 0.0)
      case BooleanType => k % 2 == 0
      case _           => BigInt(k) * 12345
    })
  }

  private def valueAt(v: ColumnVector, row: Int, t: DataType): Any =
    if (v.isNullAt(row)) null
    else t match {
      case IntegerType    => v.getInt(row)
      case LongType       => v.getLong(row)
      case FloatType      => v.getFloat(row)
      case DoubleType     => v.getDouble(row)
      case BooleanType    => v.getBoolean(row)
      case StringType     => v.getUTF8String(row).toString
      case d: DecimalType =>
        BigInt(v.getDecimal(row, d.precision, d.scale).toJavaBigDecimal.unscaledValue)
    }

  /** Rows in a form whose equality is exact: bits for floats, text for strings. */
  private def comparable(v: Any): Any = v match {
    case v: Float       => ("f", java.lang.Float.floatToIntBits(v))
    case v: Double      => ("d", java.lang.Double.doubleToLongBits(v))
    case v: Array[Byte] => new String(v, "UTF-8")
    case v              => v
  }

  private def scan(
      path: Path,
      spec: ScanSpec,
      counters: Counters,
      offHeap: Boolean
  ): Seq[Seq[Any]] = FileScan.rows(path, spec, schema, counters, offHeap) { (v, row, dataType) =>
    comparable(valueAt(v, row, dataType))
  }

  test("a scan returns the passing rows, in order, for any layout of the file") {
    val dir = Files.createTempDirectory("latebloom-scan")
    var pagesSkipped = 0L
    var rowsFiltered = 0L
    forSeeds(400) { random =>
      val optional = schema.indices.filter(_ => random.nextBoolean()).toSet
      val message = parquetSchema(c => if (optional(c)) "optional" else "required")
      val data = rows(random, optional)
      val path = new Path(dir.resolve(s"f${random.nextInt()}.parquet").toUri)
      write(random, path, message, data)
      val payload = random.shuffle(schema.indices.toList).take(random.nextInt(schema.length + 1))
      val columns = payload ++ schema.indices.filterNot(payload.contains)
      val filters = Seq.fill(1 + random.nextInt(3))(randomTree(random, 2, columns.indexOf(_)))
      val spec = new ScanSpec(
        s"scan ${random.nextLong()}",
        StructType(columns.map(schema(_))),
        payload.length,
        java.util.List.of(),
        java.util.List.of(),
        new ScanSpec.Filters(
          filters.zipWithIndex.map { case (f, i) => f.at(1 + 10000 * i) }.asJava,
          random.nextInt(filters.length + 1),
          null
        ),
        new ScanSpec.Options(
          random.oneOf(0L, 64L, 100000L),
          random.oneOf(0L, 1L << 20),
          random.oneOf(0.0, 0.5, 1.0),
          random.oneOf(1, 7, 64, 1024)
        )
      )
      val counters = new Counters
      val expected = data
        .filter(row => filters.forall(_.model(row)))
        .map(row => payload.map(c => comparable(row(c))))
      val found = scan(path, spec, counters, random.nextBoolean())
      assert(found == expected, s"\n$message\n${spec.filters}")
      assert(counters.get(Counter.ROWS_FILTERED) == data.length - expected.length)
      pagesSkipped += counters.get(Counter.PAGES_SKIPPED)
      rowsFiltered += counters.get(Counter.ROWS_FILTERED)
    }
    assert(pagesSkipped > 0 && rowsFiltered > 0)
  }
}
