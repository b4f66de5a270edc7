// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Optional;

/**
 * Gathers the keys of one side of a join: in each task, then of all tasks together. One thread at a
 * time.
 *
 * <p>Keys are kept as they are while they are few. When there are more than
 * {@link KeyLimits#exactKeys}, or strings of more than {@link KeyLimits#maxBytes}, they go over to
 * a bitmap if they are {@code long} keys that lie close enough together, else to a Bloom filter of
 * the largest size, since nobody knows how many more there will be; {@link #finish} folds it to the
 * size that they turned out to need. With more than {@link KeyLimits#maxKeys} keys there is no
 * filter.
 */
public final class KeyCollector {
  private static final int MAGIC = 0x434b424c;

  private static final int LONGS = 0;
  private static final int STRINGS = 1;
  private static final int BITMAP = 2;
  private static final int BLOOM = 3;
  private static final int OVERFLOWED = 4;

  /** A bitmap has at most so many bits for each key; a Bloom filter has ten to twenty. */
  private static final int BITS_PER_KEY = 128;

  private final KeyDomain domain;
  private final KeyLimits limits;

  /** One of these holds the keys; none after an overflow. */
  private LongKeySet longs;

  private ByteKeySet strings;
  private KeyBitmap bitmap;
  private BlockedBloomFilter bloom;

  private long count;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;
  private ByteBounds bounds = new ByteBounds();

  public KeyCollector(KeyDomain domain, KeyLimits limits) {
    this.domain = domain;
    this.limits = limits;
    if (domain == KeyDomain.BYTES) {
      strings = new ByteKeySet();
    } else {
      longs = new LongKeySet();
    }
  }

  /**
   * How many distinct keys there are: exact while no Bloom filter holds them. Of a Bloom filter
   * those are counted that changed a bit, and where two are joined it is estimated by their bits,
   * between the larger count and the sum of both.
   */
  public long count() {
    return count;
  }

  /** Whether there are too many keys for a filter. */
  public boolean overflowed() {
    return longs == null && strings == null && bitmap == null && bloom == null;
  }

  /** Memory that the keys take, in bytes. */
  public long memory() {
    if (longs != null) {
      return longs.memory();
    } else if (strings != null) {
      return strings.memory();
    } else if (bitmap != null) {
      return bitmap.memory();
    }
    return bloom == null ? 0 : bloom.bytes();
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
    if (longs != null) {
      if (longs.add(key)) {
        counted();
        if (count > limits.exactKeys()) {
          spread();
        }
      }
    } else if (bitmap != null) {
      if (!KeyBitmap.fits(min, max, limits.maxBytes())) {
        bloom();
        addLong(key);
        return;
      }
      bitmap.reach(min, max, limits.maxBytes());
      if (bitmap.add(key)) {
        counted();
      }
    } else if (bloom != null && bloom.add(hash(key))) {
      counted();
    }
  }

  private void addString(byte[] data, int offset, int length, long hash) {
    if (strings != null
        && (strings.size() == limits.exactKeys()
            || (long) strings.length() + length > limits.maxBytes())) {
      bloom();
    }
    if (strings != null && strings.add(data, offset, length, hash)
        || bloom != null && bloom.add(hash)) {
      counted();
    }
  }

  private long hash(long key) {
    return domain == KeyDomain.HASHES ? key : KeyHash.of(key);
  }

  private void counted() {
    if (++count > limits.maxKeys()) {
      overflow();
    }
  }

  private void overflow() {
    clear();
    bounds = new ByteBounds();
  }

  private void clear() {
    longs = null;
    strings = null;
    bitmap = null;
    bloom = null;
  }

  /** From a set of {@code long} keys to a bitmap, or else to a Bloom filter. */
  private void spread() {
    if (longs != null && domain == KeyDomain.LONGS && KeyBitmap.fits(min, max, limits.maxBytes())) {
      KeyBitmap spread = new KeyBitmap(min, max);
      longs.forEach(spread::add);
      clear();
      bitmap = spread;
    } else {
      bloom();
    }
  }

  /** From whatever holds the keys to a Bloom filter of the largest size. */
  private void bloom() {
    if (bloom == null && !overflowed()) {
      BlockedBloomFilter all = bloom(limits.maxBytes());
      clear();
      bloom = all;
    }
  }

  /** The keys, which no Bloom filter holds yet, in one of so many bytes. */
  private BlockedBloomFilter bloom(int bytes) {
    BlockedBloomFilter all = BlockedBloomFilter.ofSize(bytes);
    if (longs != null) {
      longs.forEach(key -> all.add(hash(key)));
    } else if (bitmap != null) {
      bitmap.forEach(key -> all.add(hash(key)));
    } else {
      for (int i = 0; i < strings.size(); i++) {
        all.add(strings.hash(i));
      }
    }
    return all;
  }

