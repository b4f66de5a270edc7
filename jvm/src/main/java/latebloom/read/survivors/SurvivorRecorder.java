// SPDX-License-Identifier: Apache-2.0
package latebloom.read.survivors;

import latebloom.read.selection.Selection;

/**
 * Records, while a split of a file is scanned, which blocks of rows have no survivor: those all of
 * whose rows the scan has seen fail its conditions, or ruled out by statistics. Rows that the scan
 * never came to, or left out for another reason, count as survivors. Not thread safe.
 */
public final class SurvivorRecorder {
  private final SurvivorBlocks.Builder found = new SurvivorBlocks.Builder();

  private long firstRow;

  /** The rows of the current row group that may survive; null without one. */
  private Selection left;

  private boolean anyLeft;

  /** Begins a row group, and ends the one before. */
  public void begin(long first, int rows) {
    end();
    firstRow = first;
    left = Selection.all(rows);
  }

  /** Begins a row group of which nothing can be recorded, and ends the one before. */
  public void beginUnknown() {
    end();
    anyLeft = true;
  }

  /** Records that no other rows of the current row group meet the conditions. */
  public void kept(Selection rows) {
    if (left != null) {
      left = left.intersect(rows);
    }
  }

  /** Records that these rows of the current row group do not meet the conditions. */
  public void dropped(Selection rows) {
    if (left != null && !rows.isNone()) {
      left = left.minus(rows);
    }
  }

  private void end() {
    if (left == null) {
      return;
    }
    int rows = left.rows();
    int blocks = (int) (((long) rows + SurvivorBlocks.BLOCK - 1) / SurvivorBlocks.BLOCK);
    long[] bits = new long[(blocks + 63) >>> 6];
    int kept = 0;
    for (int row = left.nextSelected(0); row >= 0; ) {
      int block = row / SurvivorBlocks.BLOCK;
      bits[block >>> 6] |= 1L << block;
      kept++;
      long next = (block + 1L) * SurvivorBlocks.BLOCK;
      row = next < rows ? left.nextSelected((int) next) : -1;
    }
    if (kept < blocks) {
      found.add(firstRow, rows, bits);
    }
    anyLeft |= kept > 0;
    left = null;
  }

  /**
   * What was found; to be called once, at the end.
   *
   * @param start of the split, in bytes
   * @param end of the split
   * @param finished whether the scan came to the end of the split
   */
  public SurvivorBlocks found(long start, long end, boolean finished) {
    end();
    if (finished && !anyLeft && start < end) {
      found.addEmpty(start, end);
    }
    return found.build();
  }
}
