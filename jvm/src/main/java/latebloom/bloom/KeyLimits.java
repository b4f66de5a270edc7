// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.io.Serializable;

/**
 * Bounds of what a {@link KeyCollector} holds. All that are merged with each other have the same.
 *
 * @param exactKeys as many keys are kept as they are
 * @param maxBytes of a Bloom filter or bitmap, and of strings that are kept as they are; a Bloom
 *     filter has the largest power of two that is not more
 * @param maxKeys with more keys than these there is no filter
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
