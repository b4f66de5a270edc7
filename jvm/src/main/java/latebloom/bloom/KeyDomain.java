// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

/** The kind of a join filter's keys. */
public enum KeyDomain {
  /** Ordered keys of values of fixed width: see {@link latebloom.read.predicate.OrderedKeys}. */
  LONGS,

  /**
   * Strings, binary, and decimals of more than 18 digits as {@link
   * latebloom.read.predicate.DecimalKeys}.
   */
  BYTES,

  /** 64-bit hashes of the values of several columns. Their order has no meaning. */
  HASHES;

  /** The hash of a {@code long} key in a Bloom filter. */
  long hash(long key) {
    return this == HASHES ? key : KeyHash.of(key);
  }
}
