// SPDX-License-Identifier: Apache-2.0
package latebloom.read.survivors;

import java.io.Serializable;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.stream.LongStream;
import latebloom.read.selection.Selection;

/**
 * Which rows of a file may meet a condition: all of a row group that is not listed here, and of one
 * that is, those in its listed blocks of {@value #BLOCK} rows. No other row meets it. Immutable.
 */
public final class SurvivorBlocks implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Rows of a block. */
  public static final int BLOCK = 1024;

  /** Nothing is known: every row may meet the condition. */
  public static final SurvivorBlocks UNKNOWN =
      new SurvivorBlocks(new long[0], new int[0], new long[0][], new long[0]);

  // Of objects and arrays, about.
  private static final long HEADER = 16;
  private static final long OF_FILE = 4 * HEADER + 64;
  private static final long OF_GROUP = HEADER + 20;

  /** The listed row groups, by the number in the file of their first row, ascending. */
  private final long[] firstRows;

  /** How many rows each of them has. */
  private final int[] rows;

  /** The blocks of each that may hold a survivor, as bits. */
  private final long[][] blocks;

  /**
   * Ranges of the file, in bytes, whose row groups have no survivor: ascending, disjoint, flattened
   * to {@code from, to, from, to, …}. A row group belongs to the range that has its middle.
   */
  private final long[] empty;

  private SurvivorBlocks(long[] firstRows, int[] rows, long[][] blocks, long[] empty) {
    this.firstRows = firstRows;
    this.rows = rows;
    this.blocks = blocks;
    this.empty = empty;
  }

  /** Whether every row may meet the condition. */
  public boolean isUnknown() {
    return firstRows.length == 0 && empty.length == 0;
  }

  /** Whether no row of the split {@code [start, end)} of the file meets the condition. */
  public boolean isEmpty(long start, long end) {
    for (int i = 0; i < empty.length; i += 2) {
      if (empty[i] <= start && end <= empty[i + 1]) {
        return true;
      }
    }
    return false;
  }

  /**
   * The rows of a row group that may meet the condition.
   *
   * @param first number in the file of its first row
   * @param count how many rows it has
   */
  public Selection of(long first, int count) {
    int g = Arrays.binarySearch(firstRows, first);
    if (g < 0 || rows[g] != count) {
      return Selection.all(count);
    }
    Selection.Builder kept = new Selection.Builder(count);
    long[] bits = blocks[g];
    for (int w = 0; w < bits.length; w++) {
      for (long rest = bits[w]; rest != 0; rest &= rest - 1) {
        int from = ((w << 6) + Long.numberOfTrailingZeros(rest)) * BLOCK;
        kept.addRange(from, (int) Math.min(count, (long) from + BLOCK));
      }
    }
    return kept.build();
  }

  /**
   * The rows that may meet both conditions, of two that are known of the same file; or one, known
   * in two parts. {@link #UNKNOWN} if they cannot be of the same file.
   */
  public SurvivorBlocks and(SurvivorBlocks that) {
    Builder both = new Builder();
    both.add(this);
    both.add(that);
    return both.build();
  }

  /** About how many bytes of heap it takes. */
  public long bytes() {
    long bytes = OF_FILE + 8L * empty.length + OF_GROUP * firstRows.length;
    for (long[] bits : blocks) {
      bytes += 8L * bits.length;
    }
    return bytes;
  }

  @Override
  public String toString() {
    int kept = Arrays.stream(blocks).flatMapToLong(Arrays::stream).mapToInt(Long::bitCount).sum();
    return kept
        + " blocks of "
        + firstRows.length
        + " row groups, without "
        + Arrays.toString(empty);
  }

  /** Collects what is known of the row groups and splits of one file. */
  static final class Builder {
    private record Group(int rows, long[] blocks) {}

    private final TreeMap<Long, Group> groups = new TreeMap<>();
    private final TreeMap<Long, Long> empty = new TreeMap<>();
    private boolean contradicts;

    /** Adds the blocks of a row group that may hold survivors. */
    void add(long first, int rows, long[] blocks) {
      Group known = groups.get(first);
      if (known == null) {
        groups.put(first, new Group(rows, blocks));
      } else if (known.rows == rows) {
        long[] both = known.blocks.clone();
        for (int w = 0; w < both.length; w++) {
          both[w] &= blocks[w];
        }
        groups.put(first, new Group(rows, both));
      } else {
        contradicts = true;
      }
    }

    /** Adds a range of the file, in bytes, whose row groups have no survivor. */
    void addEmpty(long from, long to) {
      long start = from;
      long end = to;
      for (var e = empty.floorEntry(end); e != null && e.getValue() >= start; ) {
        start = Math.min(start, e.getKey());
        end = Math.max(end, e.getValue());
        empty.remove(e.getKey());
        e = empty.floorEntry(end);
      }
      empty.put(start, end);
    }

    private void add(SurvivorBlocks known) {
      for (int g = 0; g < known.firstRows.length; g++) {
        add(known.firstRows[g], known.rows[g], known.blocks[g]);
      }
      for (int i = 0; i < known.empty.length; i += 2) {
        addEmpty(known.empty[i], known.empty[i + 1]);
      }
    }

    SurvivorBlocks build() {
      if (contradicts || groups.isEmpty() && empty.isEmpty()) {
        return UNKNOWN;
      }
      return new SurvivorBlocks(
          groups.keySet().stream().mapToLong(Long::longValue).toArray(),
          groups.values().stream().mapToInt(Group::rows).toArray(),
          groups.values().stream().map(Group::blocks).toArray(long[][]::new),
          empty.entrySet().stream()
              .flatMapToLong(range -> LongStream.of(range.getKey(), range.getValue()))
              .toArray());
    }
  }
}
