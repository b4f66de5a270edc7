// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.read.predicate.VectorType;
import latebloom.read.task.Counter;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.BlockCursor;
import latebloom.read.vector.OutputColumn;
import latebloom.read.vector.ValidRows;
import latebloom.read.vector.ValueSink;

/** Selects values of a flat column; reuses the values that a filter kept. */
final class FlatSelect extends BlockCursor {
  private final StripeColumn column;
  private final VectorType vectorType;
  private final StripeSections sections;
  private final ValueSink sink;

  private int[] places = new int[0];

  FlatSelect(StripeColumn column, VectorType vectorType, StripeSections sections) {
    super(column.blocks());
    this.column = column;
    this.vectorType = vectorType;
    this.sections = sections;
    this.sink = new ValueSink(vectorType, column.blocks());
  }

  /** Writes the values of {@code wanted[0, n)} to {@code out}. */
  void select(int[] wanted, int n, OutputColumn out) throws IOException {
    sink.begin(out, n);
    if (n == 0 || selectKept(wanted, n)) {
      return;
    }
    int i = 0;
    while (i < n) {
      RunningTask.checkNotKilled();
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
    column.counters().add(Counter.VALUES_DECODED, n);
  }

  /** Selects the values that a filter kept; false unless it kept all of these rows. */
  private boolean selectKept(int[] wanted, int n) {
    if (!column.keeps(vectorType) || column.isCoded()) {
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
      if (vectorType == VectorType.BYTES) {
        kept.locate(places, i, k, offsets, lengths);
        sink.strings(kept.data(), offsets, lengths, k, rows, k, null);
      } else {
        kept.numbersAt(places, i, k, values);
        sink.values(values, k, rows, k, null);
      }
    }
    return true;
  }

  /** Passes the values of {@code rows[0, n)}, rows of the current section, to the sink. */
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
    // A stride of nulls may have no position for values.
    OrcValues read = valid > 0 ? sections.values() : null;
    if (column.isCoded()) {
      if (valid > 0) {
        read.codes().read(indexes, valid, values);
        for (int i = 0; i < valid; i++) {
          codes[i] = (int) values[i];
        }
      }
      sink.stringCodes(column.dictionary(), codes, valid, rows, n, nulls);
    } else if (vectorType == VectorType.BYTES) {
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
