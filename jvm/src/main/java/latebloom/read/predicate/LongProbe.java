// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;

/**
 * A set of {@code long} keys (see {@link OrderedKeys}) that can be probed but not listed.
 * Immutable.
 */
public interface LongProbe extends Serializable {
  /** An interval that contains every key of the set. */
  LongRanges range();

  /** Whether the key is in the set. */
  boolean test(long key);

  /** Whether every number of {@code [min, max]} is known to be a key of the set. */
  default boolean covers(long min, long max) {
    return false;
  }

  /** Whether no number of {@code [min, max]} is a key of the set; false if unknown. */
  default boolean isDisjoint(long min, long max) {
    return range().isDisjoint(min, max);
  }

  /**
   * Writes the indexes below {@code n} whose value is in the set, ascending, to the front of {@code
   * out}, which holds at least {@code n}; returns how many it wrote. The rest of {@code out} is
   * undefined.
   */
  int filter(long[] values, int n, int[] out);
}
