// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.nested

import java.nio.file.{Files, Path => LocalPath}

import scala.annotation.nowarn
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.Encoding._
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.values.plain.PlainValuesWriter
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetFileWriter}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray}

import latebloom.parquet.FileScan
import latebloom.parquet.encoding.CorruptPageException
import latebloom.read.predicate.{ColumnPredicate, KeptEntries, LongRanges}
import latebloom.read.task.{Counter, Counters}
import latebloom.read.text.BytesPredicate
import latebloom.read.{RandomCases, ScanFilter, ScanSpec}

/** Compares lists and maps, in files written with random options and in hand-made pages, with the
  * written rows.
  */
class RepeatedColumnCursorSuite extends AnyFunSuite with RandomCases {
  private val schema = StructType(
    Seq(
      StructField("k", IntegerType),
      StructField("numbers", ArrayType(LongType)),
      StructField("words", ArrayType(StringType)),
      StructField("flags", ArrayType(BooleanType)),
      StructField("wide", ArrayType(DecimalType(25, 3))),
      StructField("counts", MapType(StringType, LongType)),
      StructField("names", MapType(IntegerType, StringType))
    )
  )

  private def message(random: Random): MessageType = {
    def may = random.oneOf("optional", "required")
    def list(name: String, element: String) =
      s"$may group $name (LIST) { repeated group list { $may $element; } }"
    def map(name: String, key: String, value: String) =
      s"$may group $name (MAP) { repeated group key_value { required $key; $may $value; } }"
    val fields = Seq(
      "required int32 k;",
      list("numbers", "int64 element"),
      list("words", "binary element (STRING)"),
      list("flags", "boolean element"),
      list("wide", "binary element (DECIMAL(25,3))"),
      map("counts", "binary key (STRING)", "int64 value"),
      map("names", "int32 key", "binary value (STRING)")
    )
    MessageTypeParser.parseMessageType(fields.mkString("message m {", " ", "}"))
  }

  private type Row = Seq[Any]

  /** Lists and maps of few and of many entries, with values that repeat or do not. */
  private def rows(random: Random, message: MessageType): IndexedSeq[Row] = {
    val distinct = random.oneOf(1, 3, 40, 100000)
    val longest = random.oneOf(1, 4, 30, 300)
    val nulls = random.oneOf(0.0, 0.02, 0.5, 1.0)
    def optional(path: String*) =
      message.getMaxDefinitionLevel(path: _*) > message.getMaxDefinitionLevel(path.init: _*)
    def nullable(path: String*)(value: => Any): Any =
      if (optional(path: _*) && random.nextDouble() < nulls) null else value
    def some[A](make: => A): Seq[A] = Seq.fill(random.nextInt(longest + 1))(make)
    def i = random.nextInt(distinct)
    def list(name: String)(value: => Any): Any =
      nullable(name)(some(nullable(name, "list", "element")(value)))
    def map(name: String)(key: => Any)(value: => Any): Any =
      nullable(name)(some((key, nullable(name, "key_value", "value")(value))))
    val n = random.oneOf(0, 1, 100, 700)
    (0 until n).map { r =>
      Seq(
        random.oneOf(r, random.nextInt(n)),
        list("numbers")(i * 1000003L - 7),
        list("words")("é" * (i % 3) + i),
        list("flags")(i % 3 == 0),
        list("wide")(BigInt(i - 20) * BigInt("123456789012345678")),
        map("counts")("key " + i)(i.toLong),
        map("names")(i)("name " + i)
      )
    }
  }

  private def add(group: Group, field: String, value: Any): Unit = value match {
    case null            =>
    case v: Int          => group.add(field, v)
    case v: Long         => group.add(field, v)
    case v: Boolean      => group.add(field, v)
    case v: String       => group.add(field, v)
    case v: BigInt       => group.add(field, Binary.fromConstantByteArray(v.toByteArray))
    case entries: Seq[_] =>
      val repeated = group.addGroup(field)
      entries.foreach {
        case (key, v) =>
          val entry = repeated.addGroup("key_value")
          add(entry, "key", key)
          add(entry, "value", v)
        case v => add(repeated.addGroup("list"), "element", v)
      }
  }

