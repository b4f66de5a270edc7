// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree;

import java.io.IOException;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.orc.stripe.ColumnStreams;
import latebloom.orc.stripe.OrcColumn;
import latebloom.orc.stripe.SplitContext;
import latebloom.orc.stripe.Strides;
import latebloom.read.ColumnCursor;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.predicate.ValuePredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.OutputColumn;
import latebloom.read.vector.RowConverters;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.TreeReaderFactory;
import org.apache.orc.impl.reader.tree.TypeReader;
import org.apache.orc.impl.reader.tree.TypeReader.ReadPhase;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.datasources.orc.OrcColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Reads a column of any type by orc-core's own reader, converted as Spark does. Seeks by the row
 * index to strides that hold wanted rows, and reads a few rows at a time.
 */
public final class TreeColumnCursor implements ColumnCursor {
  /** Most rows of one read, if a batch is not smaller. */
  private static final int MOST_BLOCK = 1024;

  /** Most rows of one skip. */
  private static final int MOST_SKIPPED = 1 << 16;

  /** Skips the rows between two wanted ones if they are more than this; reads them if not. */
  private static final int GAP = 64;

  private static final InternalRow NO_STRUCT = new GenericInternalRow(new Object[1]);
  private static final VectorizedRowBatch NO_FILTER = new VectorizedRowBatch(0);

  private final SplitContext split;
  private final ColumnStreams streams;
  private final OrcColumn column;
  private final TreeStreams planner;
  private final int depth;
  private final DataType type;
  private final int block;
  private final RowToColumnConverter converter;
  private final ColumnVector vector;
  private final OrcColumnVector view;
  private final ColumnarBatch batch;

  private Selection rows;
  private TypeReader reader;
  private int generation;

  /** The next row of {@link #reader}. */
  private int at;

  private int batchStart;
  private int batchEnd;

  /**
   * @param depth how many structs of one field enclose the column's values
   * @param type of the column's values
   * @param batchRows rows of a batch: with fewer whoever sets it bounds what long lists take
   */
  public TreeColumnCursor(
      SplitContext split,
      ColumnStreams streams,
      TreeStreams planner,
      int depth,
      DataType type,
      int batchRows) {
    this.split = split;
    this.streams = streams;
    this.column = streams.column();
    this.planner = planner;
    this.depth = depth;
    this.type = type;
    this.block = Math.min(MOST_BLOCK, batchRows);
    this.converter = RowConverters.of(type);
    this.vector = new NestedVectors(block, streams::canHold).create(column.type());
    this.view = SparkVectors.view(column.field().dataType(), vector);
    this.batch = new ColumnarBatch(new org.apache.spark.sql.vectorized.ColumnVector[] {view});
  }

  /** Begins a window; {@code rows} have been fetched. */
  public void start(Selection rows) {
    this.rows = rows;
    if (generation != streams.generation()) {
      generation = streams.generation();
      reader = null;
    }
  }

  // ---- reading

  private void read(int from, int to) throws IOException {
    RunningTask.checkNotKilled();
    try {
      moveTo(from);
      int n = to - from;
      vector.reset();
      vector.ensureSize(n, false);
      reader.nextVector(vector, null, n, NO_FILTER, ReadPhase.ALL);
      NestedLengths.check(vector, n);
      view.setBatchSize(n);
    } catch (IOException e) {
      // Everything is fetched by now, so only damaged bytes can fail.
      throw new CorruptStreamException(e.getMessage(), e);
    }
    at = to;
    batchStart = from;
    batchEnd = to;
    batch.setNumRows(to - from);
    split.counters().add(Counter.VALUES_DECODED, to - from);
  }

  private void moveTo(int row) throws IOException {
    Strides strides = streams.strides();
    int stride = strides.of(row);
    if (reader == null) {
      reader = TreeReaderFactory.createTreeReader(column.type(), context());
      reader.startStripe(planner, ReadPhase.ALL);
      at = 0;
    }
    if (stride > 0 && strides.of(at) != stride) {
      reader.seek(streams.allPositions(stride), ReadPhase.ALL);
      at = strides.firstRow(stride);
    }
    while (row > at) {
      RunningTask.checkNotKilled();
      int n = Math.min(row - at, MOST_SKIPPED);
      reader.skipRows(n, ReadPhase.ALL);
      at += n;
    }
  }

  private TreeReaderFactory.Context context() {
    ReaderImpl file = split.reader();
    return new TreeReaderFactory.ReaderContext()
        .setSchemaEvolution(column.evolution())
        .skipCorrupt(split.skipCorrupt())
        .fileFormat(file.getFileVersion())
        .setProlepticGregorian(
            file.writerUsedProlepticGregorian(), file.getConvertToProlepticGregorian())
        .setEncryption(file.getEncryption());
  }

  /** The end of the read that begins with {@code row}: after the last wanted row close by. */
  private int end(int row) {
    Strides strides = streams.strides();
    int most = (int) Math.min(rows.rows(), (long) row + block);
    int end = Math.min(rows.nextUnselected(row), most);
    while (end < most) {
      int next = rows.nextSelected(end);
      if (next < 0
          || next - end > GAP
          || next >= most
          || strides.of(next) > strides.of(end - 1) + 1) {
        break;
      }
      end = Math.min(rows.nextUnselected(next), most);
    }
    return end;
  }

  /** A row whose single column is the value of {@code row}. */
  private InternalRow value(int row) throws IOException {
    if (row < batchStart || row >= batchEnd) {
      read(row, end(row));
    }
    InternalRow value = batch.getRow(row - batchStart);
    for (int d = 0; d < depth && value != NO_STRUCT; d++) {
      value = value.isNullAt(0) ? NO_STRUCT : value.getStruct(0, 1);
    }
    return value;
  }

  // ---- filter and select

  @Override
  public Selection filter(Selection rows, PredicateCursor predicate) throws IOException {
    ValuePredicate test = new ValuePredicate(type, predicate);
    Selection.Builder passed = new Selection.Builder(rows.rows());
    int[] positions = new int[MOST_BLOCK];
    int next = 0;
    int n;
    while ((n = rows.positions(next, rows.rows(), MOST_BLOCK, positions)) > 0) {
      next = positions[n - 1] + 1;
      for (int i = 0; i < n; i++) {
        if (test.passes(value(positions[i]))) {
          passed.add(positions[i]);
        }
      }
    }
    return passed.build();
  }

  @Override
  public void select(int[] rows, int n, OutputColumn out) throws IOException {
    if (canLend(rows, n, out)) {
      read(rows[0], rows[0] + n);
      out.lend(view);
      return;
    }
    WritableColumnVector[] to = {out.vector()};
    for (int i = 0; i < n; i++) {
      converter.convert(value(rows[i]), to);
    }
  }

  /** Whether the rows are contiguous, so that the batch can be lent as read. */
  private boolean canLend(int[] rows, int n, OutputColumn out) {
    return depth == 0
        && out.whole()
        && n > 0
        && rows[n - 1] - rows[0] == n - 1
        && rows[0] >= batchEnd;
  }
}
