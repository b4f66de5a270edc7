// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.flat.FlatColumnCursor;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.ColumnPlace;
import latebloom.parquet.page.Decompressor;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.page.SplitContext;
import latebloom.parquet.types.Calendars;
import latebloom.parquet.types.FlatType;
import latebloom.read.BenchColumn;
import latebloom.read.io.RangeFetcher;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import latebloom.read.vector.OutputColumn;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.VersionParser;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.bytestreamsplit.ByteStreamSplitValuesWriter;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter;
import org.apache.parquet.column.values.plain.BooleanPlainValuesWriter;
import org.apache.parquet.column.values.plain.FixedLenByteArrayPlainValuesWriter;
import org.apache.parquet.column.values.plain.PlainValuesWriter;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridValuesWriter;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedColumnReader;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
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
 * Reads one uncompressed column chunk into vectors of 4,096 rows, with LateBloom's and with Spark's
 * column reader. Reports nanoseconds per row of the chunk, whatever share of the rows is wanted.
 * Spark reads every row: compare it with {@code percent=100}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(ColumnBenchmark.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ColumnBenchmark {
  static final int ROWS = 400_000;
  private static final int PAGE_ROWS = 20_000;
  private static final int BATCH = 4096;

  /** The type, the encoding, and the bits of a code or delta, or about the bytes of a string. */
  @Param({
    "int32 plain",
    "int64 plain",
    "double plain",
    "boolean plain",
    "boolean rle",
    "int32 dictionary 1",
    "int32 dictionary 8",
    "int32 dictionary 15",
    "string dictionary 8",
    "int32 delta 0",
    "int32 delta 7",
    "int32 delta 20",
    "int64 delta 12",
    "int64 delta 40",
    "string plain 12",
    "string delta-length 12",
    "string delta 12",
    "fixed plain",
    "date legacy",
    "int96 plain",
    "double split",
    "int32 split"
  })
  public String form;

  /** Percentage of the rows that are null. */
  @Param({"0", "10"})
  public int nulls;

  /** Percentage of the rows that are wanted. */
  @Param({"100", "10", "1"})
  public int percent;

  private final ByteBufferAllocator heap = new HeapByteBufferAllocator();
  private final Random random = new Random(5);
  private ColumnDescriptor descriptor;
  private DataType type;
  private Calendars calendars = Calendars.CORRECTED;
  private Bytes chunkBytes;
  private ColumnChunkMetaData meta;
  private final List<DataPage> pages = new ArrayList<>();
  private DictionaryPage dictionary;
  private PageReader pageReader;
  private final BlockArrays blocks = new BlockArrays();
  private WritableColumnVector vector;
  private WritableColumnVector levels;
  private OutputColumn out;
  private int[][] wanted;
  private MethodHandle readBatch;

  @Setup(Level.Trial)
  public void setup() throws Throwable {
    String[] parts = form.split(" ");
    int size = parts.length > 2 ? Integer.parseInt(parts[2]) : 0;
    String repetition = nulls == 0 ? "required " : "optional ";
    String parquet =
        switch (parts[0]) {
          case "string" -> "binary c (STRING)";
          case "fixed" -> "fixed_len_byte_array(7) c (DECIMAL(16,2))";
          case "date" -> "int32 c (DATE)";
          default -> parts[0] + " c";
        };
    descriptor =
        MessageTypeParser.parseMessageType("message m { " + repetition + parquet + "; }")
            .getColumns()
            .get(0);
    type =
        switch (parts[0]) {
          case "int32" -> DataTypes.IntegerType;
          case "int64" -> DataTypes.LongType;
          case "double" -> DataTypes.DoubleType;
          case "boolean" -> DataTypes.BooleanType;
          case "string" -> DataTypes.StringType;
          case "fixed" -> DataTypes.createDecimalType(16, 2);
          case "date" -> DataTypes.DateType;
          default -> DataTypes.TimestampType;
        };
    if (parts[0].equals("date")) {
      calendars = new Calendars("LEGACY", "UTC", "LEGACY", "UTC", null);
    }
    build(parts[0], parts[1], size);
    pageReader =
        new PageReader(
            new Decompressor(new CodecFactory(new Configuration(), 0)),
            false,
            new ScanMemory(new Counters()));
    vector = new OnHeapColumnVector(BATCH, type);
    levels = new OnHeapColumnVector(BATCH, DataTypes.IntegerType);
    Random choice = new Random(3);
    out = BenchColumn.of(new OnHeapColumnVector(BATCH, type));
    int[] rows = IntStream.range(0, ROWS).filter(r -> choice.nextInt(100) < percent).toArray();
    wanted = new int[(rows.length + BATCH - 1) / BATCH][];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = Arrays.copyOfRange(rows, i * BATCH, Math.min(rows.length, (i + 1) * BATCH));
    }
    readBatch =
        MethodHandles.privateLookupIn(VectorizedColumnReader.class, MethodHandles.lookup())
            .findVirtual(
                VectorizedColumnReader.class,
                "readBatch",
                MethodType.methodType(
                    void.class,
                    int.class,
                    WritableColumnVector.class,
                    WritableColumnVector.class,
                    WritableColumnVector.class));
  }

  private void build(String kind, String encoding, int size) throws IOException {
    ByteArrayOutputStream chunk = new ByteArrayOutputStream();
    Encoding named =
        switch (encoding) {
          case "dictionary" -> Encoding.RLE_DICTIONARY;
          case "rle" -> Encoding.RLE;
          case "split" -> Encoding.BYTE_STREAM_SPLIT;
          case "delta-length" -> Encoding.DELTA_LENGTH_BYTE_ARRAY;
          case "delta" ->
              kind.equals("string") ? Encoding.DELTA_BYTE_ARRAY : Encoding.DELTA_BINARY_PACKED;
          default -> Encoding.PLAIN;
        };
    if (named == Encoding.RLE_DICTIONARY) {
      ValuesWriter entries = new PlainValuesWriter(64, 1 << 24, heap);
      for (int i = 0; i < 1 << size; i++) {
        if (kind.equals("string")) {
          entries.writeBytes(Binary.fromString("entry number " + i));
        } else {
          entries.writeInteger(i * 31);
        }
      }
      byte[] body = bytes(entries.getBytes());
      PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, body.length, body.length);
      header.setDictionary_page_header(
          new DictionaryPageHeader(1 << size, org.apache.parquet.format.Encoding.PLAIN));
      Util.writePageHeader(header, chunk);
      chunk.write(body);
      dictionary = new DictionaryPage(BytesInput.from(body), 1 << size, Encoding.PLAIN);
    }
    int dataStart = chunk.size();
    for (int from = 0; from < ROWS; from += PAGE_ROWS) {
      byte[] body = page(kind, encoding, size);
      PageHeader header = new PageHeader(PageType.DATA_PAGE, body.length, body.length);
      header.setData_page_header(
          new DataPageHeader(
              PAGE_ROWS,
              org.apache.parquet.format.Encoding.valueOf(named.name()),
              org.apache.parquet.format.Encoding.RLE,
              org.apache.parquet.format.Encoding.RLE));
      Util.writePageHeader(header, chunk);
      chunk.write(body);
      pages.add(
          new DataPageV1(
              BytesInput.from(body),
              PAGE_ROWS,
              body.length,
              null,
              Encoding.RLE,
              Encoding.RLE,
              named));
    }
    byte[] all = chunk.toByteArray();
    chunkBytes = new Bytes(all, 0, all.length);
    PrimitiveType primitive = descriptor.getPrimitiveType();
    meta =
        ColumnChunkMetaData.get(
            ColumnPath.get("c"),
            primitive,
            CompressionCodecName.UNCOMPRESSED,
            null,
            EnumSet.of(named, Encoding.RLE),
            Statistics.createStats(primitive),
            dataStart,
            0,
            ROWS,
            all.length,
            all.length);
  }

  private byte[] page(String kind, String encoding, int size) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    int values = PAGE_ROWS;
    if (nulls > 0) {
      RunLengthBitPackingHybridEncoder levels =
          new RunLengthBitPackingHybridEncoder(1, 64, 1 << 20, heap);
      for (int i = 0; i < PAGE_ROWS; i++) {
        int valid = random.nextInt(100) < nulls ? 0 : 1;
        levels.writeInt(valid);
        values -= 1 - valid;
      }
      byte[] bytes = bytes(levels.toBytes());
      body.write(bytes(BytesInput.fromInt(bytes.length)));
      body.write(bytes);
    }
    if (encoding.equals("dictionary")) {
      RunLengthBitPackingHybridEncoder codes =
          new RunLengthBitPackingHybridEncoder(size, 64, 1 << 20, heap);
      for (int i = 0; i < values; i++) {
        codes.writeInt(random.nextInt(1 << size));
      }
      body.write(size);
      body.write(bytes(codes.toBytes()));
    } else {
      body.write(values(kind, encoding, size, values));
    }
    return body.toByteArray();
  }

  private byte[] values(String kind, String encoding, int size, int n) throws IOException {
    ValuesWriter w = writer(kind, encoding);
    long last = 0;
    byte[] text = new byte[size];
    for (int i = 0; i < n; i++) {
      long delta = size == 0 ? 3 : random.nextLong() >>> 64 - size;
      switch (kind) {
        case "int32", "date" -> {
          last += delta;
          boolean sums = encoding.equals("delta");
          w.writeInteger(
              (int) (sums ? last : kind.equals("date") ? random.nextInt(20000) : random.nextInt()));
        }
        case "int64" -> {
          last += delta;
          w.writeLong(encoding.equals("delta") ? last : random.nextLong());
        }
        case "double" -> w.writeDouble(random.nextDouble());
        case "boolean" ->
            w.writeBoolean(encoding.equals("rle") ? i % 500 < 250 : random.nextBoolean());
        case "fixed" -> {
          byte[] b = new byte[7];
          random.nextBytes(b);
          w.writeBytes(Binary.fromConstantByteArray(b));
        }
        case "int96" -> {
          byte[] b = new byte[12];
          random.nextBytes(b);
          b[7] = 0;
          b[6] = 0;
          System.arraycopy(bytes(BytesInput.fromInt(2450000 + random.nextInt(9000))), 0, b, 8, 4);
          w.writeBytes(Binary.fromConstantByteArray(b));
        }
        default -> {
          int kept = random.nextInt(size);
          byte[] next = new byte[kept + random.nextInt(size)];
          random.nextBytes(next);
          System.arraycopy(text, 0, next, 0, Math.min(kept, text.length));
          text = next;
          w.writeBytes(Binary.fromConstantByteArray(text));
        }
      }
    }
    return bytes(w.getBytes());
  }

  private static byte[] bytes(BytesInput input) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    input.writeAllTo(out);
    return out.toByteArray();
  }

  private ValuesWriter writer(String kind, String encoding) {
    IntFunction<ValuesWriter> plain =
        length -> new FixedLenByteArrayPlainValuesWriter(length, 64, 1 << 24, heap);
    return switch (kind + " " + encoding) {
      case "int32 delta" -> new DeltaBinaryPackingValuesWriterForInteger(64, 1 << 24, heap);
      case "int64 delta" -> new DeltaBinaryPackingValuesWriterForLong(64, 1 << 24, heap);
      case "string delta" -> new DeltaByteArrayWriter(64, 1 << 24, heap);
      case "string delta-length" -> new DeltaLengthByteArrayValuesWriter(64, 1 << 24, heap);
      case "double split" ->
          new ByteStreamSplitValuesWriter.DoubleByteStreamSplitValuesWriter(64, 1 << 24, heap);
      case "int32 split" ->
          new ByteStreamSplitValuesWriter.IntegerByteStreamSplitValuesWriter(64, 1 << 24, heap);
      case "boolean plain" -> new BooleanPlainValuesWriter();
      case "boolean rle" -> new RunLengthBitPackingHybridValuesWriter(1, 64, 1 << 24, heap);
      case "fixed plain" -> plain.apply(7);
      case "int96 plain" -> plain.apply(12);
      default -> new PlainValuesWriter(64, 1 << 24, heap);
    };
  }

  @Benchmark
  public int ours() throws IOException {
    Counters counters = new Counters();
    ScanMemory memory = new ScanMemory(counters);
    ColumnChunk chunk =
        new ColumnChunk(
            new ColumnPlace("f", 0, "c"), descriptor, meta, ROWS, Long.MAX_VALUE, false, counters);
    List<RangeFetcher.WantedRange> ranges = new ArrayList<>();
    chunk.want(Selection.all(ROWS), ranges);
    ranges.get(0).receiver().accept(chunkBytes.array(), chunkBytes.start(), chunkBytes.length());
    FlatColumnCursor column =
        new FlatColumnCursor(
            new SplitContext("f", false, null, pageReader, memory, counters, blocks),
            chunk,
            FlatType.of(descriptor, type, calendars),
            new PageCache(new PageCache.Budget(0, memory), 0),
            true);
    for (int[] batch : wanted) {
      BenchColumn.begin(out);
      column.select(batch, batch.length, out);
    }
    return wanted.length;
  }

  @Benchmark
  public int spark() throws Throwable {
    VectorizedColumnReader reader =
        new VectorizedColumnReader(
            descriptor,
            nulls == 0,
            new Pages(),
            null,
            calendars.datetimeMode(),
            calendars.datetimeZone(),
            calendars.int96Mode(),
            calendars.int96Zone(),
            new VersionParser.ParsedVersion("parquet-mr", "1.16.0", null));
    int n = 0;
    for (int from = 0; from < ROWS; from += BATCH) {
      n = Math.min(BATCH, ROWS - from);
      vector.reset();
      levels.reset();
      vector.setDictionary(null);
      readBatch.invoke(reader, n, vector, (WritableColumnVector) null, levels);
    }
    return n;
  }

  /** Supplies the chunk's pages to Spark's reader. */
  private final class Pages implements PageReadStore, org.apache.parquet.column.page.PageReader {
    private final Iterator<DataPage> next = pages.iterator();

    @Override
    public org.apache.parquet.column.page.PageReader getPageReader(ColumnDescriptor column) {
      return this;
    }

    @Override
    public long getRowCount() {
      return ROWS;
    }

    @Override
    public DictionaryPage readDictionaryPage() {
      return dictionary;
    }

    @Override
    public long getTotalValueCount() {
      return ROWS;
    }

    @Override
    public DataPage readPage() {
      return next.hasNext() ? next.next() : null;
    }
  }
}
