// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Keeps large unused arrays for reuse. Fetched bytes live as long as the scan works on their row
 * group; without reuse the collector would free a region or more for each column chunk, and the JVM
 * would zero new memory.
 *
 * <p>Keeps at most an eighth of the heap, and 128 MiB per core. The collector may free all of it
 * when memory is short. Thread safe.
 */
public final class SpareArrays {
  /** The spare arrays of this process. */
  public static final SpareArrays SHARED =
      new SpareArrays(
          Math.min(
              Runtime.getRuntime().maxMemory() / 8,
              (128L << 20) * Runtime.getRuntime().availableProcessors()));

  /** Smaller arrays are left to the collector. */
  public static final int LEAST = 256 << 10;

  /** An array serves requests for at least its length divided by this. */
  private static final int PART = 4;

  private final long most;
  private SoftReference<Spare> spare = new SoftReference<>(null);

  /** A spare array; the latest comes first. */
  private static final class Spare {
    final Deque<byte[]> arrays = new ArrayDeque<>();
    long bytes;
  }

  /**
   * @param most bytes to keep
   */
  SpareArrays(long most) {
    this.most = most;
  }

  /** An array of at least so many bytes, with arbitrary content. */
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

  /** Chunks of a column are similar in size in all row groups: a margin fits most of them. */
  private static int rounded(int length) {
    int step = Integer.highestOneBit(length) >>> 3;
    return (int) Math.min(Integer.MAX_VALUE - 8, ((long) length + step - 1) / step * step);
  }

  /** Takes back an array that nobody reads or writes any more; the oldest ones make room for it. */
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
