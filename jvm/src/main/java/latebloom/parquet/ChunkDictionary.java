// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import latebloom.parquet.FlatType.Held;
import latebloom.parquet.FlatType.Physical;
import org.apache.parquet.format.Encoding;
import org.apache.spark.sql.execution.vectorized.Dictionary;

/**
 * The decoded dictionary of a column chunk, as Spark holds its values: numbers (see {@link
 * FixedValues}) or byte strings. Also what Spark's vectors look codes up in.
 *
 * <p>An entry may be one that Spark refuses to convert. That is an error only for a row that has it.
 */
final class ChunkDictionary implements Dictionary {
  private final FlatType type;
  private final int size;
  private long[] values;
  private int[] ints;
  private RuntimeException[] refused;
  private byte[] data;
  private int[] offsets;
  private int[] lengths;
  private byte[][] copies;

  /**
   * @param size entries, from the dictionary page's header
   */
  ChunkDictionary(FlatType type, Bytes page, int size) {
    // An entry of zero bytes is a fixed string of no length; there can be but one of those.
    int least = type.physical() == Physical.BINARY ? Integer.BYTES : Math.max(type.width(), 1);
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
      StringValues strings = Decoders.strings(type, Encoding.PLAIN, page, size);
      offsets = new int[size];
      lengths = new int[size];
      strings.locate(all, size, offsets, lengths);
      data = strings.data();
      copies = new byte[size][];
    } else {
      values = new long[size];
      try {
        Decoders.fixed(type, Encoding.PLAIN, page, size).read(all, size, values);
      } catch (CorruptPageException | IndexOutOfBoundsException e) {
        throw e;
      } catch (RuntimeException e) {
        readOneByOne(page);
      }
    }
  }

  private void readOneByOne(Bytes page) {
    FixedValues entries = Decoders.fixed(type, Encoding.PLAIN, page, size);
    refused = new RuntimeException[size];
    int[] code = new int[1];
    long[] value = new long[1];
    for (int i = 0; i < size; i++) {
      code[0] = i;
      try {
        entries.read(code, 1, value);
        values[i] = value[0];
      } catch (RuntimeException e) {
        refused[i] = e;
      }
    }
  }

  int size() {
    return size;
  }

  /** The numbers by code; null for byte strings. */
  long[] values() {
    return values;
  }

  /** Looks {@code n} codes up among the numbers. */
  void look(int[] codes, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      out[i] = values[codes[i]];
    }
    if (refused != null) {
      for (int i = 0; i < n; i++) {
        if (refused[codes[i]] != null) {
          throw refused[codes[i]];
        }
      }
    }
  }

  /** As {@link #look(int[], int, long[])}, of numbers of 32 bits; false when some is refused. */
  boolean look(int[] codes, int n, int[] out) {
    if (refused != null) {
      return false;
    }
    if (ints == null) {
      ints = new int[size];
      for (int i = 0; i < size; i++) {
        ints[i] = (int) values[i];
      }
    }
    int[] entries = ints;
    for (int i = 0; i < n; i++) {
      out[i] = entries[codes[i]];
    }
    return true;
  }

  /** Looks {@code n} codes up among the byte strings, which lie in {@link #data}. */
  void locate(int[] codes, int n, int[] offsets, int[] lengths) {
    for (int i = 0; i < n; i++) {
      offsets[i] = this.offsets[codes[i]];
      lengths[i] = this.lengths[codes[i]];
    }
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

  /** Whether some entry can't be looked up, so that rows must be looked at one by one. */
  boolean refusesSome() {
    return refused != null;
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
