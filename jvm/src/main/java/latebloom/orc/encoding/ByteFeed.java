// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.io.IOException;
import java.util.Arrays;
import latebloom.read.task.RunningTask;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;

/**
 * Copies a stream's bytes in bulk out of orc-core's {@link InStream} into an array that decoders
 * work on. The array grows only by bytes that exist, whatever length a decoder asks for. A request
 * for more bytes ends a killed task, which bounds how long any decoder runs on.
 */
public final class ByteFeed implements Positioned {
  private static final int SIZE = 16 << 10;

  /** This many bytes past the last one can be loaded; their values are undefined. */
  public static final int PADDING = 8;

  private final InStream in;
  private final Kind kind;
  private byte[] data;
  private int pos;
  private int limit;
  private Exception failure;

  /**
   * @param in null for an absent stream
   * @param kind of the stream, for messages
   */
  public ByteFeed(InStream in, Kind kind) {
    this.in = in;
    this.kind = kind;
    this.data = new byte[in == null ? PADDING : SIZE + PADDING];
  }

  /** The array that holds the bytes; valid until the next request for more. */
  public byte[] data() {
    return data;
  }

  /** Position in {@link #data} of the next byte. */
  public int pos() {
    return pos;
  }

  @Override
  public void seek(PositionProvider positions) {
    if (in == null) {
      throw corrupt("a position in a stream that is not there");
    }
    try {
      in.seek(positions);
    } catch (IOException | RuntimeException e) {
      throw new CorruptStreamException(kind, "a position outside of it", e);
    }
    pos = 0;
    limit = 0;
    failure = null;
  }

  /** Makes the next {@code n} bytes contiguous, or all that are left. */
  void want(int n) {
    while (limit - pos < n && more(n)) {}
  }

  /** As {@link #want}; throws if there are fewer. */
  public void need(int n) {
    if (limit - pos < n) {
      want(n);
      if (limit - pos < n) {
        throw ended();
      }
    }
  }

  /** The next byte, 0 to 255, of those that {@link #want} loaded; requests no more. */
  int next() {
    if (pos == limit) {
      throw ended();
    }
    return data[pos++] & 0xff;
  }

  /** How many bytes are loaded and not consumed. */
  int here() {
    return limit - pos;
  }

  /** Skips {@code n} bytes. */
  void skip(long n) {
    if (n < 0) {
      throw corrupt("a step of " + n + " bytes");
    }
    long rest = n;
    while (rest > limit - pos) {
      rest -= limit - pos;
      pos = limit;
      if (!more(1)) {
        throw ended();
      }
    }
    pos += (int) rest;
  }

  /** Copies the next {@code n} bytes to {@code to}, from {@code at} on. */
  void copy(int n, byte[] to, int at) {
    int done = 0;
    while (done < n) {
      want(1);
      int k = Math.min(n - done, limit - pos);
      if (k == 0) {
        throw ended();
      }
      System.arraycopy(data, pos, to, at + done, k);
      pos += k;
      done += k;
    }
  }

  /** Loads more bytes; false if there are none. */
  private boolean more(int wanted) {
    // After an error orc-core's stream may continue at a wrong position.
    if (in == null || failure != null) {
      return false;
    }
    RunningTask.checkNotKilled();
    if (pos > 0) {
      System.arraycopy(data, pos, data, 0, limit - pos);
      limit -= pos;
      pos = 0;
    }
    int room = data.length - PADDING - limit;
    if (room == 0 && wanted > limit) {
      if (data.length > Integer.MAX_VALUE / 2) {
        throw corrupt("a value of " + wanted + " bytes");
      }
      data = Arrays.copyOf(data, 2 * data.length);
      room = data.length - PADDING - limit;
    }
    try {
      int n = in.read(data, limit, room);
      limit += Math.max(n, 0);
      // A truncated uncompressed stream returns no bytes, without an end.
      return n > 0;
    } catch (IOException | RuntimeException e) {
      // Only a decoder that needs these bytes reports it: they may not have been fetched.
      failure = e;
      return false;
    }
  }

  CorruptStreamException ended() {
    return failure == null
        ? corrupt("it ends before its last value")
        : new CorruptStreamException(
            kind, "bytes that cannot be read: " + failure.getMessage(), failure);
  }

  /** The exception for decoders to throw on invalid bytes. */
  public CorruptStreamException corrupt(String what) {
    return new CorruptStreamException(kind, what, null);
  }
}
