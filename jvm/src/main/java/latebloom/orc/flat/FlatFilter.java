// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.read.predicate.CodeMask;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.predicate.VectorType;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.BlockCursor;
import latebloom.read.vector.ValidRows;

/**
 * Filters by a flat column. Tests an entry of a dictionary once, before it reads any row's code,
 * and a run of one value once.
 */
final class FlatFilter extends BlockCursor {
  /** Fewest neighbouring rows without nulls for which the loop without positions pays. */
  private static final int RUN = 64;

  private final StripeColumn column;
  private final VectorType vectorType;
  private final StripeSections sections;

  private final long[] one = new long[1];

  FlatFilter(StripeColumn column, VectorType vectorType, StripeSections sections) {
    super(column.blocks());
    this.column = column;
    this.vectorType = vectorType;
    this.sections = sections;
  }

  /** Knowledge about all values before one is read. */
  private enum Values {
    PASS,
    FAIL,
    OPEN
  }

  /** The rows of {@code wanted} that pass. */
  Selection filter(Selection wanted, PredicateCursor predicate) throws IOException {
    CodeMask mask =
        column.isCoded() ? CodeMask.of(column.dictionary(), predicate, wanted.count()) : null;
    Values known = known(predicate, mask);
    boolean nullsMatter = sections.optional();
    if (known == Values.FAIL && !(nullsMatter && predicate.nullPasses())) {
      return Selection.none(wanted.rows());
    }
    if (known == Values.PASS && !(nullsMatter && !predicate.nullPasses())) {
      return wanted;
    }
    return filter(wanted, predicate, known == Values.OPEN ? mask : null, known);
  }

  private static Values known(PredicateCursor predicate, CodeMask mask) {
    ColumnPredicate test = predicate.predicate();
    boolean none = mask != null && mask.nonePasses() || test.noValuePasses();
    boolean all = mask != null && mask.allPass() || test.allValuesPass();
    // An empty dictionary passes none and all: then there is no value either.
    return none ? Values.FAIL : all ? Values.PASS : Values.OPEN;
  }

  private Selection filter(Selection wanted, PredicateCursor predicate, CodeMask mask, Values known)
      throws IOException {
    Selection.Builder passed = new Selection.Builder(wanted.rows());
    int next = wanted.nextSelected(0);
    while (next >= 0) {
      int s = sections.sectionOf(next);
      sections.open(s);
      int end = sections.endRow(s);
      while (next >= 0 && next < end) {
        int runEnd = Math.min(end, wanted.nextUnselected(next));
        if (known == Values.OPEN && sections.valid() == null && runEnd - next >= RUN) {
          filterRun(sections.firstRow(s), next, runEnd, predicate, mask, passed);
          next = wanted.nextSelected(runEnd);
        } else {
          RunningTask.checkNotKilled();
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
      PredicateCursor predicate,
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
        RunningTask.checkNotKilled();
        int n = Math.min(BLOCK, to - row);
        if (mask != null) {
          read.codes().readRange(base + row, n, values);
          toCodes(n);
          mask.filterRun(codes, n, row, passed);
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

  /** Filters {@code rows[0, n)} of the current section. */
  private void filterBlock(
      int firstRow,
      int n,
      PredicateCursor predicate,
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
      Selection.Builder nulls = predicate.nullPasses() ? passed : null;
      valid = valids.part(rows, n, firstRow, base, candidates, indexes, nulls);
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
    addPassing(candidates, valid, m, passed);
  }

  /**
   * Writes to {@code passing} which of the values at {@code indexes[0, n)} pass; returns how many.
   * Their rows are {@code rowOf}, or consecutive from {@code firstRow} on.
   */
  private int test(OrcValues read, int n, PredicateCursor predicate, int[] rowOf, int firstRow) {
    KeptValues kept = column.keeps(vectorType) && column.kept().mayKeep(n) ? column.kept() : null;
    int m;
    if (vectorType == VectorType.BYTES) {
      read.strings().locate(indexes, n, offsets, lengths);
      byte[] data = read.strings().data();
      m = predicate.filterBytes(false, data, offsets, lengths, n, passing);
      if (kept != null) {
        kept.strings(rowOf, firstRow, passing, m, data, offsets, lengths);
      }
    } else {
      read.fixed().read(indexes, n, values);
      m = predicate.filter(vectorType, values, n, passing);
      if (kept != null) {
        kept.numbers(rowOf, firstRow, passing, m, values);
      }
    }
    return m;
  }

  /** As {@link #test}, by the mask over codes. */
  private int testCodes(OrcValues read, int n, CodeMask mask) {
    read.codes().read(indexes, n, values);
    toCodes(n);
    return mask.filter(codes, n, passing);
  }

  private boolean passes(long value, PredicateCursor predicate, CodeMask mask) {
    if (mask != null) {
      return mask.passes((int) value);
    }
    one[0] = value;
    return predicate.filter(vectorType, one, 1, passing) == 1;
  }

  private void toCodes(int n) {
    for (int i = 0; i < n; i++) {
      codes[i] = (int) values[i];
    }
  }
}