  /** Adds all keys of another, of the same domain and limits, which must not be used any more. */
  public void merge(KeyCollector that) {
    if (domain != that.domain || !limits.equals(that.limits)) {
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
    if (bloom == null && that.bloom != null || longs != null && that.bitmap != null) {
      swap(that);
    }
    if (that.longs != null) {
      that.longs.forEach(this::addLong);
    } else if (that.strings != null) {
      for (int i = 0; i < that.strings.size(); i++) {
        byte[] s = that.strings.get(i);
        addString(s, 0, s.length, that.strings.hash(i));
      }
    } else if (that.bitmap != null) {
      mergeBitmap(that.bitmap);
    } else {
      mergeBloom(that);
    }
  }

  private void swap(KeyCollector that) {
    LongKeySet otherLongs = that.longs;
    ByteKeySet otherStrings = that.strings;
    KeyBitmap otherBitmap = that.bitmap;
    BlockedBloomFilter otherBloom = that.bloom;
    long otherCount = that.count;
    that.longs = longs;
    that.strings = strings;
    that.bitmap = bitmap;
    that.bloom = bloom;
    that.count = count;
    longs = otherLongs;
    strings = otherStrings;
    bitmap = otherBitmap;
    bloom = otherBloom;
    count = otherCount;
  }

  private void mergeBitmap(KeyBitmap other) {
    if (bitmap == null || !KeyBitmap.fits(min, max, limits.maxBytes())) {
      bloom();
      other.forEach(this::addLong);
      return;
    }
    bitmap.reach(min, max, limits.maxBytes());
    bitmap.addAll(other);
    count = bitmap.size();
    if (count > limits.maxKeys()) {
      overflow();
    }
  }

  private void mergeBloom(KeyCollector that) {
    bloom.or(that.bloom);
    long least = Math.max(count, that.count);
    count = Math.max(least, Math.min(bloom.estimatedKeys(), count + that.count));
    if (count > limits.maxKeys()) {
      overflow();
    }
  }

  /** The filter of all keys; nothing after an overflow. */
  public Optional<KeyFilter> finish() {
    if (overflowed()) {
      return Optional.empty();
    }
    if (count == 0) {
      return Optional.of(KeyFilter.empty(domain));
    }
    if (longs != null) {
      return Optional.of(new KeyForms.LongSet(domain, longs.sorted()));
    }
    if (strings != null) {
      return Optional.of(new KeyForms.StringSet(strings, bounds));
    }
    if (bitmap != null && (max >> 6) - (min >> 6) < count * BITS_PER_KEY >> 6) {
      return Optional.of(new KeyForms.Bitmap(domain, bitmap.trimmed(min, max)));
    }
    int bytes = BlockedBloomFilter.bytesFor(count, limits.maxBytes());
    BlockedBloomFilter fit = bloom == null ? bloom(bytes) : bloom.foldedTo(bytes);
    return Optional.of(new KeyForms.Bloom(domain, fit, count, min, max, bounds));
  }

  /** For another task or the driver to read by {@link #deserialize}. */
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
    if (longs != null) {
      out.writeByte(LONGS);
      out.writeKeys(longs.sorted());
    } else if (strings != null) {
      out.writeByte(STRINGS);
      out.writeStrings(strings);
    } else if (bitmap != null) {
      out.writeByte(BITMAP);
      out.writeBitmap(bitmap.trimmed(min, max));
    } else if (bloom != null) {
      out.writeByte(BLOOM);
      out.writeBloom(bloom);
    } else {
      out.writeByte(OVERFLOWED);
    }
    return out.finish();
  }

  /**
   * What {@link #serialize} wrote.
   *
   * @throws IllegalArgumentException or another unchecked exception if it is anything else
   */
  public static KeyCollector deserialize(byte[] bytes) {
    KeyInput in = new KeyInput(bytes, MAGIC);
    KeyDomain domain = in.readDomain();
    KeyLimits limits = new KeyLimits(in.readInt(), in.readInt(), in.readLong());
    KeyCollector collector = new KeyCollector(domain, limits);
    collector.read(in);
    in.finish();
    return collector;
  }

  private void read(KeyInput in) {
    count = in.readLong();
    min = in.readLong();
    max = in.readLong();
    bounds = in.readBounds();
    clear();
    switch (in.readByte()) {
      case LONGS -> {
        longs = new LongKeySet();
        for (long key : in.readKeys()) {
          longs.add(key);
        }
      }
      case STRINGS -> strings = in.readStrings();
      case BITMAP -> bitmap = in.readBitmap();
      case BLOOM -> bloom = in.readBloom();
      default -> {}
    }
  }
}
