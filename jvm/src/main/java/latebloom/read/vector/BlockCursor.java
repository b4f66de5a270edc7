// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import latebloom.read.selection.Selection;

/** Reads a flat column block by block, in arrays that all such cursors share. */
public abstract class BlockCursor {
  /** Most rows of a block. */
  protected static final int BLOCK = BlockArrays.BLOCK;

  protected final int[] rows;
  protected final int[] indexes;
  protected final int[] validRows;
  protected final int[] passing;
  protected final int[] codes;
  protected final long[] values;
  protected final int[] offsets;
  protected final int[] lengths;

  protected BlockCursor(BlockArrays blocks) {
    this.rows = blocks.rows;
    this.indexes = blocks.indexes;
    this.validRows = blocks.validRows;
    this.passing = blocks.passing;
    this.codes = blocks.codes;
    this.values = blocks.values;
    this.offsets = blocks.offsets;
    this.lengths = blocks.lengths;
  }

  /** Writes {@code n} consecutive numbers, beginning with {@code first}. */
  protected static void ascend(int[] to, int first, int n) {
    for (int i = 0; i < n; i++) {
      to[i] = first + i;
    }
  }

  /**
   * Adds the rows of {@code tested[0, n)} at indexes {@code passing[0, m)}; overwrites the latter.
   */
  protected final void addPassing(int[] tested, int n, int m, Selection.Builder passed) {
    if (m == n && tested[n - 1] - tested[0] == n - 1) {
      passed.addRange(tested[0], tested[n - 1] + 1);
    } else {
      for (int i = 0; i < m; i++) {
        passing[i] = tested[passing[i]];
      }
      passed.add(passing, m);
    }
  }
}
