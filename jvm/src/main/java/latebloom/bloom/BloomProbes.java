// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import latebloom.read.predicate.LongProbe;
import latebloom.read.predicate.LongRanges;
import latebloom.read.text.BytesPredicate;

/** Probes a Bloom filter in each domain. */
final class BloomProbes {
  private BloomProbes() {}

  /** Probes with keys between {@code min} and {@code max}. */
  record OfKeys(BlockedBloomFilter bloom, long min, long max) implements LongProbe {
    @Override
    public LongRanges range() {
      return LongRanges.of(min, max);
    }

    @Override
    public boolean test(long key) {
      return min <= key && key <= max && bloom.mightContain(KeyHash.of(key));
    }

    @Override
    public int filter(long[] values, int n, int[] out) {
      return bloom.filterKeys(values, n, min, max - min, out);
    }

    @Override
    public String toString() {
      return bloom.toString();
    }
  }

  /** Probes with keys that are hashes. */
  record OfHashes(BlockedBloomFilter bloom) implements LongProbe {
    @Override
    public LongRanges range() {
      return LongRanges.all();
    }

    @Override
    public boolean test(long key) {
      return bloom.mightContain(key);
    }

    @Override
    public int filter(long[] values, int n, int[] out) {
      return bloom.filter(values, n, out);
    }
  }

  /** Probes with strings. */
  record OfStrings(BlockedBloomFilter bloom) implements BytesPredicate.Probe {
    @Override
    public boolean test(byte[] data, int offset, int length) {
      return bloom.mightContain(KeyHash.of(data, offset, length));
    }

    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        out[k] = i;
        k += bloom.mightContain(KeyHash.of(data, offsets[i], lengths[i])) ? 1 : 0;
      }
      return k;
    }
  }
}
