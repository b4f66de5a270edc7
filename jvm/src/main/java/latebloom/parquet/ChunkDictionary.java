// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import latebloom.parquet.FlatType.Held;
import org.apache.spark.sql.execution.vectorized.Dictionary;

/**
 * The decoded dictionary of a column chunk, as raw values (see {@link PlainValues}) or as byte
 * strings. Also what Spark's vectors look codes up in.
 */
final class ChunkDictionary implements Dictionary {
  private final FlatType type;
  private final int size;
  private long[] values;
  private byte[] data;
  private int[] offsets;
  private int[] lengths;
  private byte[][] copies;

  /**
   * @param size entries, from the dictionary page's header
   */
  ChunkDictionary(FlatType type, Bytes page, int size) {
    // An entry of zero bytes is a fixed string of no length; there can be but one of those.
    int least = type.isBytes() && type.width() == 0 ? Integer.BYTES : Math.max(type.width(), 1);
    if (size < 0 || (long) size * least > page.length() && size > 1) {
      throw new CorruptPageException(
          "a dictionary of " + size + " entries in " + page.length() + " bytes");
    }
    this.type = type;
    this.size = size;
    int[] all = new int[size];
    for (int i = 0; i < size; i++) {
      all[i] = i;
    }
    if (type.isBytes()) {
      PlainStrings strings = new PlainStrings(type, page);
      offsets = new int[size];
      lengths = new int[size];
      strings.locate(all, size, offsets, lengths);
      data = strings.data();
      copies = new byte[size][];
    } else {
      values = new long[size];
      new PlainValues(type, page, size).read(all, size, values);
    }
  }

  int size() {
    return size;
  }

  /** Raw values by code; null for byte strings. */
  long[] values() {
    return values;
  }

  byte[] data() {
    return data;
  }

  int[] offsets() {
    return offsets;
  }

  int[] lengths() {
    return lengths;
  }

  @Override
  public int decodeToInt(int id) {
    return (int) values[id];
  }

  @Override
  public long decodeToLong(int id) {
    return values[id];
  }

  @Override
  public float decodeToFloat(int id) {
    return Float.intBitsToFloat((int) values[id]);
  }

  @Override
  public double decodeToDouble(int id) {
    return type.held() == Held.FLOAT
        ? decodeToFloat(id)
        : Double.longBitsToDouble(values[id]);
  }

  @Override
  public byte[] decodeToBinary(int id) {
    byte[] copy = copies[id];
    if (copy == null) {
      copy = java.util.Arrays.copyOfRange(data, offsets[id], offsets[id] + lengths[id]);
      copies[id] = copy;
    }
    return copy;
  }
}
