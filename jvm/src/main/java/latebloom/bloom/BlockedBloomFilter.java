// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;

/**
 * A Bloom filter that keeps all bits of a key in one block of 256, so that a probe touches one or
 * two cache lines: the split-block filter of the Parquet format (parquet-format, BloomFilter.md),
 * with the same bytes.
 *
 * <p>A block is eight words of 32 bits. The upper half of a key's hash selects the block; the five
 * highest bits of its lower half times one of eight odd constants select the bit in each word. Here
 * one {@code long} holds two words, the first one low.
 *
 * <p>The number of blocks is a power of two, so that the hash's highest bits are the block's index.
 * Half as many blocks need one bit less: folding joins each even block with the odd one after it,
 * and yields the same filter as one built in the smaller size.
 */
public final class BlockedBloomFilter implements KeyStorage, Serializable {
  static final int CODE = 3;
  private static final long serialVersionUID = 1L;

  public static final int MIN_BYTES = 32;
  public static final int MAX_BYTES = 128 << 20;

  /**
   * The fewest bits per key that {@link #bytesFor} allows. Sizes are powers of two, so it allows up
   * to twice as many: from 1 in 80 down to 1 in 2,400 keys outside the filter pass.
   */
  static final int BITS_PER_KEY = 10;

  private static final int SALT0 = 0x47b6137b;
  private static final int SALT1 = 0x44974d91;
  private static final int SALT2 = 0x8824ad5b;
  private static final int SALT3 = 0xa2b7289d;
  private static final int SALT4 = 0x705495c7;
  private static final int SALT5 = 0x2df1424b;
  private static final int SALT6 = 0x9efc4947;
  private static final int SALT7 = 0x5c6bfb31;

  private final long[] words;

  /** For a hash already shifted by one, since Java ignores a shift by 64. */
  private final int shift;

  private BlockedBloomFilter(long[] words) {
    this.words = words;
    this.shift = 63 - Integer.numberOfTrailingZeros(words.length >>> 2);
  }

