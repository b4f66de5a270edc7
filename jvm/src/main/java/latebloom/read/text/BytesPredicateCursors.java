// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import latebloom.read.text.BytesPredicate.Cursor;

/** The cursors of combined predicates of byte strings. */
final class BytesPredicateCursors {
  private BytesPredicateCursors() {}

  /** Passes strings that pass both: the second tests only those that pass the first. */
  record And(Cursor first, Cursor second) implements Cursor {
    @Override
    public boolean test(byte[] data, int offset, int length) {
      return first.test(data, offset, length) && second.test(data, offset, length);
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int left = first.filter(data, offsets, lengths, n, out);
      int k = 0;
      for (int i = 0; i < left; i++) {
        int row = out[i];
        if (second.test(data, offsets[row], lengths[row])) {
          out[k++] = row;
        }
      }
      return k;
    }
  }

  /** Passes strings that pass either. */
  record Or(Cursor first, Cursor second) implements Cursor {
    @Override
    public boolean test(byte[] data, int offset, int length) {
      return first.test(data, offset, length) || second.test(data, offset, length);
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (test(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }
  }

  /** Passes strings that do not pass the other. */
  static final class Not implements Cursor {
    private final Cursor negated;
    private int[] passed = {};

    Not(Cursor negated) {
      this.negated = negated;
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      return !negated.test(data, offset, length);
    }

    /**
     * Filters, then lists the gaps between passing strings, so that the leaf's own loop does the
     * work.
     */
    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      if (passed.length < n) {
        passed = new int[n];
      }
      int m = negated.filter(data, offsets, lengths, n, passed);
      int k = 0;
      int row = 0;
      for (int i = 0; i < m; i++) {
        while (row < passed[i]) {
          out[k++] = row++;
        }
        row++;
      }
      while (row < n) {
        out[k++] = row++;
      }
      return k;
    }
  }
}
