// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import latebloom.read.selection.Selection;
import latebloom.read.survivors.SurvivorRecorder;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.RunningTask;

/**
 * Evaluates the filters of a scan on the windows of one file, in the order that has been cheapest
 * so far. A filter sees only the rows that the filters before it kept. Not thread safe.
 */
final class FilterCascade {
  /**
   * The next filter column is fetched together with the first when at least this share of the rows
   * is expected to reach it: nearly every page would be fetched then, and one request is cheaper.
   */
  private static final double FETCH_TOGETHER = 0.01;

  private final ScanSpec spec;
  private final Counters counters;
  private final LearnedFilters learned;
  private final List<ScanFilter> scanFilters;
  private final SurvivalEstimate estimate;

  /** One cursor per filter, once the filter has been evaluated. */
  private final ScanFilter.Cursor[] cursors;

  /** Records which rows the filters drop; null if nobody asks. */
  private SurvivorRecorder recorder;

  FilterCascade(ScanSpec spec, Counters counters) {
    this.spec = spec;
    this.counters = counters;
    this.learned = LearnedFilters.of(spec);
    this.scanFilters = spec.filters().ordered();
    this.estimate = new SurvivalEstimate(scanFilters.size(), learned);
    this.cursors = new ScanFilter.Cursor[scanFilters.size()];
  }

  /** Records from now on which rows of the current row group each filter drops. */
  void record(SurvivorRecorder into) {
    recorder = into;
  }

  /** Expected share of the rows that pass all filters. */
  double survival() {
    return estimate.survival();
  }

  /** Whether the scan will prune the next row group by its indexes. */
  boolean prunes() {
    return learned.pruningPays();
  }

  /** The rows of a group that statistics leave, where reading those has paid before. */
  Selection prune(RowGroup group) throws IOException {
    if (scanFilters.stream().anyMatch(FilterCascade::hasNoKey)) {
      return Selection.none(group.rows());
    }
    boolean pays = prunes();
    Selection rows = pays ? group.prune() : Selection.all(group.rows());
    learned.observePruning(!rows.isAll());
    return rows;
  }

