// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.util.Arrays;
import latebloom.read.vector.StringValues;
import org.apache.orc.impl.PositionProvider;

/**
 * Reads byte strings stored one after the other in a stream, with their lengths in another. Reads
 * lengths by windows. Where most strings of a window are wanted, leaves them in the feed; else
 * copies the wanted ones and skips the others.
 */
public final class DirectStrings implements StringValues, Positioned {
  private static final int WINDOW = 1024;

  /** Strings longer than this are copied one by one. */
  private static final int MOST_BYTES = 1 << 20;

  /** The greatest length of an array. */
  private static final int MOST_COPIED = Integer.MAX_VALUE - 8;

  private final ByteFeed feed;
  private final IntegerRunLength lengths;
  private final TextLength text;
  private final long[] window = new long[WINDOW];
  private byte[] copies = new byte[0];
  private byte[] data = copies;
  private int next;

  public DirectStrings(ByteFeed feed, IntegerRunLength lengths, TextLength text) {
    this.feed = feed;
    this.lengths = lengths;
    this.text = text;
  }

  @Override
  public void seek(PositionProvider positions) {
    feed.seek(positions);
    lengths.seek(positions);
    next = 0;
  }

  @Override
  public byte[] data() {
    return data;
  }

  @Override
  public void locate(int[] indexes, int n, int[] offsets, int[] lengths) {
    int used = 0;
    int i = 0;
    while (i < n) {
      passTo(indexes[i]);
      int stop = Spans.stop(indexes, i, n, WINDOW);
      int k = indexes[stop - 1] - next + 1;
      long bytes = readLengths(k);
      if (stop == n && i == 0 && k < 2 * n && bytes <= MOST_BYTES) {
        feed.need((int) bytes);
        place(indexes, n, offsets, lengths);
        data = feed.data();
        feed.skip(bytes);
      } else {
        used = copyWindow(indexes, i, stop, used, offsets, lengths);
        data = copies;
      }
      next += k;
      i = stop;
    }
    text.cut(data, offsets, lengths, n);
  }

  /** Skips the strings before {@code index}. */
  private void passTo(long index) {
    while (next < index) {
      int k = (int) Math.min(WINDOW, index - next);
      feed.skip(readLengths(k));
      next += k;
    }
  }

  /** Reads the next {@code k} lengths into the window; returns their sum. */
  private long readLengths(int k) {
    lengths.readRange(next, k, window);
    long sum = 0;
    long signs = 0;
    for (int i = 0; i < k; i++) {
      signs |= window[i] | Integer.MAX_VALUE - window[i];
      sum += window[i];
    }
    if (signs < 0) {
      throw lengths.feed.corrupt("a string of a length below 0 or over 2 GiB");
    }
    return sum;
  }

  /** Writes the offsets and lengths of the window's wanted strings, which lie in the feed. */
  private void place(int[] indexes, int n, int[] offsets, int[] lengths) {
    int at = feed.pos();
    int index = next;
    for (int i = 0; i < n; i++) {
      for (; index < indexes[i]; index++) {
        at += (int) window[index - next];
      }
      int length = (int) window[index - next];
      offsets[i] = at;
      lengths[i] = length;
      at += length;
      index++;
    }
  }

  /** Copies the window's wanted strings after those copied before; returns the bytes in use. */
  private int copyWindow(
      int[] indexes, int from, int to, int before, int[] offsets, int[] lengths) {
    int used = before;
    int index = next;
    for (int i = from; i < to; i++) {
      long gap = 0;
      for (; index < indexes[i]; index++) {
        gap += window[index - next];
      }
      feed.skip(gap);
      int length = (int) window[index - next];
      copy(length, used);
      offsets[i] = used;
      lengths[i] = length;
      used += length;
      index++;
    }
    return used;
  }

  /** Copies the next bytes after the first {@code used}, as many at a time as are loaded. */
  private void copy(int length, int used) {
    int done = 0;
    while (done < length) {
      feed.want(1);
      int k = Math.min(length - done, feed.here());
      if (k == 0) {
        throw feed.ended();
      }
      long end = (long) used + done + k;
      if (end > MOST_COPIED) {
        throw feed.corrupt("more than 2 GiB of strings at once");
      }
      if (end > copies.length) {
        copies = Arrays.copyOf(copies, (int) Math.min(MOST_COPIED, 2 * end));
      }
      feed.copy(k, copies, used + done);
      done += k;
    }
  }
}