  private def write(random: Random, path: Path, message: MessageType, rows: Seq[Row]): Unit = {
    val writer = ExampleParquetWriter
      .builder(path)
      .withConf(new Configuration())
      .withType(message)
      .withCompressionCodec(random.oneOf(UNCOMPRESSED, SNAPPY, ZSTD))
      .withWriterVersion(random.oneOf(WriterVersion.PARQUET_1_0, WriterVersion.PARQUET_2_0))
      .withByteStreamSplitEncoding(random.nextBoolean())
      .withDictionaryEncoding(random.nextBoolean())
      .withDictionaryPageSize(random.oneOf(200, 1 << 20))
      .withPageSize(random.oneOf(100, 2000, 1 << 20))
      .withPageRowCountLimit(random.oneOf(5, 100, 20000))
      .withRowGroupSize(random.oneOf(20000L, 1L << 27))
      .build()
    val groups = new SimpleGroupFactory(message)
    try rows.foreach { row =>
        val g = groups.newGroup()
        row.zip(schema.fieldNames).foreach { case (v, name) => add(g, name, v) }
        writer.write(g)
      }
    finally writer.close()
  }

  private def entries(array: ColumnarArray, t: DataType): Seq[Any] =
    (0 until array.numElements).map { i =>
      if (array.isNullAt(i)) null
      else t match {
        case IntegerType    => array.getInt(i)
        case LongType       => array.getLong(i)
        case BooleanType    => array.getBoolean(i)
        case StringType     => array.getUTF8String(i).toString
        case d: DecimalType =>
          BigInt(array.getDecimal(i, d.precision, d.scale).toJavaBigDecimal.unscaledValue)
      }
    }

  private def valueAt(v: ColumnVector, row: Int, t: DataType): Any =
    if (v.isNullAt(row)) null
    else t match {
      case IntegerType            => v.getInt(row)
      case ArrayType(element, _)  => entries(v.getArray(row), element)
      case MapType(key, value, _) =>
        val map = v.getMap(row)
        entries(map.keyArray, key).zip(entries(map.valueArray, value))
    }

  /** The payload of all passing rows. */
  private def scan(
      path: Path,
      spec: ScanSpec,
      indexed: Boolean,
      counters: Counters,
      offHeap: Boolean
  ): Seq[Row] = {
    def withoutIndex(file: ParquetFileReader): Unit =
      for (block <- file.getRowGroups.asScala; chunk <- block.getColumns.asScala) {
        chunk.setOffsetIndexReference(null)
      }
    val prepare = if (indexed) (_: ParquetFileReader) => () else withoutIndex _
    FileScan.rows(path, spec, schema, counters, offHeap, prepare)(valueAt)
  }

  /** Rows whose `k` lies in `ranges`. */
  private def spec(
      random: Random,
      payload: Seq[String],
      ranges: LongRanges,
      kept: KeptEntries*
  ): ScanSpec = {
    val columns = payload ++ Seq("k").diff(payload)
    val filter = new ScanFilter.ColumnFilter(
      columns.indexOf("k"),
      1,
      new ColumnPredicate.Longs(false, ranges),
      "on k"
    )
    new ScanSpec(
      s"scan ${random.nextLong()}",
      StructType(columns.map(schema(_))),
      payload.length,
      java.util.List.of(),
      kept.asJava,
      new ScanSpec.Filters(Seq[ScanFilter](filter).asJava, 1, null),
      new ScanSpec.Options(
        random.oneOf(0L, 64L, 100000L),
        random.oneOf(0L, 1L << 20),
        random.oneOf(0.0, 0.5, 1.0),
        random.oneOf(1, 7, 64, 1024)
      )
    )
  }

  private def inDirectory(test: LocalPath => Unit): Unit =
    test(Files.createTempDirectory("latebloom-repeated"))

  test("lists and maps of the passing rows, in any layout of the file") {
    inDirectory { dir =>
      var skipped = 0L
      forSeeds(100) { random =>
        val m = message(random)
        val data = rows(random, m)
        val path = new Path(dir.resolve(s"f${random.nextInt()}.parquet").toUri)
        write(random, path, m, data)
        val payload =
          random.shuffle(schema.fieldNames.toSeq).take(1 + random.nextInt(schema.length))
        val ranges = randomRanges(random)
        val counters = new Counters
        val expected = data
          .filter(row => ranges.contains(row.head.asInstanceOf[Int]))
          .map(row => payload.map(name => row(schema.fieldIndex(name))))
        val found = scan(
          path,
          spec(random, payload, ranges),
          random.nextBoolean(),
          counters,
          random.nextBoolean()
        )
        assert(found == expected, s"\n$m\n$payload $ranges")
        skipped += counters.get(Counter.PAGES_SKIPPED)
      }
      assert(skipped > 0)
    }
  }

