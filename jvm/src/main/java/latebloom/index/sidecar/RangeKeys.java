// SPDX-License-Identifier: Apache-2.0
package latebloom.index.sidecar;

import java.util.Arrays;
import java.util.List;
import latebloom.bloom.KeyDomain;
import latebloom.bloom.KeyFilter;
import latebloom.read.predicate.ColumnPredicate;

/**
 * What is known of the values of a column in a range of a file: answers false only if no row of the
 * range has what it is asked for. Immutable.
 */
public final class RangeKeys {
  /** Most keys that are looked for one by one. */
  private static final int MOST_LISTED = 1000;

  /** Of a range without rows. */
  static final RangeKeys NO_ROWS = new RangeKeys(false, KeyFilter.empty(KeyDomain.LONGS));

  private final boolean hasNull;

  /** The values that are not null; null if they may be any. */
  private final KeyFilter keys;

  RangeKeys(boolean hasNull, KeyFilter keys) {
    this.hasNull = hasNull;
    this.keys = keys;
  }

  /** {@code set}, {@code bitmap}, {@code bloom}, {@code range}, {@code empty}, or {@code none}. */
  public String form() {
    return keys == null ? "none" : keys.form();
  }

  public boolean mayHaveNull() {
    return hasNull;
  }

  /** Whether a row may have a value that is not null. */
  public boolean mayHaveValue() {
    return keys == null || keys.keys() > 0;
  }

  /** Whether a row may have one of some keys of the column's domain. */
  public boolean mayHaveOneOf(KeyFilter wanted) {
    if (wanted.keys() == 0 || !mayHaveValue()) {
      return false;
    }
    if (keys == null || keys.domain() != wanted.domain()) {
      return true;
    }
    if (isBeyond(keys, wanted) || isBeyond(wanted, keys)) {
      return false;
    }
    List<?> few = wanted.listed(MOST_LISTED);
    if (!few.isEmpty()) {
      return containsAny(keys.predicate(), few);
    }
    List<?> own = keys.listed(MOST_LISTED);
    return own.isEmpty() || containsAny(wanted.predicate(), own);
  }

  /** Whether all keys of one filter are greater than all of the other. */
  private static boolean isBeyond(KeyFilter one, KeyFilter other) {
    if (one.min().isPresent() && other.max().isPresent()) {
      return one.min().getAsLong() > other.max().getAsLong();
    }
    return one.minBytes().isPresent()
        && other.maxBytes().isPresent()
        && Arrays.compareUnsigned(one.minBytes().get(), other.maxBytes().get()) > 0;
  }

  private static boolean containsAny(ColumnPredicate predicate, List<?> keys) {
    if (predicate instanceof ColumnPredicate.Longs longs) {
      return keys.stream().anyMatch(k -> longs.ranges().contains((Long) k));
    }
    if (predicate instanceof ColumnPredicate.Probed probed) {
      return keys.stream().anyMatch(k -> probed.probe().test((Long) k));
    }
    var strings = ((ColumnPredicate.Bytes) predicate).predicate().cursor();
    return keys.stream().anyMatch(k -> strings.test((byte[]) k, 0, ((byte[]) k).length));
  }

  /** Whether a row may have a key between two, both included; of the domain of longs. */
  public boolean mayHaveBetween(long least, long greatest) {
    if (least > greatest || !mayHaveValue()) {
      return false;
    }
    return keys == null
        || keys.domain() != KeyDomain.LONGS
        || !keys.predicate().isDisjoint(least, greatest);
  }

  /**
   * Whether a row may have a key between two, both included; of the domain of bytes.
   *
   * @param least null for no bound
   * @param greatest null for no bound
   */
  public boolean mayHaveBetween(byte[] least, byte[] greatest) {
    if (!mayHaveValue()) {
      return false;
    }
    if (keys == null || keys.domain() != KeyDomain.BYTES) {
      return true;
    }
    boolean isAbove =
        greatest != null
            && keys.minBytes().isPresent()
            && Arrays.compareUnsigned(keys.minBytes().get(), greatest) > 0;
    boolean isBelow =
        least != null
            && keys.maxBytes().isPresent()
            && Arrays.compareUnsigned(keys.maxBytes().get(), least) < 0;
    return !isAbove && !isBelow;
  }
}
