// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.sql.Timestamp

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.common.`type`.HiveDecimal
import org.apache.hadoop.hive.ql.exec.vector.{ColumnVector => OrcVector, _}
import org.apache.hadoop.mapreduce.TaskAttemptID
import org.apache.hadoop.mapreduce.lib.input.FileSplit
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.orc.{CompressionKind, OrcConf, OrcFile, TypeDescription}
import org.scalatest.{BeforeAndAfterAll, Suite}

import org.apache.spark.memory.MemoryMode
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.orc.OrcColumnarBatchReader
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

import latebloom.read.RandomCases

/** Files of one column, written with random options, and their values as Spark reads them. */
trait OrcSamples extends RandomCases with BeforeAndAfterAll { this: Suite =>
  val conf = new Configuration(false)
  private val folder = Files.createTempDirectory("latebloom-orc")

  override def afterAll(): Unit =
    try JavaUtils.deleteRecursively(folder.toFile)
    finally super.afterAll()

  /** @param file the type in the file */
  case class Kind(file: String, spark: DataType)

  val kinds: Seq[Kind] = Seq(
    Kind("boolean", BooleanType),
    Kind("tinyint", ByteType),
    Kind("smallint", ShortType),
    Kind("int", IntegerType),
    Kind("int", YearMonthIntervalType()),
    Kind("bigint", LongType),
    Kind("bigint", TimestampNTZType),
    Kind("bigint", DayTimeIntervalType()),
    Kind("float", FloatType),
    Kind("double", DoubleType),
    Kind("date", DateType),
    Kind("timestamp", TimestampType),
    Kind("decimal(5,2)", DecimalType(5, 2)),
    Kind("decimal(9,0)", DecimalType(9, 0)),
    Kind("decimal(14,3)", DecimalType(14, 3)),
    Kind("decimal(18,18)", DecimalType(18, 18)),
    Kind("string", StringType),
    Kind("char(6)", StringType),
    Kind("varchar(4)", StringType),
    Kind("binary", BinaryType)
  )

  /** Numbers in the shapes that the encodings are made for, of at most so many bits. */
  def numbers(random: Random, n: Int, bits: Int): Array[Long] = {
    val out = new Array[Long](n)
    def clamp(v: Long): Long = v << (64 - bits) >> (64 - bits)
    var i = 0
    while (i < n) {
      val end = math.min(n, i + 1 + random.nextInt(random.oneOf(4, 40, 600, 4000)))
      val width = 1 + random.nextInt(bits)
      val base =
        random.oneOf(0L, random.nextInt(1000).toLong, random.nextLong() >> random.nextInt(64))
      var last = base
      val step = random.nextInt(7) - 3
      val shape = random.nextInt(6)
      for (k <- i until end) {
        out(k) = clamp(shape match {
          case 0 => base
          case 1 => base + step * (k - i).toLong
          case 2 => last += random.nextInt(50); last
          case 3 => last -= random.nextInt(50); last
          case 4 => random.nextLong() >> (64 - width)
          case _ =>
            base + random.nextInt(30) + (if (random.nextInt(40) == 0) random.nextInt() else 0)
        })
      }
      i = end
    }
    out
  }

  def nulls(random: Random, n: Int): Array[Boolean] = {
    val share = random.oneOf(0, 0, 2, 60, 100)
    val blocks = random.nextInt(3) == 0
    val block = 1 + random.nextInt(3000)
    Array.tabulate(n) { i =>
      if (blocks && share > 0) (i / block) % 2 == 0 else random.nextInt(100) < share
    }
  }

  private def text(random: Random, n: Int): Int => Array[Byte] = {
    val distinct = random.oneOf(1, 3, 50, 2000, n.max(1))
    val longest = random.oneOf(0, 3, 12, 60)
    val common = Array.fill(distinct) {
      val s = Seq.fill(random.nextInt(longest + 1))(random.oneOf("a", "b", " ", "é", "😀")).mkString
      (if (random.nextInt(200) == 0) s * 300 else s).getBytes(UTF_8)
    }
    var repeated = common(0)
    var left = 0
    _ => {
      if (left == 0) {
        repeated = common(random.nextInt(distinct))
        left = if (random.nextInt(20) == 0) random.nextInt(900) else 1
      }
      left = math.max(0, left - 1)
      repeated
    }
  }

  /** Writes the value of a row to the vector. */
  private def putter(random: Random, kind: Kind, n: Int, vector: OrcVector): (Int, Int) => Unit =
    vector match {
      case v: TimestampColumnVector => putTime(random, v, random.nextBoolean())
      case v: DoubleColumnVector    =>
        (_, i) =>
          v.vector(i) = random.nextInt(8) match {
            case 0 => Double.NaN
            case 1 => Double.PositiveInfinity
            case 2 => 1.5
            case _ => random.nextFloat() * 100
          }
      case v: DecimalColumnVector =>
        val d = kind.spark.asInstanceOf[DecimalType]
        val unscaled = numbers(random, n, 63)
        (row, i) => {
          val digits = BigInt(10).pow(1 + random.nextInt(d.precision))
          v.set(i, HiveDecimal.create((BigInt(unscaled(row)) % digits).bigInteger, d.scale))
        }
      case v: BytesColumnVector =>
        val value = text(random, n)
        (row, i) => {
          val b = value(row)
          v.setRef(i, b, 0, b.length)
        }
      case v: LongColumnVector =>
        val bits = kind.file match {
          case "boolean"  => 1
          case "tinyint"  => 8
          case "smallint" => 16
          case "int"      => 32
          case "date"     => random.oneOf(17, 21)
          case _          => 64
        }
        val values = numbers(random, n, bits)
        (row, i) => v.vector(i) = if (bits == 1) values(row) & 1 else values(row)
    }

