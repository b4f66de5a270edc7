// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/**
 * The leaves of {@link BytesPredicate}. Their filter loops repeat on purpose: in one loop over an
 * abstract test the call would be megamorphic and never inlined.
 */
final class BytesPredicateLeaves {
  private BytesPredicateLeaves() {}

  /** A finite set of known strings. */
  abstract static sealed class Finite implements BytesPredicate.WithoutBuffer {
    /** Distinct, in ascending order. */
    abstract List<byte[]> values();

    @Override
    public final boolean isDisjoint(byte[] min, byte[] max) {
      List<byte[]> values = values();
      int i = Collections.binarySearch(values, min, Arrays::compareUnsigned);
      int next = i < 0 ? -i - 1 : i;
      return next == values.size() || Arrays.compareUnsigned(values.get(next), max) > 0;
    }

    /** The values that pass {@code test}. */
    final BytesPredicate retain(BytesPredicate test) {
      BytesPredicate.Cursor cursor = test.cursor();
      List<byte[]> kept = new ArrayList<>();
      for (byte[] value : values()) {
        if (cursor.test(value, 0, value.length)) {
          kept.add(value);
        }
      }
      return BytesPredicate.in(kept);
    }
  }

  /** One string. */
  static final class Equal extends Finite {
    private static final long serialVersionUID = 1L;

    private final Needle value;

    Equal(byte[] value) {
      this.value = new Needle(value);
    }

