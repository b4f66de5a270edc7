// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.io.Serializable;

/**
 * Limits of a {@link KeyCollector}. Only collectors with the same limits can be merged.
 *
 * @param exactKeys most keys that are stored exactly
 * @param maxBytes limit of a Bloom filter or bitmap, and of exactly stored strings; a Bloom filter
 *     has the largest power of two within it
 * @param maxKeys most keys of any filter
 */
public record KeyLimits(int exactKeys, int maxBytes, long maxKeys) implements Serializable {
  public static final KeyLimits DEFAULT = new KeyLimits(1 << 17, 8 << 20, 1L << 23);

  public KeyLimits {
    if (exactKeys < 1 || maxKeys < 1) {
      throw new IllegalArgumentException("a join filter holds at least one key");
    }
    if (maxBytes < BlockedBloomFilter.MIN_BYTES || maxBytes > BlockedBloomFilter.MAX_BYTES) {
      throw new IllegalArgumentException(
          "a join filter of "
              + maxBytes
              + " bytes: between "
              + BlockedBloomFilter.MIN_BYTES
              + " and "
              + BlockedBloomFilter.MAX_BYTES
              + " are possible");
    }
  }
}
