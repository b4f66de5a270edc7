// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import java.util.Arrays;
import latebloom.orc.encoding.ByteFeed;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.orc.encoding.IntegerRunLength;
import latebloom.orc.encoding.TextLength;
import latebloom.read.predicate.DictionaryEntries;
import latebloom.read.predicate.PredicateCursor;
import org.apache.orc.OrcProto.Stream;

/** The dictionary of one column of a stripe: byte strings, all in one array. */
final class StripeDictionary implements DictionaryEntries {
  private static final int STEP = 1024;

  private final byte[] data;
  private final int[] offsets;
  private final int[] lengths;
  private byte[][] copies;

  private StripeDictionary(byte[] data, int[] offsets, int[] lengths) {
    this.data = data;
    this.offsets = offsets;
    this.lengths = lengths;
  }

  static StripeDictionary read(StripeColumn column) throws IOException {
    int size = column.source.encoding().getDictionarySize();
    if (size < 0) {
      throw new CorruptStreamException("a dictionary of " + size + " entries");
    }
    if (size == 0 && column.source.has(Stream.Kind.DATA)) {
      // A damaged footer, or no value at all. To orc-core a code of the size is an empty string.
      return new StripeDictionary(new byte[0], new int[1], new int[1]);
    }
    IntegerRunLength runs =
        IntegerRunLength.of(column.encoding, column.feed(Stream.Kind.LENGTH), false, Integer.SIZE);
    // Grows with the stream's own lengths, not to the footer's claim.
    int[] offsets = new int[Math.min(size, STEP)];
    int[] lengths = new int[offsets.length];
    long[] block = new long[STEP];
    long end = 0;
    for (int from = 0; from < size; from += STEP) {
      int n = Math.min(STEP, size - from);
      runs.readRange(from, n, block);
      if (from + n > offsets.length) {
        int capacity = (int) Math.min(size, 2L * from + STEP);
        offsets = Arrays.copyOf(offsets, capacity);
        lengths = Arrays.copyOf(lengths, capacity);
      }
      for (int i = 0; i < n; i++) {
        offsets[from + i] = (int) end;
        lengths[from + i] = (int) block[i];
        end += block[i];
        if (block[i] < 0 || end > Integer.MAX_VALUE - ByteFeed.PADDING) {
          throw runs.feed.corrupt("a dictionary entry of " + block[i] + " bytes");
        }
      }
    }
    byte[] data = new byte[0];
    if (end > 0) {
      ByteFeed bytes = column.feed(Stream.Kind.DICTIONARY_DATA);
      bytes.need((int) end);
      data = Arrays.copyOfRange(bytes.data(), bytes.pos(), bytes.pos() + (int) end);
    }
    StripeDictionary dictionary =
        new StripeDictionary(data, Arrays.copyOf(offsets, size), Arrays.copyOf(lengths, size));
    TextLength.of(column.fileType).cut(data, dictionary.offsets, dictionary.lengths, size);
    return dictionary;
  }

  @Override
  public int size() {
    return offsets.length;
  }

  @Override
  public byte[] data() {
    return data;
  }

  @Override
  public int filter(PredicateCursor predicate, int[] out) {
    return predicate.filterBytes(false, data, offsets, lengths, offsets.length, out);
  }

  @Override
  public boolean test(PredicateCursor.Compiled predicate, int code) {
    return predicate.test(data, offsets[code], lengths[code]);
  }

  @Override
  public RuntimeException corrupt(String what) {
    return new CorruptStreamException(what);
  }

  @Override
  public void locate(int[] codes, int n, int[] offsets, int[] lengths) {
    check(codes, n);
    for (int i = 0; i < n; i++) {
      offsets[i] = this.offsets[codes[i]];
      lengths[i] = this.lengths[codes[i]];
    }
  }

  @Override
  public byte[] decodeToBinary(int id) {
    if (copies == null) {
      copies = new byte[offsets.length][];
    }
    byte[] copy = copies[id];
    if (copy == null) {
      copy = Arrays.copyOfRange(data, offsets[id], offsets[id] + lengths[id]);
      copies[id] = copy;
    }
    return copy;
  }

  @Override
  public int decodeToInt(int id) {
    throw new UnsupportedOperationException("the dictionary holds byte strings");
  }

  @Override
  public long decodeToLong(int id) {
    return decodeToInt(id);
  }

  @Override
  public float decodeToFloat(int id) {
    return decodeToInt(id);
  }

  @Override
  public double decodeToDouble(int id) {
    return decodeToInt(id);
  }
}
