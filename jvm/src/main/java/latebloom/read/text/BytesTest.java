// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A set of byte strings, given by a test that each of them passes. Immutable, shared by threads: what
 * tests strings is a {@link Cursor}. Strings are compared and ordered by unsigned bytes, a prefix
 * before what it begins, as Spark does.
 *
 * <p>The leaves are in {@link BytesTestLeaves}; each has a filter loop of its own, so that its test
 * is inlined into it. Combinations go from value to value through the tests of their parts.
 */
public sealed interface BytesTest extends Serializable
    permits BytesTest.WithoutBuffer,
        BytesTest.And,
        BytesTest.Or,
        BytesTest.Not,
        CaseMapped {

  /** Tests strings, with the buffers that it takes: for one thread. */
  Cursor cursor();

  /** Tests strings. Not thread safe. */
  interface Cursor {
    /** Whether the string of {@code length} bytes at {@code offset} passes. */
    boolean test(byte[] data, int offset, int length);

    /**
     * Writes the indexes below {@code n} whose string passes, ascending, to the front of
     * {@code out}, which holds at least {@code n}; returns how many were written. What stands behind
     * them in {@code out} is undefined.
     */
    int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out);
  }

  /** A predicate that is its own cursor, for any number of threads, since it needs no buffer. */
  sealed interface WithoutBuffer extends BytesTest, Cursor
      permits BytesTest.Constant,
          BytesTestLeaves.Finite,
          BytesTestLeaves.Range,
          BytesTestLeaves.Prefix,
          BytesTestLeaves.Suffix,
          BytesTestLeaves.Infix,
          BytesTestLeaves.Like,
          BytesTest.Probe {
    @Override
    default Cursor cursor() {
      return this;
    }
  }

  /** The strings that pass both. */
  default BytesTest and(BytesTest that) {
    if (isNone() || that.isAll()) {
      return this;
    }
    if (that.isNone() || isAll()) {
      return that;
    }
    if (this instanceof BytesTestLeaves.Finite finite) {
      return finite.retain(that);
    }
    if (that instanceof BytesTestLeaves.Finite finite) {
      return finite.retain(this);
    }
    if (this instanceof BytesTestLeaves.Range a && that instanceof BytesTestLeaves.Range b) {
      return a.intersect(b);
    }
    return new And(this, that);
  }

  /** The strings that pass at least one. */
  default BytesTest or(BytesTest that) {
    if (isAll() || that.isNone()) {
      return this;
    }
    if (that.isAll() || isNone()) {
      return that;
    }
    if (this instanceof BytesTestLeaves.Finite a && that instanceof BytesTestLeaves.Finite b) {
      List<byte[]> values = new ArrayList<>(a.values());
      values.addAll(b.values());
      return in(values);
    }
    return new Or(this, that);
  }

  /** The strings that do not pass. */
  default BytesTest negate() {
    return new Not(this);
  }

  /** Whether this is {@link #none()}. False for a test that happens to pass nothing. */
  default boolean isNone() {
    return false;
  }

  /** Whether this is {@link #all()}. False for a test that happens to pass everything. */
  default boolean isAll() {
    return false;
  }

  /** Passes nothing. */
  static BytesTest none() {
    return Constant.NONE;
  }

  /** Passes everything. */
  static BytesTest all() {
    return Constant.ALL;
  }

  /** Passes this one string. */
  static BytesTest equalTo(byte[] value) {
    return new BytesTestLeaves.Equal(value);
  }

  /** Passes these strings. */
  static BytesTest in(Collection<byte[]> values) {
    List<byte[]> distinct = new ArrayList<>(values);
    distinct.sort(Arrays::compareUnsigned);
    for (int i = distinct.size() - 1; i > 0; i--) {
      if (Arrays.equals(distinct.get(i), distinct.get(i - 1))) {
        distinct.remove(i);
      }
    }
    return switch (distinct.size()) {
      case 0 -> none();
      case 1 -> equalTo(distinct.get(0));
      default -> new BytesTestLeaves.In(distinct);
    };
  }

  /** Passes the strings between two bounds; a null bound leaves that side open. */
  static BytesTest range(byte[] lo, boolean loInclusive, byte[] hi, boolean hiInclusive) {
    if (lo == null && hi == null) {
      return all();
    }
    if (lo != null && hi != null) {
      int order = Arrays.compareUnsigned(lo, hi);
      if (order > 0 || order == 0 && !(loInclusive && hiInclusive)) {
        return none();
      }
      if (order == 0) {
        return equalTo(lo);
      }
    }
    return new BytesTestLeaves.Range(lo, loInclusive, hi, hiInclusive);
  }

  /** Passes the strings that begin with {@code prefix}. */
  static BytesTest startsWith(byte[] prefix) {
    return prefix.length == 0 ? all() : new BytesTestLeaves.Prefix(prefix);
  }

  /** Passes the strings that end with {@code suffix}. */
  static BytesTest endsWith(byte[] suffix) {
    return suffix.length == 0 ? all() : new BytesTestLeaves.Suffix(suffix);
  }

  /** Passes the strings that have {@code infix} somewhere. */
  static BytesTest contains(byte[] infix) {
    return infix.length == 0 ? all() : new BytesTestLeaves.Infix(infix);
  }

  /** Passes the strings that match. */
  static BytesTest like(LikePattern pattern) {
    return new BytesTestLeaves.Like(pattern);
  }

  /**
   * Passes the strings whose lower case form, or upper case form, passes {@code mapped}.
   *
   * @param icu whether what is not ASCII is mapped by ICU rather than by Java, as Spark is set
   */
  static BytesTest caseMapped(BytesTest mapped, boolean upper, boolean icu) {
    return mapped instanceof Constant ? mapped : new CaseMapped(mapped, upper, icu);
  }

  /** A set that can be asked for a string but not listed: a Bloom filter. */
  non-sealed interface Probe extends WithoutBuffer {}

  /** Nothing or everything. */
  enum Constant implements WithoutBuffer {
    NONE,
    ALL;

    @Override
    public boolean test(byte[] data, int offset, int length) {
      return this == ALL;
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      if (this == NONE) {
        return 0;
      }
      for (int i = 0; i < n; i++) {
        out[i] = i;
      }
      return n;
    }

    @Override
    public BytesTest negate() {
      return this == ALL ? NONE : ALL;
    }

    @Override
    public boolean isNone() {
      return this == NONE;
    }

    @Override
    public boolean isAll() {
      return this == ALL;
    }

    @Override
    public String toString() {
      return this == ALL ? "all" : "none";
    }
  }

  /** What passes both. */
  record And(BytesTest first, BytesTest second) implements BytesTest {
    @Override
    public Cursor cursor() {
      return new BytesCursors.Both(first.cursor(), second.cursor());
    }

    @Override
    public String toString() {
      return "(" + first + " AND " + second + ")";
    }
  }

  /** What passes one or the other. */
  record Or(BytesTest first, BytesTest second) implements BytesTest {
    @Override
    public Cursor cursor() {
      return new BytesCursors.Either(first.cursor(), second.cursor());
    }

    @Override
    public String toString() {
      return "(" + first + " OR " + second + ")";
    }
  }

  /** What does not pass. */
  record Not(BytesTest test) implements BytesTest {
    @Override
    public Cursor cursor() {
      return new BytesCursors.Others(test.cursor());
    }

    @Override
    public BytesTest negate() {
      return test;
    }

    @Override
    public String toString() {
      return "NOT " + test;
    }
  }
}