  private def randomRanges(random: Random): LongRanges = {
    val low = random.nextInt(700)
    random.oneOf(
      LongRanges.all(),
      LongRanges.of(low, low + random.nextInt(200)),
      LongRanges.ofPoints(Seq.fill(5)(random.nextInt(700).toLong): _*)
    )
  }

  test("lists give their first entries, maps those with wanted keys") {
    inDirectory { dir =>
      forSeeds(80) { random =>
        val m = message(random)
        val data = rows(random, m)
        val path = new Path(dir.resolve(s"f${random.nextInt()}.parquet").toUri)
        write(random, path, m, data)
        val keys = Seq.fill(1 + random.nextInt(3))(random.nextInt(random.oneOf(3, 50)))
        val first = random.oneOf(1, 3, 1000)
        val payload =
          random.shuffle(schema.fieldNames.toSeq.tail).take(1 + random.nextInt(schema.length))
        def keyed(value: Any, keys: Set[Any]): Any = value match {
          case entries: Seq[_] => entries.filter { case (key, _) => keys(key) }
          case other           => other
        }
        val kept = payload.zipWithIndex.map {
          case ("counts", i) =>
            val bytes = keys.map(k => s"key $k".getBytes("UTF-8")).asJava
            val predicate = new ColumnPredicate.Bytes(false, BytesPredicate.in(bytes))
            val wanted = keys.map(k => s"key $k").toSet[Any]
            (new KeptEntries.WithKeys(i, predicate), (v: Any) => keyed(v, wanted))
          case ("names", i) =>
            val ranges = LongRanges.ofPoints(keys.map(_.toLong): _*)
            (
              new KeptEntries.WithKeys(i, new ColumnPredicate.Longs(false, ranges)),
              (v: Any) => keyed(v, keys.toSet[Any])
            )
          case (_, i) =>
            val model = (v: Any) =>
              v match {
                case entries: Seq[_] => entries.take(first)
                case other           => other
              }
            (new KeptEntries.First(i, first), model)
        }
        val ranges = randomRanges(random)
        val expected = data
          .filter(row => ranges.contains(row.head.asInstanceOf[Int]))
          .map { row =>
            payload.zip(kept).map { case (name, (_, model)) => model(row(schema.fieldIndex(name))) }
          }
        val found = scan(
          path,
          spec(random, payload, ranges, kept.map(_._1): _*),
          random.nextBoolean(),
          new Counters,
          random.nextBoolean()
        )
        assert(found == expected, s"\n$m\n$payload $ranges $keys $first")
      }
    }
  }

  // ---- pages made by hand

  private type Level = (Int, Int, Long)

  private val byHand = MessageTypeParser.parseMessageType(
    "message m { required int32 k; " +
      "optional group numbers (LIST) { repeated group list { optional int64 element; } } }"
  )

  /** Repetition level, definition level and value of each entry, null and empty list. */
  private def levels(list: Any): Seq[Level] = list match {
    case null                               => Seq((0, 0, 0))
    case entries: Seq[_] if entries.isEmpty => Seq((0, 1, 0))
    case entries: Seq[_]                    =>
      entries.zipWithIndex.map {
        case (null, i)    => (i min 1, 2, 0L)
        case (v: Long, i) => (i min 1, 3, v)
      }
  }

  private val heap = new HeapByteBufferAllocator

  private def runs(values: Seq[Int], width: Int): BytesInput = {
    val encoder = new RunLengthBitPackingHybridEncoder(width, 64, 1 << 20, heap)
    values.foreach(encoder.writeInt)
    encoder.toBytes
  }

  private def plain(values: Seq[Long]): BytesInput = {
    val writer = new PlainValuesWriter(64, 1 << 20, heap)
    values.foreach(writer.writeLong)
    writer.getBytes
  }

  private def framed(levels: BytesInput): BytesInput =
    BytesInput.concat(BytesInput.fromInt(levels.size.toInt), levels)

