// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import latebloom.read.selection.LiveRows;
import latebloom.read.selection.Selection;
import latebloom.read.survivors.SurvivorBlocks;
import latebloom.read.survivors.SurvivorRecorder;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.OutputBatch;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The selective scan of one file split, independent of the format:
 *
 * <pre>
 * for group:  rows = prune(group) ∩ live(group) ∩ known(group)
 *   for f in filters:  rows = f.filter(rows)        each only where the one before it left rows
 *   for p in payload:  p.select(rows, out)          survivors only, compacted across row groups
 *   emit(out)
 * </pre>
 *
 * The scan divides a row group into windows. The first window of a file is short, so that a LIMIT
 * above need not wait for a whole row group and the filters are measured before most of the data is
 * read; the second window is the rest. Windows that measure the filters one by one are as short.
 * Under a LIMIT, windows begin with about as many rows as it takes and grow from there, and nothing
 * is fetched before the window that needs it.
 *
 * <p>Not thread safe; {@link #close} may be called at any time by the owner.
 */
public final class SelectiveScan implements BatchSource {
  /** Rows of the first window of a file, and of one that measures the filters, in batches. */
  private static final int SHORT_WINDOW_BATCHES = 16;

  /** How many times longer the next window is under a LIMIT. */
  private static final int LONGER = 4;

  /** An eager scan becomes late again below this share of the threshold that made it eager. */
  private static final double STAY_EAGER = 0.8;

  private final RowGroups groups;
  private final LiveRows live;
  private final ScanSpec spec;
  private final Counters counters;
  private final OutputBatch out;
  private final FilterCascade cascade;
  private final int[] positions;
  private final boolean[] columns;

  private RowGroup group;
  private Selection pending;
  private Selection survivors;
  private ColumnCursor[] payload;
  private int nextRow;
  private boolean firstWindow = true;
  private int limitedWindow;
  private boolean firstBatch = true;
  private boolean eager;

  /** Whether a second visit of the row group costs more than it saves. */
  private boolean oneVisit;

  /** Rows of the window whose columns are counted; 0 of one that stands for others. */
  private int windowRows;

  private boolean begun;
  private SplitAggregates aggregates;

  /** The rows that may pass, by what an earlier scan found. */
  private SurvivorBlocks known = SurvivorBlocks.UNKNOWN;

  /** Records what this scan finds; null if it need not. */
  private SurvivorRecorder recorder;

  private long rowsLeftOut;
  private boolean ended;

  /**
   * @param groups the row groups to scan; owned, closed with this
   * @param live the rows of the file that its table still has, or that the query needs
   * @param payloadTypes the payload columns' types in output vectors
   * @param constants vectors of the columns with one value per file (partition columns); owned
   */
  public SelectiveScan(
      RowGroups groups,
      LiveRows live,
      ScanSpec spec,
      StructType payloadTypes,
      ColumnVector[] constants,
      boolean offHeap,
      Counters counters) {
    this.groups = groups;
    this.live = live;
    this.spec = spec;
    this.counters = counters;
    int capacity = spec.options().batchRows();
    this.out = new OutputBatch(payloadTypes, constants, capacity, offHeap);
    this.cascade = new FilterCascade(spec, counters);
    this.positions = new int[capacity];
    this.columns = columns(spec);
    this.limitedWindow = Math.max(spec.options().wantedRows(), capacity);
    if (!live.isAll()) {
      groups.memory().holdToEnd(live.bytes());
    }
  }

  /**
   * Adds whole row groups to aggregates, where the file says enough of them, rather than to the
   * output; to be called before the first batch.
   */
  public void aggregateTo(SplitAggregates into) {
    aggregates = into;
  }

  /**
   * Begins where an earlier scan with the same conditions, or weaker ones, found survivors, and
   * records what this one finds; to be called before the first batch.
   *
   * @param into null to record nothing
   */
  public void remember(SurvivorBlocks found, SurvivorRecorder into) {
    known = found;
    recorder = into;
    cascade.record(into);
  }

  /** How many rows it left out because an earlier scan had seen them dropped. */
  public long rowsLeftOut() {
    return rowsLeftOut;
  }

  /** Whether the scan has come to the end of its split. */
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public ColumnarBatch next() throws IOException {
    while (true) {
      if (survivors == null && !nextWindow()) {
        ended = true;
        return out.room() < out.capacity() ? out.emit() : null;
      }
      int room = out.room();
      int n = survivors.positions(nextRow, group.rows(), room, positions);
      if (n > 0) {
        long start = System.nanoTime();
        nextRow = positions[n - 1] + 1;
        boolean last = n < room || survivors.nextSelected(nextRow) < 0;
        boolean emit = n == room || last && emitAtWindowEnd(out.filled() + n);
        boolean whole = emit && out.filled() == 0;
        for (int p = 0; p < payload.length; p++) {
          payload[p].select(positions, n, out.column(p, whole));
          if (last && pending.isNone()) {
            // Its buffers serve the next column.
            payload[p].release();
          }
        }
        out.filled(n);
        counters.add(Counter.PAYLOAD_TIME, System.nanoTime() - start);
        if (last) {
          endWindow();
        }
        if (emit) {
          firstBatch = false;
          begun = true;
          out.holdIn(groups.memory());
          return out.emit();
        }
      } else {
        endWindow();
      }
    }
  }

  /**
   * Whether to emit the batch at a window's end: a full enough one, and always the first (LIMIT).
   */
  private boolean emitAtWindowEnd(int rows) {
    return firstBatch || rows >= out.capacity() / 2 || spec.options().isLimited();
  }

  private void endWindow() {
    survivors = null;
    endColumns();
    if (pending.isNone()) {
      group.release();
      group = null;
      begun = true;
    }
  }

  /** Which columns are output, or read by filters: others are for Spark's own reader of a file. */
  private static boolean[] columns(ScanSpec spec) {
    boolean[] read = new boolean[spec.columnCount()];
    Arrays.fill(read, 0, spec.payload(), true);
    spec.filters().ordered().forEach(f -> f.forEachColumn(c -> read[c] = true));
    return read;
  }

  /** Counts the values of the window that no column has decoded. */
  private void endColumns() {
    counters.add(Counter.VALUES_SKIPPED, counters.columns().endWindow(columns, windowRows));
    windowRows = 0;
  }

  /** Filters windows up to the next that may have survivors; false at the end of the split. */
  private boolean nextWindow() throws IOException {
    RunningTask.checkNotKilled();
    out.holdIn(groups.memory());
    if (group == null) {
      group = groups.next();
      if (group == null) {
        return false;
      }
      payload = null;
      boolean whole = isWhole(group);
      if (spec.options().distinct() && whole && cascade.readsOnly(0, group)) {
        group = DistinctRows.of(group, 0);
        counters.add(Counter.ROW_GROUPS_ANSWERED, group instanceof DistinctRows ? 1 : 0);
      }
      boolean answered =
          aggregates != null && whole && cascade.allPass(group) && aggregates.add(group);
      boolean standsForOthers = answered || group instanceof DistinctRows;
      begin(standsForOthers);
      counters.add(Counter.ROW_GROUPS_ANSWERED, answered ? 1 : 0);
      pending = answered ? Selection.none(group.rows()) : candidates();
      windowRows = standsForOthers ? 0 : group.rows() - pending.count();
      endColumns();
      if (pending.isNone()) {
        counters.add(Counter.ROW_GROUPS_SKIPPED, answered ? 0 : 1);
        survivors = pending;
        nextRow = 0;
        return true;
      }
    }
    boolean sample = cascade.takeSample();
    boolean limited = spec.options().isLimited();
    Selection window =
        limited ? limitedWindow() : firstWindow || sample ? shortWindow(sample) : pending;
    Selection rest = limited ? window : pending;
    pending = pending.minus(window);
    windowRows = group instanceof DistinctRows ? 0 : window.count();
    survivors = filter(window, rest, sample);
    nextRow = 0;
    return true;
  }

  /** The first candidates of a file, or those that measure the filters; all if there are few. */
  private Selection shortWindow(boolean sample) throws IOException {
    firstWindow = false;
    int rows = (int) Math.min(group.rows(), (long) SHORT_WINDOW_BATCHES * out.capacity());
    int from = pending.nextSelected(0);
    boolean isShorter = from >= 0 && group.rows() - from > 2L * rows;
    return isShorter && (sample || isWorthRequests(rows)) ? firstOf(from, rows) : pending;
  }

  /** A few more candidates than the window before. */
  private Selection limitedWindow() {
    int rows = limitedWindow;
    limitedWindow = (int) Math.min((long) rows * LONGER, Integer.MAX_VALUE);
    int from = pending.nextSelected(0);
    return from >= 0 && group.rows() - from > rows ? firstOf(from, rows) : pending;
  }

  private Selection firstOf(int from, int rows) {
    return pending.intersect(run(group.rows(), from, from + rows));
  }

  /** Whether nothing but the filters leaves out a row of a group. */
  private boolean isWhole(RowGroup next) {
    return live.isAll() && (known.isUnknown() || known(next).isAll());
  }

  private Selection known(RowGroup next) {
    return known.of(next.firstRow(), next.rows());
  }

  /** Begins to record the group's survivors, unless it stands for rows that are not read. */
  private void begin(boolean standsForOthers) {
    if (recorder != null) {
      if (standsForOthers || group.firstRow() < 0) {
        recorder.beginUnknown();
      } else {
        recorder.begin(group.firstRow(), group.rows());
      }
    }
  }

  /** The live rows of the group that statistics and earlier scans leave. */
  private Selection candidates() throws IOException {
    Selection rows = Selection.all(group.rows());
    if (!live.isAll()) {
      rows = live.of(group.firstRow(), group.rows());
      counters.add(
          live.isListed() ? Counter.ROWS_NOT_BEST : Counter.ROWS_DELETED,
          group.rows() - rows.count());
    }
    if (!known.isUnknown() && !(group instanceof DistinctRows)) {
      Selection may = known(group);
      kept(may);
      Selection left = rows.intersect(may);
      rowsLeftOut += rows.count() - left.count();
      counters.add(Counter.ROWS_REMEMBERED, rows.count() - left.count());
      rows = left;
    }
    if (rows.isNone()) {
      return rows;
    }
    Selection may = cascade.prune(group);
    if (group.prunesForAnyColumns()) {
      kept(may);
    }
    Selection left = may.intersect(rows);
    counters.add(Counter.ROWS_PRUNED, rows.count() - left.count());
    return left;
  }

  private void kept(Selection rows) {
    if (recorder != null) {
      recorder.kept(rows);
    }
  }

  /**
   * Whether so many rows have more bytes than could arrive while their own requests, one per
   * column, wait.
   */
  private boolean isWorthRequests(int rows) throws IOException {
    long worth = group.roundTripBytes() * spec.columnCount();
    long bytes = 0;
    for (int c = 0; c < spec.columnCount() && bytes <= worth; c++) {
      bytes += group.bytes(c) * rows / group.rows();
    }
    return bytes > worth;
  }

  private static Selection run(int rows, int from, int to) {
    return Selection.ofRuns(rows, new int[] {from}, new int[] {to});
  }

  private Selection filter(Selection window, Selection rest, boolean sample) throws IOException {
    oneVisit = cascade.payloadSavesNothing(group, rest);
    eager = cascade.survival() >= spec.options().eagerFraction() * (eager ? STAY_EAGER : 1);
    List<RowGroup.Need> ahead =
        oneVisit ? payloadNeeds(rest) : eager ? payloadNeeds(window) : List.of();
    eager |= oneVisit;
    int[] filters = cascade.fetch(group, window, rest, sample, ahead);
    if (begun && pending.isNone() && !spec.options().isLimited()) {
      groups.prefetch(cascade.prunes(), this::firstFetch);
    }
    Selection rows = cascade.filter(group, filters, window, sample);
    if (rows.isNone()) {
      counters.add(Counter.ROW_GROUPS_SKIPPED, pending.isNone() && payload == null ? 1 : 0);
    } else {
      preparePayload(rows);
    }
    return rows;
  }

  /** The columns that the next row group will fetch together if the scan continues as it does. */
  private List<Integer> firstFetch(RowGroup next) throws IOException {
    if (group instanceof DistinctRows) {
      // The next one most likely has a dictionary, too.
      return List.of();
    }
    if (!live.isAll() && live.of(next.firstRow(), next.rows()).spread() < 1
        || !known.isUnknown() && known(next).spread() < 1) {
      // Some pages hold only deleted rows, or none that passes.
      return List.of();
    }
    List<Integer> columns = cascade.firstColumns(next);
    for (int p = 0; p < spec.payload() && eager; p++) {
      columns.add(p);
    }
    return columns;
  }

  private List<RowGroup.Need> payloadNeeds(Selection rows) {
    List<RowGroup.Need> needs = new ArrayList<>(spec.payload());
    for (int p = 0; p < spec.payload(); p++) {
      needs.add(new RowGroup.Need(p, rows, false));
    }
    return needs;
  }

  private void preparePayload(Selection rows) throws IOException {
    group.fetch(payloadNeeds(rows));
    if (payload == null) {
      counters.add(eager ? Counter.ROW_GROUPS_EAGER : Counter.ROW_GROUPS_LATE, 1);
      counters.add(Counter.ROW_GROUPS_ONE_VISIT, oneVisit ? 1 : 0);
      payload = new ColumnCursor[spec.payload()];
    }
    for (int p = 0; p < payload.length; p++) {
      payload[p] = group.cursor(p, RowGroup.PAYLOAD, rows);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (survivors != null) {
        endColumns();
      }
      if (group != null) {
        group.release();
        group = null;
      }
      out.close();
    } finally {
      groups.close();
    }
  }
}
