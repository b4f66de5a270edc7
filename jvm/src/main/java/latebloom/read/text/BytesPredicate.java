// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A predicate of byte strings. Immutable and shared by threads: a {@link Cursor} tests strings.
 * Strings compare by unsigned bytes, a prefix before its extensions, as in Spark.
 *
 * <p>The leaves are in {@link BytesPredicateLeaves}; each has its own filter loop, into which the
 * JIT inlines its test. Combinations test value by value through their parts.
 */
public sealed interface BytesPredicate extends Serializable
    permits BytesPredicate.WithoutBuffer,
        BytesPredicate.And,
        BytesPredicate.Or,
        BytesPredicate.Not,
        CaseMappedPredicate {

  /** A cursor that tests strings with its own buffers, for one thread. */
  Cursor cursor();

  /** Tests strings. Not thread safe. */
  interface Cursor {
    /** Whether the string of {@code length} bytes at {@code offset} passes. */
    boolean test(byte[] data, int offset, int length);

    /**
     * Writes the indexes below {@code n} whose string passes, ascending, to the front of {@code
     * out}, which holds at least {@code n}; returns how many it wrote. The rest of {@code out} is
     * undefined.
     */
    int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out);
  }

  /** A predicate that needs no buffer and so is its own cursor, for any number of threads. */
  sealed interface WithoutBuffer extends BytesPredicate, Cursor
      permits BytesPredicate.Constant,
          BytesPredicateLeaves.Finite,
          BytesPredicateLeaves.Range,
          BytesPredicateLeaves.Prefix,
          BytesPredicateLeaves.Suffix,
          BytesPredicateLeaves.Infix,
          BytesPredicateLeaves.Like,
          BytesPredicate.Probe {
    @Override
    default Cursor cursor() {
      return this;
    }
  }

  /** Passes the strings that pass both. */
  default BytesPredicate and(BytesPredicate that) {
    if (isNone() || that.isAll()) {
      return this;
    }
    if (that.isNone() || isAll()) {
      return that;
    }
    if (this instanceof BytesPredicateLeaves.Finite finite) {
      return finite.retain(that);
    }
    if (that instanceof BytesPredicateLeaves.Finite finite) {
      return finite.retain(this);
    }
    if (this instanceof BytesPredicateLeaves.Range a
        && that instanceof BytesPredicateLeaves.Range b) {
      return a.intersect(b);
    }
    return new And(this, that);
  }

  /** Passes the strings that pass at least one. */
  default BytesPredicate or(BytesPredicate that) {
    if (isAll() || that.isNone()) {
      return this;
    }
    if (that.isAll() || isNone()) {
      return that;
    }
    if (this instanceof BytesPredicateLeaves.Finite a
        && that instanceof BytesPredicateLeaves.Finite b) {
      List<byte[]> values = new ArrayList<>(a.values());
      values.addAll(b.values());
      return in(values);
    }
    return new Or(this, that);
  }

  /** Passes the strings that do not pass this. */
  default BytesPredicate negate() {
    return new Not(this);
  }

  /** Whether this is {@link #none()}. False for a predicate that happens to pass nothing. */
  default boolean isNone() {
    return false;
  }

  /** Whether this is {@link #all()}. False for a predicate that happens to pass everything. */
  default boolean isAll() {
    return false;
  }

  /**
   * Whether no string between {@code min} and {@code max}, both included, passes; false if unknown.
   */
  default boolean isDisjoint(byte[] min, byte[] max) {
    return isNone();
  }

  /** Passes nothing. */
  static BytesPredicate none() {
    return Constant.NONE;
  }

  /** Passes everything. */
  static BytesPredicate all() {
    return Constant.ALL;
  }

  /** Passes this one string. */
  static BytesPredicate equalTo(byte[] value) {
    return new BytesPredicateLeaves.Equal(value);
  }

  /** Passes these strings. */
  static BytesPredicate in(Collection<byte[]> values) {
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
      default -> new BytesPredicateLeaves.In(distinct);
    };
  }

  /** Passes the strings between two bounds; a null bound leaves that side open. */
  static BytesPredicate range(byte[] lo, boolean loInclusive, byte[] hi, boolean hiInclusive) {
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
    return new BytesPredicateLeaves.Range(lo, loInclusive, hi, hiInclusive);
  }

  /** Passes the strings that begin with {@code prefix}. */
  static BytesPredicate startsWith(byte[] prefix) {
    return prefix.length == 0 ? all() : new BytesPredicateLeaves.Prefix(prefix);
  }

  /** Passes the strings that end with {@code suffix}. */
  static BytesPredicate endsWith(byte[] suffix) {
    return suffix.length == 0 ? all() : new BytesPredicateLeaves.Suffix(suffix);
  }

  /** Passes the strings that contain {@code infix}. */
  static BytesPredicate contains(byte[] infix) {
    return infix.length == 0 ? all() : new BytesPredicateLeaves.Infix(infix);
  }

  /** Passes the strings that match. */
  static BytesPredicate like(LikePattern pattern) {
    return new BytesPredicateLeaves.Like(pattern);
  }

  /**
   * Passes the strings whose lower or upper case form passes {@code mapped}.
   *
   * @param icu whether ICU rather than Java maps non-ASCII text, as configured in Spark
   */
  static BytesPredicate caseMapped(BytesPredicate mapped, boolean upper, boolean icu) {
    return mapped instanceof Constant ? mapped : new CaseMappedPredicate(mapped, upper, icu);
  }

  /** A set that can be probed but not listed: a Bloom filter. */
  non-sealed interface Probe extends WithoutBuffer {}

  /** Passes nothing or everything. */
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
    public BytesPredicate negate() {
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

  /** Passes strings that pass both. */
  record And(BytesPredicate first, BytesPredicate second) implements BytesPredicate {
    @Override
    public Cursor cursor() {
      return new BytesPredicateCursors.And(first.cursor(), second.cursor());
    }

    @Override
    public boolean isDisjoint(byte[] min, byte[] max) {
      return first.isDisjoint(min, max) || second.isDisjoint(min, max);
    }

    @Override
    public String toString() {
      return "(" + first + " AND " + second + ")";
    }
  }

  /** Passes strings that pass either. */
  record Or(BytesPredicate first, BytesPredicate second) implements BytesPredicate {
    @Override
    public Cursor cursor() {
      return new BytesPredicateCursors.Or(first.cursor(), second.cursor());
    }

    @Override
    public boolean isDisjoint(byte[] min, byte[] max) {
      return first.isDisjoint(min, max) && second.isDisjoint(min, max);
    }

    @Override
    public String toString() {
      return "(" + first + " OR " + second + ")";
    }
  }

  /** Passes strings that do not pass the other. */
  record Not(BytesPredicate negated) implements BytesPredicate {
    @Override
    public Cursor cursor() {
      return new BytesPredicateCursors.Not(negated.cursor());
    }

    @Override
    public BytesPredicate negate() {
      return negated;
    }

    @Override
    public String toString() {
      return "NOT " + negated;
    }
  }
}
