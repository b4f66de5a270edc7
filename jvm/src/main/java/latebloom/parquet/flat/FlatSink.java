// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.flat;

import latebloom.parquet.encoding.PlainDecoder;
import latebloom.parquet.encoding.RleBitPackingHybridDecoder;
import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.FlatType.Physical;
import latebloom.read.predicate.VectorType;
import latebloom.read.vector.BlockArrays;
import latebloom.read.vector.ValidRows;
import latebloom.read.vector.ValueSink;

/**
 * Adds what only Parquet's pages have: dictionary codes of numbers, and runs that can be copied.
 */
public final class FlatSink extends ValueSink {
  private final FlatType type;

  public FlatSink(FlatType type, BlockArrays blocks) {
    super(type.vectorType(), blocks);
    this.type = type;
  }

  /** Writes dictionary codes; all codes of a batch belong to one dictionary. */
  public void codes(
      ChunkDictionary dictionary, int[] codes, int valid, int[] rows, int n, ValidRows nulls) {
    if (type.isBytes()) {
      stringCodes(dictionary, codes, valid, rows, n, nulls);
    } else if (nulls == null
        && type.vectorType() == VectorType.INT
        && dictionary.look(codes, valid, ints)) {
      vector.putInts(at, n, ints, 0);
      at += n;
    } else {
      dictionary.look(codes, valid, looked);
      values(looked, valid, rows, n, nulls);
    }
  }

  /** Whether runs of PLAIN values can be copied from the page without conversion. */
  public boolean copiesPlain() {
    return switch (type.vectorType()) {
      case BOOLEAN -> true;
      case INT -> type.physical() == Physical.INT32;
      case LONG -> type.physical() == Physical.INT64;
      case FLOAT -> true;
      case DOUBLE -> type.physical() == Physical.DOUBLE;
      default -> false;
    };
  }

  /** Copies {@code n} neighbouring PLAIN values from {@code index} on. */
  public void plainRun(PlainDecoder plain, int index, int n) {
    int from = plain.offset(index);
    switch (type.vectorType()) {
      case BOOLEAN -> bits(plain, index, n);
      case INT -> vector.putIntsLittleEndian(at, n, plain.data(), from);
      case LONG -> vector.putLongsLittleEndian(at, n, plain.data(), from);
      case FLOAT -> vector.putFloatsLittleEndian(at, n, plain.data(), from);
      case DOUBLE -> vector.putDoublesLittleEndian(at, n, plain.data(), from);
      default -> throw new IllegalStateException("not copied: " + type);
    }
    at += n;
  }

  private void bits(PlainDecoder plain, int index, int n) {
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
  void booleanRun(RleBitPackingHybridDecoder booleans, int index, int n) {
    int next = index;
    int end = index + n;
    while (next < end) {
      int k = Math.min(booleans.runEnd(next), end) - next;
      long shared = booleans.shared(next, next + k - 1);
      if (shared >= 0) {
        vector.putBooleans(at, k, shared != 0);
      } else {
        k = Math.min(k, 64);
        long bits = booleans.notZeros(next, k);
        for (int i = 0; i < k; i += 8) {
          putBits(at + i, Math.min(8, k - i), (byte) (bits >>> i), 0);
        }
      }
      at += k;
      next += k;
    }
  }

  /**
   * Writes eight booleans a byte, as the vector accepts them, and those of a partial byte singly.
   */
  private void putBits(int to, int n, byte bits, int first) {
    if (n == 8) {
      vector.putBooleans(to, bits);
    } else {
      vector.putBooleans(to, n, bits, first);
    }
  }
}
