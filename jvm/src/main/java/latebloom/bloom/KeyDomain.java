// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

/** What the keys of a join filter are. */
public enum KeyDomain {
  /**
   * Values of fixed width, as their ordered keys: see {@link latebloom.read.predicate.OrderedKeys}.
   */
  LONGS,

  /**
   * Strings, binary, and decimals of more than 18 digits as {@link
   * latebloom.read.predicate.DecimalKeys}.
   */
  BYTES,

  /** Hashes of 64 bits that stand for the values of several columns. Their order means nothing. */
  HASHES;

  /** The hash under which a {@code long} key is put into a Bloom filter. */
  long hash(long key) {
    return this == HASHES ? key : KeyHash.of(key);
  }
}
