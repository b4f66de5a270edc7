// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import latebloom.read.predicate.DictionaryEntries;
import latebloom.read.predicate.VectorType;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/**
 * Writes selected values of a flat column to a Spark vector, block by block. Strings from one
 * dictionary stay codes; when other strings follow in the batch, the sink converts the codes
 * written so far.
 *
 * <p>Every call writes {@code n} rows. {@code nulls} has the nulls among {@code rows}, or is null
 * without any; only the {@code valid} other rows have values, which the sink spreads over the rows.
 */
public class ValueSink {
  private final VectorType vectorType;
  protected final int[] ints;
  protected final long[] looked;
  private final byte[] bytes;
  private final short[] shorts;
  private final float[] floats;
  private final double[] doubles;
  private final int[] offsets;
  private final int[] lengths;

  protected WritableColumnVector vector;
  private WritableColumnVector ids;
  private DictionaryEntries dictionary;

  /** The number of rows to come, or an upper bound. */
  private int rows;

  private boolean whole;
  private int first;

  /** Next row of the vector. */
  protected int at;

  /**
   * @param blocks most rows of a call are {@link BlockArrays#BLOCK}
   */
  public ValueSink(VectorType vectorType, BlockArrays blocks) {
    this.vectorType = vectorType;
    this.ints = blocks.sink.ints;
    this.looked = blocks.sink.looked;
    this.bytes = blocks.sink.bytes;
    this.shorts = blocks.sink.shorts;
    this.floats = blocks.sink.floats;
    this.doubles = blocks.sink.doubles;
    this.offsets = blocks.sink.offsets;
    this.lengths = blocks.sink.lengths;
  }

  /** Begins a batch of {@code n} rows. */
  public final void begin(OutputColumn out, int n) {
    begin(out.vector(), out.at(), out.whole(), n);
  }

  /**
   * Begins a batch of an unknown number of rows.
   *
   * @param at the first row; the vector must have room for each block when it is written
   * @param whole whether the vector will hold nothing else
   */
  public final void begin(WritableColumnVector vector, int at, boolean whole) {
    begin(vector, at, whole, BlockArrays.BLOCK);
  }

  private void begin(WritableColumnVector vector, int at, boolean whole, int rows) {
    this.vector = vector;
    this.rows = rows;
    this.whole = whole;
    this.at = at;
    this.first = at;
    this.ids = null;
  }

  /**
   * Writes dictionary codes of byte strings.
   *
   * @param dictionary the same for all rows of a batch
   */
  public final void stringCodes(
      DictionaryEntries dictionary, int[] codes, int valid, int[] rows, int n, ValidRows nulls) {
    this.dictionary = dictionary;
    if (whole && at == first) {
      ids = vector.reserveDictionaryIds(this.rows);
      vector.setDictionary(dictionary);
    }
    if (ids != null) {
      dictionary.ready(codes, valid);
      if (nulls != null) {
        spreadCodes(codes, valid, rows, n, nulls);
      }
      ids.reserve(at + n);
      ids.putInts(at, n, codes, 0);
      at += n;
    } else {
      dictionary.locate(codes, valid, offsets, lengths);
      strings(dictionary.data(), offsets, lengths, valid, rows, n, nulls);
    }
  }

  private void spreadCodes(int[] codes, int valid, int[] rows, int n, ValidRows nulls) {
    int v = valid;
    for (int i = n - 1; i >= 0; i--) {
      v -= nulls.validBit(rows[i]);
      codes[i] = codes[v];
    }
    putNulls(rows, n, nulls);
  }

  /** Writes byte strings of {@code data}. */
  public final void strings(
      byte[] data, int[] offsets, int[] lengths, int valid, int[] rows, int n, ValidRows nulls) {
    if (ids != null) {
      decodeWritten();
    }
    int span = lieTogether(offsets, lengths, valid);
    int moved = span > 0 ? vector.arrayData().appendBytes(span, data, offsets[0]) - offsets[0] : 0;
    int v = 0;
    for (int i = 0; i < n; i++, at++) {
      if (nulls != null && nulls.isNull(rows[i])) {
        vector.putNull(at);
      } else if (span > 0) {
        vector.putArray(at, offsets[v] + moved, lengths[v]);
        v++;
      } else {
        vector.putByteArray(at, data, offsets[v], lengths[v]);
        v++;
      }
    }
  }

  /**
   * How many bytes {@code n} strings and the gaps between them take, if that is worth one copy:
   * they ascend with small gaps. Else 0.
   */
  private static int lieTogether(int[] offsets, int[] lengths, int n) {
    int end = n == 0 ? 0 : offsets[0];
    int between = 0;
    int backwards = 0;
    for (int i = 0; i < n; i++) {
      int gap = offsets[i] - end;
      backwards |= gap;
      between += gap;
      end = offsets[i] + lengths[i];
    }
    int span = n == 0 ? 0 : end - offsets[0];
    return backwards >= 0 && between <= span / 4 ? span : 0;
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

  /** Writes values of fixed width; {@code values} is overwritten. */
  public final void values(long[] values, int valid, int[] rows, int n, ValidRows nulls) {
    if (nulls != null) {
      spread(values, valid, rows, n, nulls);
    }
    switch (vectorType) {
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
        // A vector stores a boolean as a byte of 0 or 1.
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
      default -> throw new IllegalStateException("not of fixed width: " + vectorType);
    }
    at += n;
  }

  // No branch on nulls, which would be unpredictable: a null gets an arbitrary value that nobody
  // reads.
  private void spread(long[] values, int valid, int[] rows, int n, ValidRows nulls) {
    int v = valid;
    for (int i = n - 1; i >= 0; i--) {
      v -= nulls.validBit(rows[i]);
      values[i] = values[v];
    }
    putNulls(rows, n, nulls);
  }

  private void putNulls(int[] rows, int n, ValidRows nulls) {
    for (int from = 0; from < n; from += Long.SIZE) {
      long bits = nulls.nullBits(rows, from, Math.min(Long.SIZE, n - from));
      while (bits != 0) {
        vector.putNull(at + from + Long.numberOfTrailingZeros(bits));
        bits &= bits - 1;
      }
    }
  }
}
