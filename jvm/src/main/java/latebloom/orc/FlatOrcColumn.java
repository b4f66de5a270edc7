// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import latebloom.read.CodeMask;
import latebloom.read.ColumnPredicate;
import latebloom.read.Counter;
import latebloom.read.Held;
import latebloom.read.Keys;
import latebloom.read.OutputColumn;
import latebloom.read.RunningTask;
import latebloom.read.Selection;
import latebloom.read.SelectiveColumn;
import latebloom.read.ValidRows;
import latebloom.read.ValueSink;

/**
 * A flat column of one stripe that we decode ourselves. Strides without wanted rows are sought past,
 * values of other rows are passed over where the encoding allows. A predicate is evaluated once for
 * each entry of the dictionary, before any row's code is read, and once for a run of one value.
 */
final class FlatOrcColumn implements SelectiveColumn {
  private static final int BLOCK = ValueSink.BLOCK;

  /** Neighbouring rows without nulls that are worth a loop without positions. */
  private static final int RUN = 64;

  private final StripeColumn column;
  private final Held held;
  private final StripeSections sections;

  private final int[] rows = new int[BLOCK];
  private final int[] indexes = new int[BLOCK];
  private final int[] validRows = new int[BLOCK];
  private final int[] passing = new int[BLOCK];
  private final int[] codes = new int[BLOCK];
  private final int[] offsets = new int[BLOCK];
  private final int[] lengths = new int[BLOCK];
  private final long[] values = new long[BLOCK];
  private final long[] one = new long[1];

  private ValueSink sink;
  private int[] places = new int[0];

  FlatOrcColumn(StripeColumn column, Held held) {
    this.column = column;
    this.held = held;
    this.sections = new StripeSections(column);
  }

  // ---- filter

  /** What is known of all values before one is read. */
  private enum Values {
    PASS,
    FAIL,
    OPEN
  }

  @Override
  public Selection filter(Selection wanted, ColumnPredicate predicate) throws IOException {
    try {
      CodeMask mask = coded() ? CodeMask.of(column.dictionary(), predicate, wanted.count()) : null;
      Values known = known(predicate, mask);
      boolean nullsMatter = sections.optional();
      if (known == Values.FAIL && !(nullsMatter && predicate.nullPasses())) {
        column.counters().add(Counter.VALUES_SKIPPED, wanted.count());
        return Selection.none(wanted.rows());
      }
      if (known == Values.PASS && !(nullsMatter && !predicate.nullPasses())) {
        column.counters().add(Counter.VALUES_SKIPPED, wanted.count());
        return wanted;
      }
      return filter(wanted, predicate, known == Values.OPEN ? mask : null, known);
    } catch (CorruptStreamException | IndexOutOfBoundsException e) {
      throw column.corrupt(e);
    }
  }

  private boolean coded() {
    return OrcColumns.isDictionary(column.encoding().getKind());
  }

  private static Values known(ColumnPredicate predicate, CodeMask mask) {
    boolean none = mask != null && mask.nonePasses();
    boolean all = mask != null && mask.allPass();
    if (predicate instanceof ColumnPredicate.Longs longs) {
      none |= longs.ranges().isNone();
      all |= longs.ranges().isAll();
    } else if (predicate instanceof ColumnPredicate.Bytes bytes) {
      none |= bytes.test().isNone();
      all |= bytes.test().isAll();
    }
    // Of no entries at all, none passes and all do: then there is no value either.
    return none ? Values.FAIL : all ? Values.PASS : Values.OPEN;
  }

  private Selection filter(
      Selection wanted, ColumnPredicate predicate, CodeMask mask, Values known)
      throws IOException {
    Selection.Builder passed = new Selection.Builder(wanted.rows());
    int next = wanted.nextSelected(0);
    while (next >= 0) {
      RunningTask.checkNotKilled();
      int s = sections.sectionOf(next);
      sections.open(s);
      int end = sections.endRow(s);
      while (next >= 0 && next < end) {
        int runEnd = Math.min(end, wanted.nextUnselected(next));
        if (known == Values.OPEN && sections.valid() == null && runEnd - next >= RUN) {
          filterRun(sections.firstRow(s), next, runEnd, predicate, mask, passed);
          next = wanted.nextSelected(runEnd);
        } else {
          int n = wanted.positions(next, end, BLOCK, rows);
          filterBlock(sections.firstRow(s), n, predicate, mask, known, passed);
          next = wanted.nextSelected(rows[n - 1] + 1);
        }
      }
    }
    return passed.build();
  }

