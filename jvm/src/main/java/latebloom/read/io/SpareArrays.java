// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Large arrays that nobody uses, for whoever needs one next. What a scan fetches lives as long as a
 * row group is worked on; without these the collector would have a region or several to clear for
 * each column chunk, and the machine memory to set to zero.
 *
 * <p>Up to an eighth of the heap is kept, and 128 MiB a core, as long as the collector finds memory
 * elsewhere: none of it is missing to anybody. Thread safe.
 */
public final class SpareArrays {
  /** Those of this process. */
  public static final SpareArrays SHARED =
      new SpareArrays(
          Math.min(
              Runtime.getRuntime().maxMemory() / 8,
              (128L << 20) * Runtime.getRuntime().availableProcessors()));

  /** Smaller ones are left to the collector. */
  public static final int LEAST = 256 << 10;

  /** An array serves for what is at least this part of it. */
  private static final int PART = 4;

  private final long most;
  private SoftReference<Spare> spare = new SoftReference<>(null);

  /** The latest first. */
  private static final class Spare {
    final Deque<byte[]> arrays = new ArrayDeque<>();
    long bytes;
  }

  /**
   * @param most bytes that are kept
   */
  SpareArrays(long most) {
    this.most = most;
  }

  /** An array of at least so many bytes, whatever is in them. */
  public byte[] take(int length) {
    if (length < LEAST) {
      return new byte[length];
    }
    byte[] kept = takeKept(length);
    return kept != null ? kept : new byte[rounded(length)];
  }

  private synchronized byte[] takeKept(int length) {
    Spare kept = spare.get();
    if (kept == null) {
      return null;
    }
    byte[] fit = null;
    for (byte[] a : kept.arrays) {
      boolean fits = a.length >= length && a.length / PART <= length;
      if (fits && (fit == null || a.length < fit.length)) {
        fit = a;
      }
    }
    if (fit != null) {
      kept.arrays.removeFirstOccurrence(fit);
      kept.bytes -= fit.length;
    }
    return fit;
  }

  /**
   * Chunks of a column are about the same size in all row groups: a little more is enough for most.
   */
  private static int rounded(int length) {
    int step = Integer.highestOneBit(length) >>> 3;
    return (int) Math.min(Integer.MAX_VALUE - 8, ((long) length + step - 1) / step * step);
  }

  /** Takes an array back that nobody reads or writes any more; the oldest make room for it. */
  public synchronized void give(byte[] array) {
    if (array.length < LEAST || array.length > most) {
      return;
    }
    Spare kept = spare.get();
    if (kept == null) {
      kept = new Spare();
      spare = new SoftReference<>(kept);
    }
    kept.arrays.addFirst(array);
    kept.bytes += array.length;
    for (Iterator<byte[]> oldest = kept.arrays.descendingIterator(); kept.bytes > most; ) {
      kept.bytes -= oldest.next().length;
      oldest.remove();
    }
  }
}
