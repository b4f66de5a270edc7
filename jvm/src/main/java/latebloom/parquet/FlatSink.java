// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import latebloom.parquet.FlatType.Held;
import latebloom.parquet.FlatType.Physical;
import latebloom.read.OutputColumn;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/**
 * Writes selected values of a flat column to a Spark vector, block by block. Strings of a batch that
 * come from one dictionary stay codes; when a page without codes follows, those written so far are
 * turned into strings.
 *
 * <p>Every call writes {@code n} rows. {@code nulls} is the page that knows which of {@code rows} are
 * null, or null when none is; then only the {@code valid} others have values, which are spread.
 */
final class FlatSink {
  private final FlatType type;
  private final int[] ints = new int[FlatColumn.BLOCK];
  private final byte[] bytes = new byte[FlatColumn.BLOCK];
  private final short[] shorts = new short[FlatColumn.BLOCK];
  private final float[] floats = new float[FlatColumn.BLOCK];
  private final double[] doubles = new double[FlatColumn.BLOCK];
  private final long[] looked = new long[FlatColumn.BLOCK];
  private final int[] offsets = new int[FlatColumn.BLOCK];
  private final int[] lengths = new int[FlatColumn.BLOCK];

  private WritableColumnVector vector;
  private WritableColumnVector ids;
  private ChunkDictionary dictionary;
  private int rows;
  private boolean whole;
  private int first;
  private int at;

  FlatSink(FlatType type) {
    this.type = type;
  }

  /**
   * Begins a batch's worth of {@code n} rows.
   */
  void begin(OutputColumn out, int n) {
    this.vector = out.vector();
    this.rows = n;
    this.whole = out.whole();
    this.at = out.at();
    this.first = at;
    this.ids = null;
  }

  /**
   * Writes dictionary codes.
   *
   * @param dictionary of the column chunk, the same one for all of a batch's rows
   */
  void codes(
      ChunkDictionary dictionary, int[] codes, int valid, int[] rows, int n, FlatPage nulls) {
    this.dictionary = dictionary;
    if (type.isBytes() && whole && at == first) {
      ids = vector.reserveDictionaryIds(this.rows);
      vector.setDictionary(dictionary);
    }
    if (ids != null) {
      // Spark looks the codes up later, where nobody would say which file is corrupt.
      dictionary.check(codes, valid);
      if (nulls != null) {
        spreadCodes(codes, valid, rows, n, nulls);
      }
      ids.putInts(at, n, codes, 0);
      at += n;
    } else if (type.isBytes()) {
      dictionary.locate(codes, valid, offsets, lengths);
      strings(dictionary.data(), offsets, lengths, valid, rows, n, nulls);
    } else {
      if (nulls == null && type.held() == Held.INT && dictionary.look(codes, valid, ints)) {
        vector.putInts(at, n, ints, 0);
        at += n;
        return;
      }
      dictionary.look(codes, valid, looked);
      values(looked, valid, rows, n, nulls);
    }
  }

  private void spreadCodes(int[] codes, int valid, int[] rows, int n, FlatPage nulls) {
    int v = valid;
    for (int i = n - 1; i >= 0; i--) {
      v -= nulls.validBit(rows[i]);
      codes[i] = codes[v];
    }
    putNulls(rows, n, nulls);
  }

  /** Writes byte strings that lie in {@code data}. */
  void strings(
      byte[] data, int[] offsets, int[] lengths, int valid, int[] rows, int n, FlatPage nulls) {
    if (ids != null) {
      decodeWritten();
    }
    int v = 0;
    for (int i = 0; i < n; i++, at++) {
      if (nulls != null && nulls.isNull(rows[i])) {
        vector.putNull(at);
      } else {
        vector.putByteArray(at, data, offsets[v], lengths[v]);
        v++;
      }
    }
  }

  private void decodeWritten() {
    for (int i = first; i < at; i++) {
      if (!vector.isNullAt(i)) {
        byte[] value = dictionary.decodeToBinary(ids.getDictId(i));
        vector.putByteArray(i, value, 0, value.length);
      }
    }
    vector.setDictionary(null);
    ids = null;
  }

  /** Whether a run of PLAIN values that need no conversion can be copied as it lies in the page. */
  boolean copiesPlain() {
    return switch (type.held()) {
      case BOOLEAN -> true;
      case INT -> type.physical() == Physical.INT32;
      case LONG -> type.physical() == Physical.INT64;
      case FLOAT -> true;
      case DOUBLE -> type.physical() == Physical.DOUBLE;
      default -> false;
    };
  }

