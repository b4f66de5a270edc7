// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Optional;

/**
 * Gathers the keys of one side of a join, first in each task, then over all tasks. Not thread safe.
 *
 * <p>Stores keys exactly while they are few. Beyond {@link KeyLimits#exactKeys} keys, or {@link
 * KeyLimits#maxBytes} of strings, it moves {@code long} keys that lie close enough together to a
 * bitmap, and others to a Bloom filter of the largest size, since their final number is unknown;
 * {@link #finish} folds it to the size that they need. Beyond {@link KeyLimits#maxKeys} keys there
 * is no filter.
 */
public final class KeyCollector implements KeyGathering {
  private static final int MAGIC = 0x434b424c;

  /** Most bits per key of a bitmap; a Bloom filter has ten to twenty. */
  private static final int BITS_PER_KEY = 128;

  private final KeyDomain domain;
  private final KeyLimits limits;

  private KeyStorage keys;
  private long count;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;
  private ByteBounds bounds = new ByteBounds();

  public KeyCollector(KeyDomain domain, KeyLimits limits) {
    this.domain = domain;
    this.limits = limits;
    keys = domain == KeyDomain.BYTES ? new ByteKeySet() : new LongKeySet();
  }

  /**
   * The number of distinct keys, exact until a Bloom filter holds them. A Bloom filter counts the
   * keys that changed a bit; a merge of two estimates the count by their bits, between the larger
   * count and the sum of both.
   */
  public long count() {
    return count;
  }

  @Override
  public boolean overflowed() {
    return keys == KeyStorage.TooManyKeys.INSTANCE;
  }

  /** Memory of the keys, in bytes. */
  public long memory() {
    return keys.memory();
  }

  /** Adds an ordered key, of {@link KeyDomain#LONGS}. */
  public void add(long key) {
    require(KeyDomain.LONGS);
    min = Math.min(min, key);
    max = Math.max(max, key);
    addLong(key);
  }

  /** Adds the hash of several values, of {@link KeyDomain#HASHES}. */
  public void addHash(long hash) {
    require(KeyDomain.HASHES);
    addLong(hash);
  }

  /** Adds a string, of {@link KeyDomain#BYTES}. */
  public void add(byte[] data, int offset, int length) {
    require(KeyDomain.BYTES);
    if (!overflowed()) {
      bounds.add(data, offset, length);
      addString(data, offset, length, KeyHash.of(data, offset, length));
    }
  }

  private void require(KeyDomain wanted) {
    if (domain != wanted) {
      throw new IllegalStateException("a key of " + wanted + " among " + domain);
    }
  }

  private void addLong(long key) {
    if (keys instanceof LongKeySet set) {
      if (set.add(key)) {
        counted();
        if (count > limits.exactKeys() && !overflowed()) {
          spread(set);
        }
      }
    } else if (keys instanceof KeyBitmap bitmap) {
      if (!KeyBitmap.fits(min, max, limits.maxBytes())) {
        toBloom();
        addLong(key);
        return;
      }
      bitmap.reach(min, max, limits.maxBytes());
      if (bitmap.add(key)) {
        counted();
      }
    } else if (keys instanceof BlockedBloomFilter bloom && bloom.add(domain.hash(key))) {
      counted();
    }
  }

  private void addString(byte[] data, int offset, int length, long hash) {
    if (keys instanceof ByteKeySet set
        && (set.size() == limits.exactKeys() || (long) set.length() + length > limits.maxBytes())) {
      toBloom();
    }
    if (keys instanceof ByteKeySet set && set.add(data, offset, length, hash)
        || keys instanceof BlockedBloomFilter bloom && bloom.add(hash)) {
      counted();
    }
  }

  private void counted() {
    if (++count > limits.maxKeys()) {
      overflow();
    }
  }

  private void overflow() {
    keys = KeyStorage.TooManyKeys.INSTANCE;
    bounds = new ByteBounds();
  }

  /** Moves a set of {@code long} keys to a bitmap, or else to a Bloom filter. */
  private void spread(LongKeySet set) {
    if (domain == KeyDomain.LONGS && KeyBitmap.fits(min, max, limits.maxBytes())) {
      KeyBitmap bitmap = new KeyBitmap(min, max);
      set.forEach(bitmap::add);
      keys = bitmap;
    } else {
      toBloom();
    }
  }

  /** Moves the keys to a Bloom filter of the largest size. */
  private void toBloom() {
    keys = bloom(limits.maxBytes());
  }

  /** A Bloom filter of so many bytes with the keys, which are not in one yet. */
  private BlockedBloomFilter bloom(int bytes) {
    BlockedBloomFilter all = BlockedBloomFilter.ofSize(bytes);
    keys.forEachHash(domain, all::add);
    return all;
  }