  /** One row group, with the numbers' levels on these pages; without an offset index. */
  @nowarn("cat=deprecation") // What replaces it writes an offset index.
  private def writePages(path: Path, rows: Int, pages: Seq[Seq[Level]], v2: Boolean): Unit = {
    val out = HadoopOutputFile.fromPath(path, new Configuration())
    val writer =
      new ParquetFileWriter(out, byHand, ParquetFileWriter.Mode.CREATE, 1L << 27, 0)
    val List(k, numbers) = byHand.getColumns.asScala.toList
    writer.start()
    writer.startBlock(rows)
    val ids = new PlainValuesWriter(64, 1 << 20, heap)
    (0 until rows).foreach(ids.writeInteger)
    val idBytes = ids.getBytes
    writer.startColumn(k, rows, UNCOMPRESSED)
    writer.writeDataPage(
      rows,
      idBytes.size.toInt,
      idBytes,
      Statistics.createStats(k.getPrimitiveType),
      RLE,
      RLE,
      PLAIN
    )
    writer.endColumn()
    writer.startColumn(numbers, pages.map(_.length).sum, UNCOMPRESSED)
    pages.foreach { page =>
      val repetition = runs(page.map(_._1), 1)
      val definition = runs(page.map(_._2), 2)
      val values = plain(page.collect { case (_, 3, v) => v })
      val stats: Statistics[_] = Statistics.createStats(numbers.getPrimitiveType)
      if (v2) {
        writer.writeDataPageV2(
          page.count(_._1 == 0),
          page.count(_._2 < 3),
          page.length,
          repetition,
          definition,
          PLAIN,
          values,
          (repetition.size + definition.size + values.size).toInt,
          stats
        )
      } else {
        val all = BytesInput.concat(framed(repetition), framed(definition), values)
        writer.writeDataPage(page.length, all.size.toInt, all, stats, RLE, RLE, PLAIN)
      }
    }
    writer.endColumn()
    writer.endBlock()
    writer.end(java.util.Map.of())
  }

  private def cut[A](random: Random, all: Seq[A], longest: Int): Seq[Seq[A]] = {
    val pages = ArrayBuffer.empty[Seq[A]]
    var rest = all
    while (rest.nonEmpty) {
      val (page, after) = rest.splitAt(1 + random.nextInt(longest))
      pages += page
      rest = after
    }
    pages.toSeq
  }

  private def readNumbers(path: Path, random: Random, ranges: LongRanges): Seq[Row] =
    scan(
      path,
      spec(random, Seq("numbers"), ranges),
      indexed = false,
      new Counters,
      random.nextBoolean()
    )

  test("a row may span several pages without an offset index") {
    inDirectory { dir =>
      forSeeds(80) { random =>
        val longest = random.oneOf(1, 5, 100)
        val nulls = random.oneOf(0.0, 0.3)
        def list: Any =
          if (random.nextDouble() < nulls) null
          else Seq.fill(random.nextInt(longest))(
            if (random.nextDouble() < nulls) null else random.nextLong()
          )
        val data = Seq.fill(1 + random.nextInt(150))(list)
        val pages = cut(random, data.flatMap(levels), random.oneOf(1, 3, 70, 1000))
        val path = new Path(dir.resolve(s"p${random.nextInt()}.parquet").toUri)
        writePages(path, data.length, pages, random.nextBoolean())
        val kept = Seq.fill(random.oneOf(1, 20))(random.nextInt(data.length))
        val ranges =
          random.oneOf(LongRanges.all(), LongRanges.ofPoints(kept.map(_.toLong): _*))
        val expected =
          data.zipWithIndex.collect { case (v, i) if ranges.contains(i) => Seq(v) }
        assert(readNumbers(path, random, ranges) == expected)
      }
    }
  }

  test("invalid levels are an error that names the place") {
    inDirectory { dir =>
      val cases = Seq(
        "page 0: it begins within a row" -> Seq(Seq((1, 3, 1L), (0, 3, 2L))),
        "page 1: an entry of a list or map that has none" ->
          Seq(Seq((0, 3, 1L)), Seq((0, 3, 2L), (1, 1, 0L))),
        "page 0: an entry of a list or map that has none" -> Seq(Seq((0, 0, 0L), (1, 0, 0L))),
        // Spark's reader takes the entry for a row of its own, and the rows behind it shift.
        "page 0: an entry behind a list or map that has none" ->
          Seq(Seq((0, 1, 0L), (1, 3, 2L), (0, 3, 1L))),
        "page 1: an entry behind a list or map that has none" ->
          Seq(Seq((0, 0, 0L)), Seq((1, 3, 2L), (0, 3, 1L))),
        "the column ends before row 1" -> Seq(Seq((0, 3, 1L), (1, 3, 2L)))
      )
      for ((message, pages) <- cases; v2 <- Seq(false, true)) {
        val path = new Path(dir.resolve(s"${cases.indexOf((message, pages))}$v2.parquet").toUri)
        writePages(path, 2, pages, v2)
        val error = intercept[CorruptPageException](
          readNumbers(path, new Random(1), LongRanges.all())
        )
        assert(error.getMessage.contains(message))
        assert(error.getMessage.contains("row group 0, column numbers.list.element, page"))
      }
    }
  }
}
