// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The selective scan of one file split, whatever the format:
 *
 * <pre>
 * for group:  rows = prune(group)
 *   for f in filters:  rows = f.filter(rows)        each only where the one before it left rows
 *   for p in payload:  p.select(rows, out)          survivors only, compacted across row groups
 *   emit(out)
 * </pre>
 *
 * A row group is worked on in windows: the first window of a file is short, so that a LIMIT above
 * need not wait for a whole row group, and so that there is a measure of the filters before most of
 * the data is touched; then comes the rest.
 *
 * <p>Not thread safe; {@link #close} may be called at any time by the owner.
 */
public final class SelectiveScan implements BatchSource {
  /** Rows of the first window of a file, in batches. */
  private static final int FIRST_WINDOW_BATCHES = 16;

  /**
   * The next filter column is fetched together with the first when at least this share of the rows
   * is expected to reach it: nearly every page would be fetched then, and one request is cheaper.
   */
  private static final double FETCH_TOGETHER = 0.01;

  /** A join filter that more than this share of the rows passes costs more than it saves. */
  private static final double MOST_PASSING = 0.8;

  private final RowGroups groups;
  private final ScanSpec spec;
  private final Counters counters;
  private final OutputBatch out;
  private final SurvivalEstimate estimate;
  private final int[] positions;

  private RowGroup group;
  private Selection pending;
  private Selection survivors;
  private SelectiveColumn[] payload;
  private int nextRow;
  private boolean firstWindow = true;
  private boolean firstBatch = true;

  /**
   * @param groups the row groups to scan; owned, closed with this
   * @param payloadTypes the payload columns as the vectors must hold them
   * @param constants vectors of the columns with one value per file (partition columns); owned
   */
  public SelectiveScan(
      RowGroups groups,
      ScanSpec spec,
      StructType payloadTypes,
      ColumnVector[] constants,
      boolean offHeap,
      Counters counters) {
    this.groups = groups;
    this.spec = spec;
    this.counters = counters;
    int capacity = spec.options().batchRows();
    this.out = new OutputBatch(payloadTypes, constants, capacity, offHeap);
    this.estimate = new SurvivalEstimate(spec.filters().size());
    this.positions = new int[capacity];
  }

  @Override
  public ColumnarBatch next() throws IOException {
    while (true) {
      if (survivors == null && !nextWindow()) {
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
        }
        out.filled(n);
        counters.add(Counter.PAYLOAD_TIME, System.nanoTime() - start);
        if (last) {
          endWindow();
        }
        if (emit) {
          firstBatch = false;
          return out.emit();
        }
      } else {
        endWindow();
      }
    }
  }

  /** A full enough batch is not held back; the first one never is (LIMIT). */
  private boolean emitAtWindowEnd(int rows) {
    return firstBatch || rows >= out.capacity() / 2;
  }

  private void endWindow() {
    survivors = null;
    if (pending.isNone()) {
      group.release();
      group = null;
    }
  }

  /** Filters the next window that may have survivors; false at the end of the split. */
  private boolean nextWindow() throws IOException {
    RunningTask.checkNotKilled();
    if (group == null) {
      group = groups.next();
      if (group == null) {
        return false;
      }
      payload = null;
      pending = group.prune();
      counters.add(Counter.ROWS_PRUNED, group.rows() - pending.count());
    }
    Selection window = pending;
    if (firstWindow) {
      int end = (int) Math.min(group.rows(), (long) FIRST_WINDOW_BATCHES * out.capacity());
      int from = pending.nextSelected(0);
      if (from >= 0 && group.rows() - from > 2L * end) {
        window = pending.intersect(run(group.rows(), from, from + end));
      }
      firstWindow = false;
    }
    pending = pending.minus(window);
    survivors = filter(window);
    nextRow = 0;
    return true;
  }

  private static Selection run(int rows, int from, int to) {
    return Selection.ofRuns(rows, new int[] {from}, new int[] {to});
  }

  private Selection filter(Selection window) throws IOException {
    List<ScanFilter> filters = filtersToEvaluate();
    boolean eager = estimate.survival() >= spec.options().eagerFraction();
    fetchFor(filters, window, eager);
    Selection rows = window;
    for (int i = 0; i < filters.size() && !rows.isNone(); i++) {
      RunningTask.checkNotKilled();
      ScanFilter f = filters.get(i);
      long start = System.nanoTime();
      long fetching = counters.get(Counter.FETCH_TIME);
      Selection passed = f.filter(group, rows);
      fetching = counters.get(Counter.FETCH_TIME) - fetching;
      counters.add(Counter.FILTER_TIME, System.nanoTime() - start - fetching);
      estimate.observe(spec.filters().indexOf(f), rows.count(), passed.count());
      if (f instanceof ScanFilter.Optional) {
        counters.add(Counter.JOIN_ROWS_TESTED, rows.count());
        counters.add(Counter.JOIN_ROWS_DROPPED, rows.count() - passed.count());
      }
      rows = passed;
    }
    estimate.observeAll(window.count(), rows.count());
    counters.add(Counter.ROWS_FILTERED, window.count() - rows.count());
    if (rows.isNone()) {
      counters.add(Counter.ROW_GROUPS_SKIPPED, pending.isNone() && payload == null ? 1 : 0);
    } else {
      preparePayload(rows, eager);
    }
    return rows;
  }

  private List<ScanFilter> filtersToEvaluate() throws IOException {
    List<ScanFilter> filters = new ArrayList<>(spec.filters().size());
    for (ScanFilter f : spec.filters()) {
      if (!isUseless(f) && !f.allPass(group)) {
        filters.add(f);
      }
    }
    return filters;
  }

  /** Whether a filter that may be left out has let nearly all rows of this file pass. */
  private boolean isUseless(ScanFilter f) {
    return f instanceof ScanFilter.Optional
        && estimate.isKnown(spec.filters().indexOf(f))
        && estimate.of(spec.filters().indexOf(f)) > MOST_PASSING;
  }

  /** One fetch for the filter columns that most likely are needed; with the payload when eager. */
  private void fetchFor(List<ScanFilter> filters, Selection window, boolean eager)
      throws IOException {
    List<RowGroup.Need> needs = new ArrayList<>();
    double reaching = 1;
    for (int i = 0; i < filters.size() && (i == 0 || reaching >= FETCH_TOGETHER); i++) {
      needs.addAll(filters.get(i).needs(window));
      reaching *= estimate.of(spec.filters().indexOf(filters.get(i)));
    }
    if (eager) {
      for (int p = 0; p < spec.payload(); p++) {
        needs.add(new RowGroup.Need(p, window));
      }
    }
    group.fetch(needs);
  }

  private void preparePayload(Selection rows, boolean eager) throws IOException {
    List<RowGroup.Need> needs = new ArrayList<>(spec.payload());
    for (int p = 0; p < spec.payload(); p++) {
      needs.add(new RowGroup.Need(p, rows));
    }
    group.fetch(needs);
    if (payload == null) {
      counters.add(eager ? Counter.ROW_GROUPS_EAGER : Counter.ROW_GROUPS_LATE, 1);
      payload = new SelectiveColumn[spec.payload()];
    }
    for (int p = 0; p < payload.length; p++) {
      payload[p] = group.cursor(p, RowGroup.PAYLOAD, rows);
    }
  }

  @Override
  public void close() throws IOException {
    try {
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
