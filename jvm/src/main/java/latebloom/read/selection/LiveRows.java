// SPDX-License-Identifier: Apache-2.0
package latebloom.read.selection;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * The rows of a file that a scan may read, by their numbers in the file: those that its table still
 * has, since table formats delete rows by a list beside the file, which stays as it is; or those
 * that a query is known to need.
 *
 * <p>Holds the listed numbers in ascending order, without repetitions: either those of the deleted
 * rows or those of the live ones. Numbers past the end of the file mean nothing. Immutable.
 */
public final class LiveRows {
  /** The file has only live rows. */
  public static final LiveRows ALL = new LiveRows(new long[0], false);

  private final long[] listed;

  /** Whether the listed rows are the live ones. */
  private final boolean live;

  private LiveRows(long[] listed, boolean live) {
    for (int i = 0; i < listed.length; i++) {
      if (listed[i] < 0 || i > 0 && listed[i] <= listed[i - 1]) {
        throw new IllegalArgumentException(
            "row " + listed[i] + " is at position " + i + " of a list that must ascend from 0");
      }
    }
    this.listed = listed;
    this.live = live;
  }

  /** All rows but the listed ones; takes over the array. */
  public static LiveRows without(long[] deleted) {
    return deleted.length == 0 ? ALL : new LiveRows(deleted, false);
  }

  /** The listed rows; takes over the array. */
  public static LiveRows only(long[] kept) {
    return new LiveRows(kept, true);
  }

  /** Whether no row of any file is deleted. */
  public boolean isAll() {
    return !live && listed.length == 0;
  }

  /** Whether the rows are listed one by one, rather than those that are left out. */
  public boolean isListed() {
    return live;
  }

  /** The rows that are among these and among others. */
  public LiveRows and(LiveRows other) {
    if (isAll() || other.isAll()) {
      return isAll() ? other : this;
    }
    if (!live && !other.live) {
      return without(
          LongStream.concat(Arrays.stream(listed), Arrays.stream(other.listed))
              .sorted()
              .distinct()
              .toArray());
    }
    LiveRows kept = live ? this : other;
    LiveRows by = live ? other : this;
    return only(Arrays.stream(kept.listed).filter(by::contains).toArray());
  }

  private boolean contains(long row) {
    return Arrays.binarySearch(listed, row) >= 0 == live;
  }

  /** Bytes of heap. */
  public long bytes() {
    return 8L * listed.length;
  }

  /**
   * The live rows of a row group.
   *
   * @param first number in the file of its first row
   * @param rows how many rows it has
   */
  public Selection of(long first, int rows) {
    if (first < 0) {
      throw new IllegalArgumentException("a row group cannot begin at row " + first);
    }
    int from = position(first);
    int to = position(first + rows);
    if (from == to) {
      return live ? Selection.none(rows) : Selection.all(rows);
    }
    Selection.Builder selected = new Selection.Builder(rows);
    int next = 0;
    for (int i = from; i < to; i++) {
      int row = (int) (listed[i] - first);
      if (live) {
        selected.add(row);
      } else {
        selected.addRange(next, row);
        next = row + 1;
      }
    }
    if (!live) {
      selected.addRange(next, rows);
    }
    return selected.build();
  }

  /** Where the first listed row at or after {@code row} stands. */
  private int position(long row) {
    int found = Arrays.binarySearch(listed, row);
    return found < 0 ? -found - 1 : found;
  }
}