  /** Whether statistics prove that each row of a group passes all filters that the answer needs. */
  boolean allPass(RowGroup group) throws IOException {
    for (ScanFilter f : scanFilters) {
      if (isKnown(f) && !f.allPass(group)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the filters that a row of a group may fail read no column but one. */
  boolean readsOnly(int column, RowGroup group) throws IOException {
    for (ScanFilter f : scanFilters) {
      boolean[] others = {false};
      f.forEachColumn(c -> others[0] |= c != column);
      if (others[0] && !(isKnown(f) && f.allPass(group))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the payload bytes that filtering would save are expected to be worth less than a
   * request.
   *
   * @param rest the rows that statistics leave
   */
  boolean payloadSavesNothing(RowGroup group, Selection rest) throws IOException {
    double spread = learned.spread();
    double unwanted = Double.isNaN(spread) ? 1 : 1 - spread;
    long worth = group.roundTripBytes();
    long bytes = 0;
    // The first columns of a wide table decide.
    for (int p = 0; p < spec.payload() && bytes * unwanted <= worth; p++) {
      bytes += group.bytes(p, rest);
    }
    return bytes > 0 && bytes * unwanted <= worth;
  }

  /** Whether the next window measures all filters, see {@link #filter}; the caller asks once. */
  boolean takeSample() {
    return (spec.filters().anyOrder() > 1 || hasUseless()) && learned.takeSample();
  }

  /**
   * The rows of a window that pass all filters.
   *
   * @param evaluated the result of {@link #fetch}
   * @param sample whether to measure the filters; the window should then be short
   */
  Selection filter(RowGroup group, int[] evaluated, Selection window, boolean sample)
      throws IOException {
    int[] filters = evaluated;
    int free = 0;
    while (free < filters.length && filters[free] < spec.filters().anyOrder()) {
      free++;
    }
    Selection rows = window;
    if (sample) {
      rows = sample(group, Arrays.copyOf(filters, free), window);
      filters = Arrays.copyOfRange(filters, free, filters.length);
    }
    for (int i = 0; i < filters.length && !rows.isNone(); i++) {
      Selection passed = evaluate(group, filters[i], rows);
      estimate.observe(filters[i], rows.count(), passed.count());
      dropped(filters[i], rows, passed);
      rows = passed;
    }
    estimate.observeAll(window.count(), rows.count());
    learned.observeSpread(window, rows);
    counters.add(Counter.ROWS_FILTERED, window.count() - rows.count());
    return rows;
  }

  private void dropped(int filter, Selection before, Selection after) {
    if (recorder != null) {
      recorder.dropped(filter, before.minus(after));
    }
  }

  private Selection evaluate(RowGroup group, int filter, Selection rows) throws IOException {
    RunningTask.checkNotKilled();
    ScanFilter f = scanFilters.get(filter);
    long before = counters.get(Counter.FETCH_TIME) - System.nanoTime();
    if (cursors[filter] == null) {
      cursors[filter] = f.cursor();
    }
    Selection passed = cursors[filter].filter(group, rows);
    long nanos = before - counters.get(Counter.FETCH_TIME) + System.nanoTime();
    counters.add(Counter.FILTER_TIME, nanos);
    counters.filtered(filter, rows.count(), passed.count(), nanos);
    if (f instanceof ScanFilter.OptionalFilter o) {
      boolean bound = o.isBound();
      counters.add(bound ? Counter.BOUND_ROWS_TESTED : Counter.JOIN_ROWS_TESTED, rows.count());
      counters.add(
          bound ? Counter.BOUND_ROWS_DROPPED : Counter.JOIN_ROWS_DROPPED,
          rows.count() - passed.count());
    }
    return passed;
  }

  /** Filters a window by each of some filters, none of which may fail, and measures them. */
  private Selection sample(RowGroup group, int[] filters, Selection window) throws IOException {
    int[] measured = filters.clone();
    Arrays.sort(measured);
    FilterSample sample = new FilterSample(window, measured);
    Selection left = window;
    for (boolean costly : new boolean[] {false, true}) {
      Selection in = left;
      for (int i = 0; i < measured.length; i++) {
        if (scanFilters.get(measured[i]).runsCompiledCode() == costly && !in.isNone()) {
          long spent = counters.get(Counter.FILTER_TIME);
          Selection out = evaluate(group, measured[i], in);
          estimate.observe(measured[i], in.count(), out.count());
          sample.measured(i, in, out, counters.get(Counter.FILTER_TIME) - spent);
          Selection kept = left.intersect(out);
          dropped(measured[i], left, kept);
          left = kept;
        }
      }
    }
    counters.add(Counter.FILTER_SAMPLES, 1);
    counters.add(Counter.FILTER_REORDERS, learned.learn(sample) ? 1 : 0);
    return left;
  }

  /** Whether the other side of a join has turned out to be empty. */
  private static boolean hasNoKey(ScanFilter filter) {
    return filter instanceof ScanFilter.OptionalFilter o
        && o.keys().isKnown()
        && o.keys().predicate().noValuePasses()
        && !o.keys().predicate().nullPasses();
  }

  /** Whether the filter can be evaluated: a join filter only once its keys are known. */
  private static boolean isKnown(ScanFilter filter) {
    return !(filter instanceof ScanFilter.OptionalFilter o) || o.keys().isKnown();
  }

  private int[] filtersToEvaluate(RowGroup group, boolean sample) throws IOException {
    int[] filters = new int[scanFilters.size()];
    int n = 0;
    for (int i : learned.order()) {
      boolean join = scanFilters.get(i) instanceof ScanFilter.OptionalFilter o && !o.isBound();
      if (!isKnown(scanFilters.get(i))) {
        counters.add(Counter.JOIN_KEYS_LATE, join ? 1 : 0);
      } else if (!sample && isUseless(i)) {
        counters.add(Counter.JOIN_FILTERS_OFF, join ? 1 : 0);
      } else if (!scanFilters.get(i).allPass(group)) {
        filters[n++] = i;
      }
    }
    return Arrays.copyOf(filters, n);
  }

  private boolean hasUseless() {
    for (int i = 0; i < scanFilters.size(); i++) {
      if (isUseless(i)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a filter that the answer does not need has passed nearly all rows. */
  private boolean isUseless(int filter) {
    return scanFilters.get(filter) instanceof ScanFilter.OptionalFilter
        && estimate.isKnown(filter)
        && estimate.of(filter) > ScanFilter.OptionalFilter.MOST_PASSING;
  }

  /**
   * Fetches, at once, the filter columns that a window most likely needs.
   *
   * @param rest the window and all rows after it
   * @param sample whether the filters will be measured
   * @param payload the payload columns to fetch with them
   * @return the filters to evaluate
   */
  int[] fetch(
      RowGroup group, Selection window, Selection rest, boolean sample, List<RowGroup.Need> payload)
      throws IOException {
    int[] filters = filtersToEvaluate(group, sample);
    List<RowGroup.Need> needs = new ArrayList<>();
    double reaching = 1;
    for (int i = 0; i < filters.length && (i == 0 || reaching >= FETCH_TOGETHER); i++) {
      needs.addAll(scanFilters.get(filters[i]).needs(window));
      reaching *= sample ? 1 : estimate.of(filters[i]);
    }
    if (window != rest && bytes(group, needs) <= group.roundTripBytes()) {
      needs.replaceAll(need -> new RowGroup.Need(need.column(), rest, true));
    }
    needs.addAll(payload);
    group.fetch(needs);
    return filters;
  }

  /** The columns that {@link #fetch} will request of a row group that is not opened yet. */
  List<Integer> firstColumns(RowGroup next) throws IOException {
    List<Integer> columns = new ArrayList<>();
    double reaching = 1;
    for (int i : learned.order()) {
      ScanFilter f = scanFilters.get(i);
      if (!columns.isEmpty() && reaching < FETCH_TOGETHER) {
        break;
      }
      if (isKnown(f) && !isUseless(i) && !f.allPass(next)) {
        f.forEachColumn(columns::add);
        reaching *= estimate.of(i);
      }
    }
    return columns;
  }

  private static long bytes(RowGroup group, List<RowGroup.Need> needs) throws IOException {
    long bytes = 0;
    for (RowGroup.Need need : needs) {
      bytes += group.bytes(need.column());
    }
    return bytes;
  }
}