  /** Copies {@code n} neighbouring PLAIN values from {@code index} on. */
  void plainRun(PlainValues plain, int index, int n) {
    int from = plain.offset(index);
    switch (type.held()) {
      case BOOLEAN -> bits(plain, index, n);
      case INT -> vector.putIntsLittleEndian(at, n, plain.data(), from);
      case LONG -> vector.putLongsLittleEndian(at, n, plain.data(), from);
      case FLOAT -> vector.putFloatsLittleEndian(at, n, plain.data(), from);
      case DOUBLE -> vector.putDoublesLittleEndian(at, n, plain.data(), from);
      default -> throw new IllegalStateException("not copied: " + type);
    }
    at += n;
  }

  private void bits(PlainValues plain, int index, int n) {
    int to = at;
    int bit = index & 7;
    int byteAt = plain.offset(0) + (index >>> 3);
    int rest = n;
    while (rest > 0) {
      int k = Math.min(8 - bit, rest);
      putBits(to, k, plain.data()[byteAt++], bit);
      to += k;
      rest -= k;
      bit = 0;
    }
  }

  /** Writes {@code n} neighbouring booleans from {@code index} on, a run of equal ones at once. */
  void booleanRun(RleBitPacked booleans, int index, int n) {
    int next = index;
    int end = index + n;
    while (next < end) {
      int k = Math.min(booleans.runEnd(next), end) - next;
      long shared = booleans.shared(next, next + k - 1);
      if (shared >= 0) {
        vector.putBooleans(at, k, shared != 0);
      } else {
        k = Math.min(k, 64);
        long bits = booleans.bits(next, k);
        for (int i = 0; i < k; i += 8) {
          putBits(at + i, Math.min(8, k - i), (byte) (bits >>> i), 0);
        }
      }
      at += k;
      next += k;
    }
  }

  /** Eight booleans a byte, as the vector takes them, but for those of a byte that is not whole. */
  private void putBits(int to, int n, byte bits, int first) {
    if (n == 8) {
      vector.putBooleans(to, bits);
    } else {
      vector.putBooleans(to, n, bits, first);
    }
  }

  /** Writes values of fixed width; {@code values} is overwritten. */
  void values(long[] values, int valid, int[] rows, int n, FlatPage nulls) {
    if (nulls != null) {
      spread(values, valid, rows, n, nulls);
    }
    switch (type.held()) {
      case LONG -> vector.putLongs(at, n, values, 0);
      case INT -> {
        for (int i = 0; i < n; i++) {
          ints[i] = (int) values[i];
        }
        vector.putInts(at, n, ints, 0);
      }
      case FLOAT -> {
        for (int i = 0; i < n; i++) {
          floats[i] = Float.intBitsToFloat((int) values[i]);
        }
        vector.putFloats(at, n, floats, 0);
      }
      case DOUBLE -> {
        for (int i = 0; i < n; i++) {
          doubles[i] = Double.longBitsToDouble(values[i]);
        }
        vector.putDoubles(at, n, doubles, 0);
      }
      case BOOLEAN, BYTE -> {
        // A vector holds a boolean as a byte of 0 or 1.
        for (int i = 0; i < n; i++) {
          bytes[i] = (byte) values[i];
        }
        vector.putBytes(at, n, bytes, 0);
      }
      case SHORT -> {
        for (int i = 0; i < n; i++) {
          shorts[i] = (short) values[i];
        }
        vector.putShorts(at, n, shorts, 0);
      }
      default -> throw new IllegalStateException("not of fixed width: " + type);
    }
    at += n;
  }

  // No branch on what is null, which can't be predicted: a null gets some value, which nobody reads.
  private void spread(long[] values, int valid, int[] rows, int n, FlatPage nulls) {
    int v = valid;
    for (int i = n - 1; i >= 0; i--) {
      v -= nulls.validBit(rows[i]);
      values[i] = values[v];
    }
    putNulls(rows, n, nulls);
  }

  private void putNulls(int[] rows, int n, FlatPage nulls) {
    for (int from = 0; from < n; from += Long.SIZE) {
      long bits = nulls.nullBits(rows, from, Math.min(Long.SIZE, n - from));
      while (bits != 0) {
        vector.putNull(at + from + Long.numberOfTrailingZeros(bits));
        bits &= bits - 1;
      }
    }
  }
}