  /** An empty filter of the largest possible size up to {@code bytes}. */
  public static BlockedBloomFilter ofSize(int bytes) {
    if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
      throw new IllegalArgumentException("a Bloom filter of " + bytes + " bytes");
    }
    return new BlockedBloomFilter(new long[Integer.highestOneBit(bytes) >>> 3]);
  }

  /**
   * A filter with the blocks in {@code bytes}, as Parquet stores them.
   *
   * @throws IllegalArgumentException if no filter has that number of bytes
   */
  public static BlockedBloomFilter of(ByteBuffer bytes) {
    int n = bytes.remaining();
    if (n < MIN_BYTES || n > MAX_BYTES || Integer.bitCount(n) != 1) {
      throw new IllegalArgumentException("a Bloom filter of " + n + " bytes");
    }
    long[] words = new long[n >>> 3];
    bytes.slice().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
    return new BlockedBloomFilter(words);
  }

  /** The blocks as Parquet stores them. */
  public byte[] toBytes() {
    byte[] bytes = new byte[bytes()];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(words);
    return bytes;
  }

  /** The size for so many keys, at most {@code maxBytes}. */
  public static int bytesFor(long keys, int maxBytes) {
    int bytes = MIN_BYTES;
    while (bytes <= maxBytes >> 1 && keys * BITS_PER_KEY > 8L * bytes) {
      bytes <<= 1;
    }
    return bytes;
  }

  /** Size of the blocks in memory. */
  public int bytes() {
    return words.length << 3;
  }

  @Override
  public long memory() {
    return bytes();
  }

  @Override
  public void forEachHash(KeyDomain domain, LongConsumer action) {
    throw new UnsupportedOperationException("a Bloom filter cannot list its keys");
  }

  @Override
  public void write(KeyOutput out) {
    out.writeByte(CODE);
    out.writeBloom(this);
  }

  /** Adds a key; returns whether that changed a bit. */
  public boolean add(long hash) {
    int at = block(hash, shift);
    int low = (int) hash;
    return set(at, low, SALT0, SALT1)
        | set(at + 1, low, SALT2, SALT3)
        | set(at + 2, low, SALT4, SALT5)
        | set(at + 3, low, SALT6, SALT7);
  }

  private boolean set(int at, int low, int salt, int nextSalt) {
    long before = words[at];
    words[at] |= 1L << (low * salt >>> 27) | 1L << (low * nextSalt >>> 27 | 32);
    return words[at] != before;
  }

  /** Adds the keys of a filter of the same size. */
  public void or(BlockedBloomFilter that) {
    if (that.words.length != words.length) {
      throw new IllegalArgumentException(
          "Bloom filters of " + bytes() + " and " + that.bytes() + " bytes");
    }
    for (int i = 0; i < words.length; i++) {
      words[i] |= that.words[i];
    }
  }

  /** The same keys folded to {@code bytes}, a possible size that is no larger than this one. */
  public BlockedBloomFilter foldedTo(int bytes) {
    long[] from = words;
    while (from.length << 3 > bytes) {
      long[] half = new long[from.length >>> 1];
      for (int i = 0; i < half.length; i++) {
        int even = (i & -4) << 1 | i & 3;
        half[i] = from[even] | from[even + 4];
      }
      from = half;
    }
    return from == words ? this : new BlockedBloomFilter(from);
  }

  /**
   * Estimates how many keys were added, from the share of zero bits. Chance makes it too low or too
   * high; it is {@link Long#MAX_VALUE} when no zero bit is left.
   */
  public long estimatedKeys() {
    long set = 0;
    for (long word : words) {
      set += Long.bitCount(word);
    }
    double bits = 64.0 * words.length;
    return set == bits ? Long.MAX_VALUE : Math.round(-bits / 8 * Math.log1p(-set / bits));
  }

  public boolean mightContain(long hash) {
    return (first(words, shift, hash) & rest(words, shift, hash)) != 0;
  }

  /**
   * Writes the indexes below {@code n} whose hash may be a key's, ascending, to the front of {@code
   * out}, which holds at least {@code n}; returns how many it wrote.
   *
   * <p>Tests two of the eight bits first, then the others on the remaining hashes: the first step
   * drops nearly all other keys. If few pass, that takes 0.6 times as long as testing eight bits at
   * once, if nearly all pass, 1.3 times; blocks of ints take as long as these. Neither step has a
   * branch that depends on a value: see {@link latebloom.read.predicate.LongRanges#filter}.
   */
  public int filter(long[] hashes, int n, int[] out) {
    long[] w = words;
    int s = shift;
    int left = 0;
    for (int i = 0; i < n; i++) {
      out[left] = i;
      left += first(w, s, hashes[i]);
    }
    int k = 0;
    for (int i = 0; i < left; i++) {
      int row = out[i];
      out[k] = row;
      k += rest(w, s, hashes[row]);
    }
    return k;
  }

  /** As {@link #filter}, for keys that must also lie in {@code [min, min + width]}. */
  int filterKeys(long[] keys, int n, long min, long width, int[] out) {
    long[] w = words;
    int s = shift;
    int left = 0;
    for (int i = 0; i < n; i++) {
      long key = keys[i];
      out[left] = i;
      int within = Long.compareUnsigned(key - min, width) <= 0 ? 1 : 0;
      left += first(w, s, KeyHash.of(key)) & within;
    }
    int k = 0;
    for (int i = 0; i < left; i++) {
      int row = out[i];
      out[k] = row;
      k += rest(w, s, KeyHash.of(keys[row]));
    }
    return k;
  }

  /** Index of the first of the four longs of the hash's block. */
  private static int block(long hash, int shift) {
    return (int) (hash >>> 1 >>> shift) << 2;
  }

  private static int first(long[] words, int shift, long hash) {
    return both(words[block(hash, shift)], (int) hash, SALT0, SALT1);
  }

  private static int rest(long[] words, int shift, long hash) {
    int at = block(hash, shift);
    int low = (int) hash;
    return both(words[at + 1], low, SALT2, SALT3)
        & both(words[at + 2], low, SALT4, SALT5)
        & both(words[at + 3], low, SALT6, SALT7);
  }

  /** 1 if the bits of both words in {@code pair} are set, else 0. */
  private static int both(long pair, int low, int salt, int nextSalt) {
    return (int) (pair >>> (low * salt >>> 27)) & (int) (pair >>> (low * nextSalt >>> 27 | 32)) & 1;
  }

  @Override
  public String toString() {
    return "Bloom filter of " + bytes() + " bytes";
  }
}
