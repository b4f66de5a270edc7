// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.flat;

import java.util.Arrays;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.Decoders;
import latebloom.parquet.encoding.PlainByteArrayDecoder;
import latebloom.parquet.page.ColumnPlace;
import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.FlatType.Physical;
import latebloom.read.predicate.DictionaryEntries;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.predicate.VectorType;
import latebloom.read.vector.FixedValues;
import latebloom.read.vector.StringValues;
import org.apache.parquet.format.Encoding;

/**
 * The dictionary of a column chunk in Spark's representation: numbers (see {@link FixedValues}) or
 * byte strings. Spark's vectors look codes up in it as well.
 *
 * <p>Decodes entries on demand: a few rows of a large row group must not pay for the whole
 * dictionary. An entry that Spark refuses to convert is an error only for a row that has it. An
 * entry of invalid bytes is an error that names the dictionary page. Entries are checked before
 * Spark's vectors use them ({@link #ready}).
 */
public final class ChunkDictionary implements DictionaryEntries {
  /** Fewest byte strings to locate in one step. */
  private static final int STEP = 1024;

  private final ColumnPlace place;
  private final FlatType type;
  private final int size;

  private final FixedValues entries;
  private int looked;
  private long[] values;
  private int[] ints;
  private RuntimeException[] refused;

  private final StringValues strings;
  private int located;
  private int[] offsets;
  private int[] lengths;
  private byte[][] copies;

  /**
   * @param size entries, from the dictionary page's header
   */
  public ChunkDictionary(ColumnPlace place, FlatType type, Bytes page, int size) {
    // Only a fixed string of length 0 has an entry of zero bytes, and all of those are equal.
    int least = type.physical() == Physical.BINARY ? Integer.BYTES : Math.max(type.width(), 1);
    if (size < 0 || (long) size * least > page.length() && size > 1) {
      throw new CorruptPageException(
          "a dictionary of " + size + " entries in " + page.length() + " bytes");
    }
    this.place = place;
    this.type = type;
    this.size = size;
    if (type.isBytes()) {
      entries = null;
      strings = Decoders.strings(type, Encoding.PLAIN, page, size);
      offsets = new int[0];
      lengths = offsets;
    } else {
      entries = Decoders.fixed(type, Encoding.PLAIN, page, size);
      strings = null;
    }
  }

  @Override
  public int size() {
    return size;
  }

  /** All numbers, by code. */
  long[] values() {
    decodeNumbers();
    return values;
  }

  private void decodeNumbers() {
    if (values == null) {
      long[] all = new long[size];
      try {
        entries.read(ascending(0, size), size, all);
      } catch (CorruptPageException | IndexOutOfBoundsException e) {
        throw place.corrupt(-1, e);
      } catch (RuntimeException e) {
        readOneByOne(all);
      }
      values = all;
    }
  }

  private static int[] ascending(int from, int n) {
    int[] all = new int[n];
    for (int i = 0; i < n; i++) {
      all[i] = from + i;
    }
    return all;
  }

  private void readOneByOne(long[] all) {
    refused = new RuntimeException[size];
    int[] code = new int[1];
    long[] value = new long[1];
    for (int i = 0; i < size; i++) {
      code[0] = i;
      try {
        entries.read(code, 1, value);
        all[i] = value[0];
      } catch (RuntimeException e) {
        refused[i] = e;
      }
    }
  }

  /** Whether so few entries were looked up, with these, that decoding them all does not pay. */
  private boolean areFew(int n) {
    looked += n;
    return values == null && looked < size / 2;
  }

  /** Looks up the numbers of {@code n} codes. */
  public void look(int[] codes, int n, long[] out) {
    if (areFew(n)) {
      check(codes, n);
      entries.read(codes, n, out);
      return;
    }
    decodeNumbers();
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

  /**
   * As {@link #look(int[], int, long[])}, for numbers of 32 bits; false where only that will do.
   */
  public boolean look(int[] codes, int n, int[] out) {
    if (values == null || refused != null) {
      return false;
    }
    if (ints == null) {
      ints = new int[size];
      for (int i = 0; i < size; i++) {
        ints[i] = (int) values[i];
      }
    }
    int[] all = ints;
    for (int i = 0; i < n; i++) {
      out[i] = all[codes[i]];
    }
    return true;
  }

  @Override
  public void ready(int[] codes, int n) {
    locateTo(check(codes, n));
  }

  @Override
  public RuntimeException corrupt(String what) {
    return new CorruptPageException(what);
  }

  @Override
  public void locate(int[] codes, int n, int[] offsets, int[] lengths) {
    locateTo(check(codes, n));
    for (int i = 0; i < n; i++) {
      offsets[i] = this.offsets[codes[i]];
      lengths[i] = this.lengths[codes[i]];
    }
  }

  /** Locates the byte strings up to {@code code}, at most up to the last one. */
  private void locateTo(int code) {
    if (code < located || located == size) {
      return;
    }
    // Only strings that are stored in the page itself keep their place when others are located.
    boolean stays = strings instanceof PlainByteArrayDecoder;
    int to = stays ? Math.min(size, Math.max(code + 1, 2 * located + STEP)) : size;
    int n = to - located;
    int[] moreOffsets = new int[n];
    int[] moreLengths = new int[n];
    try {
      strings.locate(ascending(located, n), n, moreOffsets, moreLengths);
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw place.corrupt(-1, e);
    }
    offsets = Arrays.copyOf(offsets, to);
    lengths = Arrays.copyOf(lengths, to);
    System.arraycopy(moreOffsets, 0, offsets, located, n);
    System.arraycopy(moreLengths, 0, lengths, located, n);
    located = to;
  }

  @Override
  public byte[] data() {
    return strings.data();
  }

  @Override
  public int filter(PredicateCursor predicate, int[] out) {
    if (!type.isBytes()) {
      return predicate.filter(type.vectorType(), values().clone(), size, out);
    }
    locateTo(size - 1);
    return predicate.filterBytes(type.decimalBytes(), data(), offsets, lengths, size, out);
  }

  @Override
  public boolean test(PredicateCursor.Compiled predicate, int code) {
    if (type.isBytes()) {
      byte[] value = decodeToBinary(code);
      return predicate.test(value, 0, value.length);
    }
    return predicate.test(values()[code]);
  }

  /** Whether some entry can't be converted, so that rows must be read one by one. */
  public boolean refusesSome() {
    if (entries != null) {
      decodeNumbers();
    }
    return refused != null;
  }

  @Override
  public int decodeToInt(int id) {
    return (int) values()[id];
  }

  @Override
  public long decodeToLong(int id) {
    return values()[id];
  }

  @Override
  public float decodeToFloat(int id) {
    return Float.intBitsToFloat((int) values()[id]);
  }

  @Override
  public double decodeToDouble(int id) {
    return type.vectorType() == VectorType.FLOAT
        ? decodeToFloat(id)
        : Double.longBitsToDouble(values()[id]);
  }

  @Override
  public byte[] decodeToBinary(int id) {
    if (copies == null) {
      copies = new byte[size][];
    }
    byte[] copy = copies[id];
    if (copy == null) {
      locateTo(id);
      copy = Arrays.copyOfRange(data(), offsets[id], offsets[id] + lengths[id]);
      copies[id] = copy;
    }
    return copy;
  }
}