    @Override
    List<byte[]> values() {
      return List.of(value.bytes());
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      return value.is(data, offset, length);
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (value.is(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }

    @Override
    public String toString() {
      return "= " + quoted(value.bytes());
    }
  }

  /** Two or more strings, in an open-addressing hash table that is at most half full. */
  static final class In extends Finite {
    private static final long serialVersionUID = 1L;

    private final byte[][] table;
    private final byte[][] sorted;

    /** Bit {@code min(length, 63)} is set for each length of a string in the set. */
    private final long lengths;

    /** Distinct values in ascending order. */
    In(List<byte[]> values) {
      table = new byte[Integer.highestOneBit(values.size()) << 2][];
      sorted = values.stream().map(byte[]::clone).toArray(byte[][]::new);
      long seen = 0;
      for (byte[] value : sorted) {
        seen |= 1L << Math.min(value.length, 63);
        int slot = ByteStrings.hash(value, 0, value.length) & table.length - 1;
        while (table[slot] != null) {
          slot = slot + 1 & table.length - 1;
        }
        table[slot] = value;
      }
      lengths = seen;
    }

    @Override
    List<byte[]> values() {
      return Arrays.asList(sorted);
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      if ((lengths >>> Math.min(length, 63) & 1) == 0) {
        return false;
      }
      int slot = ByteStrings.hash(data, offset, length) & table.length - 1;
      for (byte[] value; (value = table[slot]) != null; slot = slot + 1 & table.length - 1) {
        if (Arrays.equals(data, offset, offset + length, value, 0, value.length)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (test(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("IN (");
      for (int i = 0; i < sorted.length; i++) {
        if (i == 16) {
          return text.append(", … (").append(sorted.length).append(" values))").toString();
        }
        text.append(i == 0 ? "" : ", ").append(quoted(sorted[i]));
      }
      return text.append(')').toString();
    }
  }

  /** The strings between two bounds, at least one of them not null. */
  static final class Range implements BytesPredicate.WithoutBuffer {
    private static final long serialVersionUID = 1L;

    private final byte[] lo;
    private final byte[] hi;
    private final boolean loInclusive;
    private final boolean hiInclusive;
    private final long loHead;
    private final long hiHead;

    Range(byte[] lo, boolean loInclusive, byte[] hi, boolean hiInclusive) {
      this.lo = lo == null ? null : lo.clone();
      this.hi = hi == null ? null : hi.clone();
      this.loInclusive = loInclusive;
      this.hiInclusive = hiInclusive;
      loHead = lo == null ? 0 : ByteStrings.head(lo, 0, lo.length);
      hiHead = hi == null ? 0 : ByteStrings.head(hi, 0, hi.length);
    }

    BytesPredicate intersect(Range that) {
      // The greater of two lower bounds applies, the exclusive one if equal; upper bounds likewise.
      int low = lo == null ? -1 : that.lo == null ? 1 : Arrays.compareUnsigned(lo, that.lo);
      int high = hi == null ? 1 : that.hi == null ? -1 : Arrays.compareUnsigned(hi, that.hi);
      Range lower = low > 0 || low == 0 && !loInclusive ? this : that;
      Range upper = high < 0 || high == 0 && !hiInclusive ? this : that;
      return BytesPredicate.range(lower.lo, lower.loInclusive, upper.hi, upper.hiInclusive);
    }

    @Override
    public boolean isDisjoint(byte[] min, byte[] max) {
      int low = lo == null ? 1 : Arrays.compareUnsigned(max, lo);
      int high = hi == null ? -1 : Arrays.compareUnsigned(min, hi);
      return low < 0 || low == 0 && !loInclusive || high > 0 || high == 0 && !hiInclusive;
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      if (lo != null) {
        int order = ByteStrings.compare(data, offset, length, lo, loHead);
        if (order < 0 || order == 0 && !loInclusive) {
          return false;
        }
      }
      if (hi != null) {
        int order = ByteStrings.compare(data, offset, length, hi, hiHead);
        return order < 0 || order == 0 && hiInclusive;
      }
      return true;
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (test(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }

    @Override
    public String toString() {
      String lower = lo == null ? "" : (loInclusive ? ">= " : "> ") + quoted(lo);
      String upper = hi == null ? "" : (hiInclusive ? "<= " : "< ") + quoted(hi);
      return lo == null || hi == null ? lower + upper : lower + " AND " + upper;
    }
  }

  /** The strings with a given prefix. */
  static final class Prefix implements BytesPredicate.WithoutBuffer {
    private static final long serialVersionUID = 1L;

    private final Needle prefix;

    Prefix(byte[] prefix) {
      this.prefix = new Needle(prefix);
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      return length >= prefix.length() && prefix.at(data, offset);
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (test(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }

    @Override
    public String toString() {
      return "starts with " + quoted(prefix.bytes());
    }
  }

  /** The strings with a given suffix. */
  static final class Suffix implements BytesPredicate.WithoutBuffer {
    private static final long serialVersionUID = 1L;

    private final Needle suffix;

    Suffix(byte[] suffix) {
      this.suffix = new Needle(suffix);
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      return length >= suffix.length() && suffix.at(data, offset + length - suffix.length());
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (test(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }

    @Override
    public String toString() {
      return "ends with " + quoted(suffix.bytes());
    }
  }

  /** The strings that contain a given string. */
  static final class Infix implements BytesPredicate.WithoutBuffer {
    private static final long serialVersionUID = 1L;

    private final Needle infix;

    Infix(byte[] infix) {
      this.infix = new Needle(infix);
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      return infix.find(data, offset, offset + length) >= 0;
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      return infix.filter(data, offsets, lengths, n, out, BytesPredicate.Constant.ALL);
    }

    @Override
    public String toString() {
      return "contains " + quoted(infix.bytes());
    }
  }

  /** The strings that match a pattern. */
  static final class Like implements BytesPredicate.WithoutBuffer {
    private static final long serialVersionUID = 1L;

    private final LikePattern pattern;

    Like(LikePattern pattern) {
      this.pattern = pattern;
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      return pattern.matches(data, offset, length);
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      Needle required = pattern.required();
      if (required != null) {
        return required.filter(data, offsets, lengths, n, out, this);
      }
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (pattern.matches(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }

    @Override
    public String toString() {
      return pattern.toString();
    }
  }

  /** Text if the bytes are UTF-8, else hexadecimal digits. */
  private static String quoted(byte[] value) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
      return "'" + text.replace("'", "''") + "'";
    } catch (CharacterCodingException e) {
      return "X'" + HexFormat.of().withUpperCase().formatHex(value) + "'";
    }
  }
}