  /** {@inheritDoc} They must have the same domain and limits. */
  @Override
  public void merge(KeyGathering other) {
    if (!(other instanceof KeyCollector that)
        || domain != that.domain
        || !limits.equals(that.limits)) {
      throw new IllegalArgumentException("join filters of different kinds do not merge");
    }
    boolean over = overflowed() || that.overflowed();
    min = Math.min(min, that.min);
    max = Math.max(max, that.max);
    bounds.add(that.bounds);
    if (over) {
      count = Math.max(count, that.count);
      overflow();
      return;
    }
    if (that.keys instanceof BlockedBloomFilter && !(keys instanceof BlockedBloomFilter)
        || that.keys instanceof KeyBitmap && keys instanceof LongKeySet) {
      swap(that);
    }
    if (that.keys instanceof LongKeySet set) {
      set.forEach(this::addLong);
    } else if (that.keys instanceof ByteKeySet set) {
      for (int i = 0; i < set.size(); i++) {
        byte[] s = set.get(i);
        addString(s, 0, s.length, set.hash(i));
      }
    } else if (that.keys instanceof KeyBitmap bitmap) {
      mergeBitmap(bitmap);
    } else {
      mergeBloom((BlockedBloomFilter) keys, (BlockedBloomFilter) that.keys, that.count);
    }
  }

  private void swap(KeyCollector that) {
    KeyStorage otherKeys = that.keys;
    long otherCount = that.count;
    that.keys = keys;
    that.count = count;
    keys = otherKeys;
    count = otherCount;
  }

  private void mergeBitmap(KeyBitmap other) {
    if (!(keys instanceof KeyBitmap bitmap)) {
      other.forEach(this::addLong);
    } else if (!KeyBitmap.fits(min, max, limits.maxBytes())) {
      toBloom();
      other.forEach(this::addLong);
    } else {
      bitmap.reach(min, max, limits.maxBytes());
      bitmap.addAll(other);
      count = bitmap.size();
      if (count > limits.maxKeys()) {
        overflow();
      }
    }
  }

  private void mergeBloom(BlockedBloomFilter bloom, BlockedBloomFilter other, long otherCount) {
    bloom.or(other);
    long least = Math.max(count, otherCount);
    count = Math.max(least, Math.min(bloom.estimatedKeys(), count + otherCount));
    if (count > limits.maxKeys()) {
      overflow();
    }
  }

  @Override
  public Optional<KeyFilter> finish() {
    if (overflowed()) {
      return Optional.empty();
    }
    if (count == 0) {
      return Optional.of(KeyFilter.empty(domain));
    }
    if (keys instanceof LongKeySet set) {
      return Optional.of(new KeyForms.LongSet(domain, set.sorted()));
    }
    if (keys instanceof ByteKeySet set) {
      return Optional.of(new KeyForms.StringSet(set, bounds));
    }
    if (keys instanceof KeyBitmap bitmap && (max >> 6) - (min >> 6) < count * BITS_PER_KEY >> 6) {
      return Optional.of(new KeyForms.Bitmap(domain, bitmap.trimmed(min, max)));
    }
    int bytes = BlockedBloomFilter.bytesFor(count, limits.maxBytes());
    BlockedBloomFilter fit =
        keys instanceof BlockedBloomFilter bloom ? bloom.foldedTo(bytes) : bloom(bytes);
    return Optional.of(new KeyForms.Bloom(domain, fit, count, min, max, bounds));
  }

  /** The range from the least to the greatest key, however many there are; for LONGS, else none. */
  public Optional<KeyFilter> range() {
    if (domain != KeyDomain.LONGS) {
      return Optional.empty();
    }
    return Optional.of(min > max ? KeyFilter.empty(domain) : new KeyForms.Between(1, min, max));
  }

  @Override
  public byte[] serialize() {
    KeyOutput out = new KeyOutput(MAGIC);
    out.writeByte(domain.ordinal());
    out.writeInt(limits.exactKeys());
    out.writeInt(limits.maxBytes());
    out.writeLong(limits.maxKeys());
    out.writeLong(count);
    out.writeLong(min);
    out.writeLong(max);
    out.writeBounds(bounds);
    keys.write(out);
    return out.finish();
  }

  /**
   * Reads the bytes of {@link #serialize}.
   *
   * @throws IllegalArgumentException or another unchecked exception for any other bytes
   */
  public static KeyCollector deserialize(byte[] bytes) {
    KeyInput in = new KeyInput(bytes, MAGIC);
    KeyDomain domain = in.readDomain();
    KeyLimits limits = new KeyLimits(in.readInt(), in.readInt(), in.readLong());
    KeyCollector collector = new KeyCollector(domain, limits);
    collector.count = in.readLong();
    collector.min = in.readLong();
    collector.max = in.readLong();
    collector.bounds = in.readBounds();
    collector.keys = KeyStorage.read(in);
    in.finish();
    return collector;
  }
}