  /** Filters the neighbouring rows {@code [from, to)} of a section without nulls. */
  private void filterRun(
      int firstRow,
      int from,
      int to,
      ColumnPredicate predicate,
      CodeMask mask,
      Selection.Builder passed)
      throws IOException {
    OrcValues read = sections.values();
    int base = sections.base() - firstRow;
    int row = from;
    while (row < to) {
      int repeated = read.runs() == null ? 0 : read.runs().repeatedUntil(base + row) - base - row;
      if (repeated > 0) {
        int end = Math.min(to, row + repeated);
        if (passes(read.runs().repeated(), predicate, mask)) {
          passed.addRange(row, end);
        }
        row = end;
      } else {
        int n = Math.min(BLOCK, to - row);
        if (mask != null) {
          filterCodes(read, base, row, n, mask, passed);
        } else {
          ascend(indexes, base + row, n);
          int m = test(read, n, predicate, null, row);
          if (m == n) {
            passed.addRange(row, row + n);
          } else {
            for (int i = 0; i < m; i++) {
              passing[i] += row;
            }
            passed.add(passing, m);
          }
        }
        row += n;
      }
    }
    column.counters().add(Counter.VALUES_DECODED, to - from);
  }

  private void filterCodes(
      OrcValues read, int base, int row, int n, CodeMask mask, Selection.Builder passed) {
    read.codes().readRange(base + row, n, values);
    toCodes(n);
    byte[] bytes = mask.of(codes, n);
    for (int i = 0; i < n; i += Long.SIZE) {
      passed.addBits(row + i, passingBits(bytes, codes, i, Math.min(n, i + Long.SIZE)));
    }
  }

  // No branch and no store a value: what a loop over positions would wait for.
  private static long passingBits(byte[] mask, int[] codes, int from, int to) {
    long bits = 0;
    for (int i = from; i < to; i++) {
      bits |= (long) mask[codes[i]] << i;
    }
    return bits;
  }

  /** Filters {@code rows[0, n)} of the current section. */
  private void filterBlock(
      int firstRow,
      int n,
      ColumnPredicate predicate,
      CodeMask mask,
      Values known,
      Selection.Builder passed)
      throws IOException {
    int[] candidates = rows;
    int valid = n;
    int base = sections.base();
    ValidRows valids = sections.valid();
    if (valids != null) {
      candidates = validRows;
      valid = 0;
      for (int i = 0; i < n; i++) {
        int row = rows[i] - firstRow;
        if (!valids.isNull(row)) {
          candidates[valid] = rows[i];
          indexes[valid++] = base + valids.valueIndex(row);
        } else if (predicate.nullPasses()) {
          passed.add(rows[i]);
        }
      }
    } else {
      for (int i = 0; i < n; i++) {
        indexes[i] = base + rows[i] - firstRow;
      }
    }
    if (valid == 0 || known == Values.FAIL) {
      return;
    }
    if (known == Values.PASS) {
      passed.add(candidates, valid);
      return;
    }
    OrcValues read = sections.values();
    int m =
        mask == null ? test(read, valid, predicate, candidates, 0) : testCodes(read, valid, mask);
    column.counters().add(Counter.VALUES_DECODED, valid);
    for (int i = 0; i < m; i++) {
      passing[i] = candidates[passing[i]];
    }
    passed.add(passing, m);
  }

  /**
   * Which of the values at {@code indexes[0, n)} pass, into {@code passing}. Their rows are
   * {@code rowOf}, or those from {@code firstRow} on.
   */
  private int test(
      OrcValues read, int n, ColumnPredicate predicate, int[] rowOf, int firstRow) {
    KeptValues kept = keeps() && column.kept().mayKeep(n) ? column.kept() : null;
    int m;
    if (held == Held.BYTES) {
      read.strings().locate(indexes, n, offsets, lengths);
      byte[] data = read.strings().data();
      m = Keys.filterBytes(false, data, offsets, lengths, n, predicate, passing);
      if (kept != null) {
        kept.strings(rowOf, firstRow, passing, m, data, offsets, lengths);
      }
    } else {
      read.fixed().read(indexes, n, values);
      m = Keys.filter(held, values, n, predicate, passing);
      if (kept != null) {
        kept.numbers(rowOf, firstRow, passing, m, values);
      }
    }
    return m;
  }

