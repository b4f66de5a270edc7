// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import latebloom.orc.flat.OrcColumns;
import latebloom.read.BenchColumn;
import latebloom.read.ColumnCursor;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.LongRanges;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counters;
import latebloom.read.text.BytesPredicate;
import latebloom.read.vector.OutputColumn;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcConf;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.orc.OrcColumnarBatchReader;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reads and sums one column of a single-stripe file. Reports nanoseconds per row of the stripe,
 * whatever share of the rows is wanted. Spark reads every row: compare it with {@code share=1}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(OrcColumnBenchmark.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class OrcColumnBenchmark {
  static final int ROWS = 400_000;
  private static final int BATCH = 4096;

  /** The type, and the distribution of the values that {@link #put} writes. */
  @Param({
    "int random",
    "int repeated",
    "bigint ascending",
    "bigint outliers",
    "date random",
    "boolean boolean",
    "double random",
    "decimal(12,2) random",
    "timestamp random",
    "string few",
    "string many"
  })
  public String form;

  /** Percentage of the rows that are null. */
  @Param({"0", "10"})
  public int nulls;

  /** Fraction of the rows that are wanted. */
  @Param({"1", "0.01", "0.0001"})
  public double share;

  private final Configuration conf = new Configuration(false);
  private Path path;
  private String file;
  private DataType type;
  private WholeStripes.Stripe stripe;
  private OutputColumn out;
  private OnHeapColumnVector vector;
  private int[][] wanted;
  private ColumnPredicate predicate;

  @Setup(Level.Trial)
  public void setup() throws IOException {
    String[] parts = form.split(" ");
    file = parts[0];
    type = DataType.fromDDL(file);
    path = new Path(Files.createTempDirectory("latebloom").resolve("f.orc").toUri());
    write(parts[1]);
    try (WholeStripes stripes = new WholeStripes(conf, path)) {
      stripe = stripes.stripe(0);
    }
    vector = new OnHeapColumnVector(BATCH, type);
    out = BenchColumn.of(vector);
    Random choice = new Random(3);
    int[] rows = IntStream.range(0, ROWS).filter(r -> choice.nextDouble() < share).toArray();
    wanted = new int[(rows.length + BATCH - 1) / BATCH][];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = Arrays.copyOfRange(rows, i * BATCH, Math.min(rows.length, (i + 1) * BATCH));
    }
    predicate =
        type.equals(DataTypes.StringType)
            ? new ColumnPredicate.Bytes(
                false, BytesPredicate.contains("77".getBytes(StandardCharsets.UTF_8)))
            : new ColumnPredicate.Longs(false, LongRanges.of(1, 10));
  }

  private void write(String shape) throws IOException {
    TypeDescription schema = TypeDescription.fromString("struct<c:" + file + ">");
    Random random = new Random(5);
    OrcFile.WriterOptions options =
        OrcFile.writerOptions(conf)
            .setSchema(schema)
            .compress(CompressionKind.NONE)
            .stripeSize(1L << 30);
    try (Writer writer = OrcFile.createWriter(path, options)) {
      VectorizedRowBatch batch = schema.createRowBatch(1000);
      for (int row = 0; row < ROWS; row += batch.size) {
        batch.reset();
        batch.size = 1000;
        for (int i = 0; i < batch.size; i++) {
          if (random.nextInt(100) < nulls) {
            batch.cols[0].noNulls = false;
            batch.cols[0].isNull[i] = true;
          } else {
            put(batch.cols[0], i, row + i, shape, random);
          }
        }
        writer.addRowBatch(batch);
      }
    }
  }

  private static void put(ColumnVector to, int i, int row, String shape, Random random) {
    if (to instanceof TimestampColumnVector v) {
      v.time[i] = 1_600_000_000_000L + random.nextInt();
      v.nanos[i] = (int) Math.floorMod(v.time[i], 1000L) * 1_000_000;
    } else if (to instanceof BytesColumnVector v) {
      int number = random.nextInt(shape.equals("few") ? 200 : 100_000_000);
      byte[] text = ("customer number " + number).getBytes(StandardCharsets.UTF_8);
      v.setRef(i, text, 0, text.length);
    } else if (to instanceof DoubleColumnVector v) {
      v.vector[i] = random.nextDouble();
    } else if (to instanceof DecimalColumnVector v) {
      v.vector[i].setFromLongAndScale(random.nextInt(100_000_000), 2);
    } else {
      ((LongColumnVector) to).vector[i] =
          switch (shape) {
            case "repeated" -> row / 1000;
            case "ascending" -> 7L * row + random.nextInt(7);
            case "outliers" ->
                random.nextInt(50) == 0 ? random.nextLong() >>> 20 : random.nextInt(100);
            case "boolean" -> random.nextInt(2);
            default -> random.nextInt(10_000);
          };
    }
  }

  @Benchmark
  public long select() throws IOException {
    ColumnCursor column = OrcColumns.flat(stripe.column(1, type, new Counters()));
    long sum = 0;
    for (int[] batch : wanted) {
      BenchColumn.begin(out);
      column.select(batch, batch.length, out);
      sum += sum(vector, batch.length);
    }
    return sum;
  }

  /** Evaluates a predicate on every row, so {@link #share} makes no difference. */
  @Benchmark
  public int filter() throws IOException {
    return OrcColumns.flat(stripe.column(1, type, new Counters()))
        .filter(Selection.all(ROWS), predicate.cursor())
        .count();
  }

  @Benchmark
  public long spark() throws IOException {
    Configuration task = new Configuration(conf);
    String schema = "struct<c:" + file + ">";
    OrcConf.MAPRED_INPUT_SCHEMA.setString(task, schema);
    OrcConf.INCLUDE_COLUMNS.setString(task, "0");
    long length = path.getFileSystem(conf).getFileStatus(path).getLen();
    long sum = 0;
    try (OrcColumnarBatchReader reader = new OrcColumnarBatchReader(BATCH, MemoryMode.ON_HEAP)) {
      reader.initialize(
          new FileSplit(path, 0, length, new String[0]),
          new TaskAttemptContextImpl(task, new TaskAttemptID()));
      reader.initBatch(
          TypeDescription.fromString(schema),
          new StructField[] {DataTypes.createStructField("c", type, true)},
          new int[] {0},
          new int[] {-1},
          InternalRow.empty());
      while (reader.nextKeyValue()) {
        sum += sum(reader.getCurrentValue().column(0), reader.getCurrentValue().numRows());
      }
    }
    return sum;
  }

  /** Reads every value, as an operator above a scan would: Spark converts some types on access. */
  private long sum(org.apache.spark.sql.vectorized.ColumnVector values, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
      if (values.isNullAt(i)) {
        continue;
      }
      sum +=
          switch (file) {
            case "int", "date" -> values.getInt(i);
            case "boolean" -> values.getBoolean(i) ? 1 : 0;
            case "double" -> (long) values.getDouble(i);
            case "string" -> values.getUTF8String(i).numBytes();
            case "decimal(12,2)" -> values.getDecimal(i, 12, 2).toUnscaledLong();
            default -> values.getLong(i);
          };
    }
    return sum;
  }
}
