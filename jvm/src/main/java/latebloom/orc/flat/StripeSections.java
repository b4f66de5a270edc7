// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.orc.encoding.BooleanRunLength;
import latebloom.orc.stripe.Strides;
import latebloom.read.vector.ValidRows;
import org.apache.orc.OrcProto.Stream;
import org.apache.orc.impl.PositionProvider;

/**
 * Walks the sections of a column, front to back: the strides of the row index, or ranges of fixed
 * length without one. Knows which rows of the current section are null and the indexes of its
 * values.
 *
 * <pre>
 *   section     0           1           2           3
 *   rows        |-----------|-----------|-----------|---
 *   PRESENT     1101101...  1110111...  sought by the row index, or read on
 *   values      0 1  2 3 ...base        by index since they were last sought
 * </pre>
 *
 * Reads on into the next section without a seek, since it may begin inside a run, or inside a
 * compressed chunk that a seek would decompress twice.
 */
final class StripeSections {
  private static final int UNINDEXED_ROWS = 1 << 16;
  private static final int MOST_ROWS = 1 << 20;

  private final StripeColumn column;
  private final boolean indexed;
  private final Strides sections;
  private final boolean optional;

  private BooleanRunLength present;
  private OrcValues values;
  private int section = -1;
  private ValidRows valid;
  private int count;

  /** Index of the section's first value. */
  private int base;

  /** Position of the values until someone asks for one; null once they are found by index. */
  private PositionProvider unsought;

  StripeSections(StripeColumn column) {
    this.column = column;
    Strides strides = column.source.strides();
    this.indexed = strides.isIndexed() && strides.length() <= MOST_ROWS;
    this.sections = indexed ? strides : new Strides(strides.rows(), UNINDEXED_ROWS, false);
    this.optional = column.source.has(Stream.Kind.PRESENT);
  }

  /** Whether a row may be null. */
  boolean optional() {
    return optional;
  }

  int sectionOf(int row) {
    return sections.of(row);
  }

  int firstRow(int s) {
    return sections.firstRow(s);
  }

  int endRow(int s) {
    return sections.endRow(s);
  }

  /** Moves to a section. Sections ascend. */
  void open(int s) throws IOException {
    if (s == section) {
      return;
    }
    if (!indexed && !optional) {
      base = firstRow(s);
    } else if (indexed && (s != section + 1 || unsought != null)) {
      PositionProvider positions = column.source.positions(s);
      if (optional) {
        present().seek(positions);
      }
      unsought = positions;
      readPresent(s);
      base = 0;
    } else {
      for (int next = section + 1; next <= s; next++) {
        base += count;
        readPresent(next);
      }
    }
    section = s;
  }

  private BooleanRunLength present() throws IOException {
    if (present == null) {
      present = new BooleanRunLength(column.feed(Stream.Kind.PRESENT));
    }
    return present;
  }

  private void readPresent(int s) throws IOException {
    int rows = endRow(s) - firstRow(s);
    valid = null;
    count = rows;
    if (optional) {
      long[] words = new long[(rows + 63) >>> 6];
      present().read(rows, words);
      ValidRows some = new ValidRows(words);
      count = some.count();
      valid = count == rows ? null : some;
    }
  }

  /** The valid rows of the section; null if no row is null. */
  ValidRows valid() {
    return valid;
  }

  int base() {
    return base;
  }

  /** The decoder of the section's values. */
  OrcValues values() throws IOException {
    if (values == null) {
      values = OrcValues.of(column);
    }
    if (unsought != null) {
      values.positions().seek(unsought);
      unsought = null;
    }
    return values;
  }
}