  private def putTime(random: Random, v: TimestampColumnVector, old: Boolean)(
      row: Int,
      i: Int
  ): Unit = {
    val seconds =
      if (old) (random.nextDouble() * 12000000000L).toLong - 11000000000L
      else random.nextInt(2000000000).toLong
    val t = new Timestamp(seconds * 1000)
    val millis = random.nextInt(1000) * 1000000
    t.setNanos(random.oneOf(0, 1000, 999999999, millis, random.nextInt(1000000000)))
    v.set(i, t)
  }

  /** A path of its own, in a folder that goes when the suite ends. */
  def newPath(): Path = new Path(Files.createTempDirectory(folder, "f").resolve("f.orc").toUri)

  /** Writes a file of one column {@code c}; null rows of it are null. */
  def write(random: Random, kind: Kind, rows: Int): Path = {
    val path = newPath()
    val schema = TypeDescription.fromString(s"struct<c:${kind.file}>")
    val settings = new Configuration(conf)
    settings.set(OrcConf.DICTIONARY_KEY_SIZE_THRESHOLD.getAttribute, random.oneOf("0", "1", "0.5"))
    settings.set(OrcConf.DICTIONARY_IMPL.getAttribute, random.oneOf("rbtree", "hash"))
    val codec = random.oneOf(
      CompressionKind.NONE,
      CompressionKind.NONE,
      CompressionKind.ZLIB,
      CompressionKind.SNAPPY,
      CompressionKind.LZ4,
      CompressionKind.ZSTD
    )
    val options = OrcFile
      .writerOptions(settings)
      .setSchema(schema)
      .compress(codec)
      .bufferSize(random.oneOf(1 << 10, 1 << 14, 1 << 18))
      .enforceBufferSize()
      .encodingStrategy(random.oneOf(
        OrcFile.EncodingStrategy.SPEED,
        OrcFile.EncodingStrategy.COMPRESSION
      ))
      .version(random.oneOf(OrcFile.Version.V_0_12, OrcFile.Version.V_0_12, OrcFile.Version.V_0_11))
      .rowIndexStride(random.oneOf(0, 1000, 1003, 2500, 10000))
      .setProlepticGregorian(random.nextInt(4) == 0)
    val writer = OrcFile.createWriter(path, options)
    val batch = schema.createRowBatch(1 + random.nextInt(1500))
    val vector = batch.cols(0)
    val isNull = nulls(random, rows)
    val put = putter(random, kind, rows, vector)
    var row = 0
    while (row < rows) {
      batch.reset()
      val n = math.min(batch.getMaxSize, rows - row)
      for (i <- 0 until n) {
        if (isNull(row + i)) {
          vector.noNulls = false
          vector.isNull(i) = true
        } else {
          put(row + i, i)
        }
      }
      batch.size = n
      writer.addRowBatch(batch)
      row += n
      if (random.nextInt(12) == 0) writer.writeIntermediateFooter()
    }
    writer.close()
    path
  }

  /** The column's values by Spark's own reader, in Catalyst's representation. */
  def bySpark(path: Path, kind: Kind, settings: Configuration = conf): Array[Any] = {
    val task = new Configuration(settings)
    val fileType = kind.spark match {
      case _: YearMonthIntervalType                  => "int"
      case _: DayTimeIntervalType | TimestampNTZType => "bigint"
      case t                                         => t.catalogString
    }
    task.set(OrcConf.MAPRED_INPUT_SCHEMA.getAttribute, s"struct<c:$fileType>")
    task.set(OrcConf.INCLUDE_COLUMNS.getAttribute, "0")
    val length = path.getFileSystem(conf).getFileStatus(path).getLen
    val reader = new OrcColumnarBatchReader(1024, MemoryMode.ON_HEAP)
    try {
      reader.initialize(
        new FileSplit(path, 0, length, Array.empty),
        new TaskAttemptContextImpl(task, new TaskAttemptID())
      )
      reader.initBatch(
        TypeDescription.fromString(s"struct<c:$fileType>"),
        Array(StructField("c", kind.spark)),
        Array(0),
        Array(-1),
        InternalRow.empty
      )
      val values = Array.newBuilder[Any]
      while (reader.nextKeyValue()) {
        val batch = reader.getCurrentValue
        values ++= (0 until batch.numRows).map(value(batch.column(0), _, kind.spark))
      }
      values.result()
    } finally reader.close()
  }

  /** A value in Catalyst's representation, except text as bytes. */
  def value(vector: ColumnVector, row: Int, kind: DataType): Any =
    if (vector.isNullAt(row)) null
    else
      kind match {
        case BooleanType                                       => vector.getBoolean(row)
        case ByteType                                          => vector.getByte(row)
        case ShortType                                         => vector.getShort(row)
        case IntegerType | DateType | _: YearMonthIntervalType => vector.getInt(row)
        case FloatType                                         => vector.getFloat(row)
        case DoubleType                                        => vector.getDouble(row)
        case d: DecimalType => vector.getDecimal(row, d.precision, d.scale)
        case StringType     => vector.getUTF8String(row).getBytes
        case BinaryType     => vector.getBinary(row)
        case _              => vector.getLong(row)
      }
}
