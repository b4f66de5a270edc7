// SPDX-License-Identifier: Apache-2.0
package latebloom.read.survivors;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import latebloom.read.selection.Selection;

/**
 * Records, while a split of a file is scanned, which blocks of rows have no survivor: those all of
 * whose rows the scan has seen fail its filters, or ruled out by statistics. Rows that the scan
 * never came to, or left out for another reason, count as survivors.
 *
 * <p>It does so for several sets of the scan's filters at once. A block has no survivor of a set if
 * each of its rows was dropped by a filter of that set: those of the set alone would have dropped
 * them, too. Not thread safe.
 */
public final class SurvivorRecorder {
  /** All filters, and whatever else the scan's condition has ruled out. */
  public static final long ALL = -1L;

  /** The filters that a set can tell apart; the others are only in {@link #ALL}. */
  private static final int MOST_FILTERS = 63;

  private final long[] sets;

  /** What was found, for each set. */
  private final SurvivorBlocks.Builder[] found;

  /** Whether a row of any row group was left by all filters. */
  private boolean anyLeft;

  private long firstRow;

  /** The rows of the current row group that may survive; null without one. */
  private Selection left;

  /** The filters that dropped rows, for each block of the current row group. */
  private long[] droppedBy;

  /**
   * @param sets each made of {@link #setOf filters}, or {@link #ALL}
   */
  public SurvivorRecorder(long... sets) {
    this.sets = sets;
    this.found =
        Stream.generate(SurvivorBlocks.Builder::new)
            .limit(sets.length)
            .toArray(SurvivorBlocks.Builder[]::new);
  }

  /** The set of one filter, to be combined with others by OR; 0 if it cannot be told apart. */
  public static long setOf(int filter) {
    return filter < MOST_FILTERS ? 1L << filter : 0;
  }

  /** Begins a row group, and ends the one before. */
  public void begin(long first, int rows) {
    end();
    firstRow = first;
    left = Selection.all(rows);
    droppedBy = new long[blocks(rows)];
  }

  /** Begins a row group of which nothing can be recorded, and ends the one before. */
  public void beginUnknown() {
    end();
    anyLeft = true;
  }

  /** Records that no other rows of the current row group meet the condition of the scan. */
  public void kept(Selection rows) {
    if (left != null) {
      drop(left.minus(rows), ALL);
    }
  }

  /** Records that a filter dropped these rows of the current row group. */
  public void dropped(int filter, Selection rows) {
    if (left != null) {
      long by = setOf(filter);
      drop(rows, by == 0 ? ALL : by);
    }
  }

  private void drop(Selection rows, long by) {
    if (!rows.isNone()) {
      left = left.minus(rows);
      forEachBlock(rows, block -> droppedBy[block] |= by);
    }
  }

  private void end() {
    if (left == null) {
      return;
    }
    int blocks = droppedBy.length;
    long[] withRows = new long[(blocks + 63) >>> 6];
    forEachBlock(left, block -> withRows[block >>> 6] |= 1L << block);
    anyLeft |= !left.isNone();
    for (int s = 0; s < sets.length; s++) {
      long[] bits = withRows.clone();
      for (int block = 0; block < blocks; block++) {
        if ((droppedBy[block] & ~sets[s]) != 0) {
          bits[block >>> 6] |= 1L << block;
        }
      }
      if (Arrays.stream(bits).mapToInt(Long::bitCount).sum() < blocks) {
        found[s].add(firstRow, left.rows(), bits);
      }
    }
    left = null;
  }

  private static int blocks(int rows) {
    return (int) (((long) rows + SurvivorBlocks.BLOCK - 1) / SurvivorBlocks.BLOCK);
  }

  /** Passes each block that has one of the rows. */
  private static void forEachBlock(Selection rows, IntConsumer blocks) {
    for (int row = rows.nextSelected(0); row >= 0; ) {
      int block = row / SurvivorBlocks.BLOCK;
      blocks.accept(block);
      long next = (block + 1L) * SurvivorBlocks.BLOCK;
      row = next < rows.rows() ? rows.nextSelected((int) next) : -1;
    }
  }

  /**
   * What was found for each set, in their order; to be called once, at the end. Of a row group that
   * was ruled out before it began, it is not known by which filter.
   *
   * @param start of the split, in bytes
   * @param end of the split
   * @param finished whether the scan came to the end of the split
   */
  public SurvivorBlocks[] found(long start, long end, boolean finished) {
    end();
    SurvivorBlocks[] all = new SurvivorBlocks[sets.length];
    for (int s = 0; s < sets.length; s++) {
      if (sets[s] == ALL && finished && !anyLeft && start < end) {
        found[s].addEmpty(start, end);
      }
      all[s] = found[s].build();
    }
    return all;
  }
}