  /** Of floats and doubles a filter leaves only what they are compared by. */
  private boolean keeps() {
    return column.isPayload() && held != Held.FLOAT && held != Held.DOUBLE;
  }

  /** As {@link #test}, by the mask over codes. */
  private int testCodes(OrcValues read, int n, CodeMask mask) {
    readCodes(read, n);
    byte[] bytes = mask.of(codes, n);
    int m = 0;
    for (int i = 0; i < n; i++) {
      passing[m] = i;
      m += bytes[codes[i]];
    }
    return m;
  }

  private boolean passes(long value, ColumnPredicate predicate, CodeMask mask) {
    if (mask != null) {
      return mask.passes((int) value);
    }
    one[0] = value;
    return Keys.filter(held, one, 1, predicate, passing) == 1;
  }

  private void readCodes(OrcValues read, int n) {
    read.codes().read(indexes, n, values);
    toCodes(n);
  }

  private void toCodes(int n) {
    for (int i = 0; i < n; i++) {
      codes[i] = (int) values[i];
    }
  }

  private static void ascend(int[] to, int first, int n) {
    for (int i = 0; i < n; i++) {
      to[i] = first + i;
    }
  }

  // ---- select

  @Override
  public void select(int[] wanted, int n, OutputColumn out) throws IOException {
    if (sink == null) {
      sink = new ValueSink(held);
    }
    sink.begin(out, n);
    if (n > 0 && selectKept(wanted, n)) {
      return;
    }
    try {
      int i = 0;
      while (i < n) {
        int s = sections.sectionOf(wanted[i]);
        sections.open(s);
        int first = sections.firstRow(s);
        int end = sections.endRow(s);
        int k = 0;
        while (k < BLOCK && i + k < n && wanted[i + k] < end) {
          rows[k] = wanted[i + k] - first;
          k++;
        }
        selectBlock(k);
        i += k;
      }
    } catch (CorruptStreamException | IndexOutOfBoundsException e) {
      throw column.corrupt(e);
    }
    column.counters().add(Counter.VALUES_DECODED, n);
  }

  /** Selects what a filter kept of all these rows; false if it did not. */
  private boolean selectKept(int[] wanted, int n) {
    if (!keeps() || coded()) {
      return false;
    }
    if (places.length < n) {
      places = new int[n];
    }
    KeptValues kept = column.kept();
    if (!kept.find(wanted, n, places)) {
      return false;
    }
    for (int i = 0; i < n; i += BLOCK) {
      int k = Math.min(BLOCK, n - i);
      if (held == Held.BYTES) {
        kept.locate(places, i, k, offsets, lengths);
        sink.strings(kept.data(), offsets, lengths, k, rows, k, null);
      } else {
        kept.numbersAt(places, i, k, values);
        sink.values(values, k, rows, k, null);
      }
    }
    return true;
  }

  /** Hands the values of {@code rows[0, n)}, rows of the current section, to the sink. */
  private void selectBlock(int n) throws IOException {
    ValidRows nulls = sections.valid();
    int base = sections.base();
    int valid = n;
    if (nulls != null) {
      valid = nulls.valueIndexes(rows, n, indexes);
      for (int i = 0; i < valid; i++) {
        indexes[i] += base;
      }
    } else {
      for (int i = 0; i < n; i++) {
        indexes[i] = base + rows[i];
      }
    }
    // A stride of nulls may have no values to seek to.
    OrcValues read = valid > 0 ? sections.values() : null;
    if (coded()) {
      if (valid > 0) {
        readCodes(read, valid);
      }
      sink.stringCodes(column.dictionary(), codes, valid, rows, n, nulls);
    } else if (held == Held.BYTES) {
      if (valid > 0) {
        read.strings().locate(indexes, valid, offsets, lengths);
      }
      byte[] data = valid > 0 ? read.strings().data() : null;
      sink.strings(data, offsets, lengths, valid, rows, n, nulls);
    } else {
      if (valid > 0) {
        read.fixed().read(indexes, valid, values);
      }
      sink.values(values, valid, rows, n, nulls);
    }
  }
}
