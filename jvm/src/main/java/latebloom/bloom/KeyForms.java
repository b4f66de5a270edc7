// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.LongRanges;
import latebloom.read.text.BytesPredicate;

/** The forms of {@link KeyFilter}. */
final class KeyForms {
  private KeyForms() {}

  static KeyFilter read(int code, KeyDomain domain, KeyInput in) {
    return switch (code) {
      case Empty.CODE -> new Empty(domain);
      case LongSet.CODE -> new LongSet(domain, in.readKeys());
      case StringSet.CODE -> StringSet.read(domain, in);
      case Bitmap.CODE -> new Bitmap(domain, in.readBitmap());
      case Bloom.CODE -> Bloom.read(domain, in);
      case CompoundKeys.CODE -> CompoundKeys.read(domain, in);
      case Between.CODE -> Between.read(domain, in);
      default -> throw new IllegalArgumentException("no form of a join filter");
    };
  }

  /** Ascending keys in ranges, with the widest gaps between them. */
  private static List<long[]> between(long[] keys, int most) {
    int[] ends =
        IntStream.range(0, keys.length - 1)
            .boxed()
            .sorted(
                Comparator.comparing((Integer i) -> keys[i] - keys[i + 1], Long::compareUnsigned))
            .limit(most - 1L)
            .mapToInt(i -> i)
            .sorted()
            .toArray();
    List<long[]> ranges = new ArrayList<>();
    int from = 0;
    for (int end : ends) {
      ranges.add(new long[] {keys[from], keys[end]});
      from = end + 1;
    }
    ranges.add(new long[] {keys[from], keys[keys.length - 1]});
    return ranges;
  }

  static final class Empty extends KeyFilter {
    private static final int CODE = 0;

    Empty(KeyDomain domain) {
      super(domain, CODE);
    }

    @Override
    public String form() {
      return "empty";
    }

    @Override
    public long keys() {
      return 0;
    }

    @Override
    public long bytes() {
      return 0;
    }

    @Override
    public ColumnPredicate predicate() {
      return domain() == KeyDomain.BYTES
          ? new ColumnPredicate.Bytes(false, BytesPredicate.none())
          : new ColumnPredicate.Longs(false, LongRanges.none());
    }

    @Override
    void write(KeyOutput out) {}
  }

  /** A few keys. */
  static final class LongSet extends KeyFilter {
    private static final int CODE = 1;

    private final long[] keys;

    /** Distinct keys in ascending order, at least one. */
    LongSet(KeyDomain domain, long[] keys) {
      super(domain, CODE);
      KeyInput.check(domain != KeyDomain.BYTES && keys.length > 0);
      this.keys = keys;
    }

    @Override
    public String form() {
      return "set";
    }

    @Override
    public long keys() {
      return keys.length;
    }

    @Override
    public long bytes() {
      return 8L * keys.length;
    }

    @Override
    public OptionalLong min() {
      return domain() == KeyDomain.LONGS ? OptionalLong.of(keys[0]) : OptionalLong.empty();
    }

    @Override
    public OptionalLong max() {
      return domain() == KeyDomain.LONGS
          ? OptionalLong.of(keys[keys.length - 1])
          : OptionalLong.empty();
    }

    @Override
    public List<Long> listed(int most) {
      return domain() == KeyDomain.LONGS && keys.length <= most
          ? Arrays.stream(keys).boxed().toList()
          : List.of();
    }

    @Override
    public List<long[]> ranges(int most) {
      return domain() == KeyDomain.LONGS ? between(keys, most) : List.of();
    }

    @Override
    public ColumnPredicate predicate() {
      return new ColumnPredicate.Longs(false, LongRanges.ofPoints(keys));
    }

    @Override
    void write(KeyOutput out) {
      out.writeKeys(keys);
    }
  }

  /** A few strings. */
  static final class StringSet extends KeyFilter {
    private static final int CODE = 2;

    private final ByteKeySet strings;
    private final ByteBounds bounds;

    /** At least one string. */
    StringSet(ByteKeySet strings, ByteBounds bounds) {
      super(KeyDomain.BYTES, CODE);
      KeyInput.check(strings.size() > 0);
      this.strings = strings;
      this.bounds = bounds;
    }

    static StringSet read(KeyDomain domain, KeyInput in) {
      KeyInput.check(domain == KeyDomain.BYTES);
      ByteKeySet strings = in.readStrings();
      ByteBounds bounds = new ByteBounds();
      for (byte[] s : strings.values()) {
        bounds.add(s, 0, s.length);
      }
      return new StringSet(strings, bounds);
    }

    @Override
    public String form() {
      return "set";
    }

    @Override
    public long keys() {
      return strings.size();
    }

    @Override
    public long bytes() {
      return strings.memory();
    }

    @Override
    public Optional<byte[]> minBytes() {
      return bounds.min();
    }

    @Override
    public Optional<byte[]> maxBytes() {
      return bounds.max();
    }

    @Override
    public List<byte[]> listed(int most) {
      return strings.size() <= most ? strings.values() : List.of();
    }

    @Override
    public ColumnPredicate predicate() {
      return new ColumnPredicate.Bytes(false, BytesPredicate.in(strings.values()));
    }

    @Override
    void write(KeyOutput out) {
      out.writeStrings(strings);
    }
  }

  /** Many keys that lie close together. */
  static final class Bitmap extends KeyFilter {
    private static final int CODE = 3;

    /** Most keys whose gaps are looked at one by one. */
    private static final long MOST_LISTED = 1 << 20;

    private final KeyBitmap bitmap;

    /** At least one key. */
    Bitmap(KeyDomain domain, KeyBitmap bitmap) {
      super(domain, CODE);
      KeyInput.check(domain == KeyDomain.LONGS && bitmap.size() > 0);
      this.bitmap = bitmap;
    }

    @Override
    public String form() {
      return "bitmap";
    }

    @Override
    public long keys() {
      return bitmap.size();
    }

    @Override
    public long bytes() {
      return bitmap.memory();
    }

    @Override
    public OptionalLong min() {
      return OptionalLong.of(bitmap.min());
    }

    @Override
    public OptionalLong max() {
      return OptionalLong.of(bitmap.max());
    }

    @Override
    public List<long[]> ranges(int most) {
      if (bitmap.size() > MOST_LISTED) {
        return super.ranges(most);
      }
      LongStream.Builder keys = LongStream.builder();
      bitmap.forEach(keys::add);
      return between(keys.build().toArray(), most);
    }

    @Override
    public ColumnPredicate predicate() {
      return new ColumnPredicate.Probed(bitmap);
    }

    @Override
    void write(KeyOutput out) {
      out.writeBitmap(bitmap);
    }
  }

  /** Many keys. */
  static final class Bloom extends KeyFilter {
    private static final int CODE = 4;

    private final BlockedBloomFilter bloom;
    private final long keys;

    /** For {@link KeyDomain#LONGS}. */
    private final long min;

    private final long max;

    /** For {@link KeyDomain#BYTES}. */
    private final ByteBounds bounds;

    Bloom(
        KeyDomain domain,
        BlockedBloomFilter bloom,
        long keys,
        long min,
        long max,
        ByteBounds bounds) {
      super(domain, CODE);
      KeyInput.check(keys > 0 && (domain != KeyDomain.LONGS || min <= max));
      this.bloom = bloom;
      this.keys = keys;
      this.min = min;
      this.max = max;
      this.bounds = bounds;
    }

    static Bloom read(KeyDomain domain, KeyInput in) {
      long keys = in.readLong();
      long min = in.readLong();
      long max = in.readLong();
      ByteBounds bounds = in.readBounds();
      return new Bloom(domain, in.readBloom(), keys, min, max, bounds);
    }

    @Override
    public String form() {
      return "bloom";
    }

    @Override
    public boolean exact() {
      return false;
    }

    @Override
    public long keys() {
      return keys;
    }

    @Override
    public long bytes() {
      return bloom.bytes();
    }

    @Override
    public OptionalLong min() {
      return domain() == KeyDomain.LONGS ? OptionalLong.of(min) : OptionalLong.empty();
    }

    @Override
    public OptionalLong max() {
      return domain() == KeyDomain.LONGS ? OptionalLong.of(max) : OptionalLong.empty();
    }

    @Override
    public Optional<byte[]> minBytes() {
      return bounds.min();
    }

    @Override
    public Optional<byte[]> maxBytes() {
      return bounds.max();
    }

    @Override
    public ColumnPredicate predicate() {
      return switch (domain()) {
        case LONGS -> new ColumnPredicate.Probed(new BloomProbes.OfKeys(bloom, min, max));
        case HASHES -> new ColumnPredicate.Probed(new BloomProbes.OfHashes(bloom));
        case BYTES ->
            new ColumnPredicate.Bytes(
                false,
                BytesPredicate.range(minBytes().orElse(null), true, maxBytes().orElse(null), true)
                    .and(new BloomProbes.OfStrings(bloom)));
      };
    }

    @Override
    void write(KeyOutput out) {
      out.writeLong(keys);
      out.writeLong(min);
      out.writeLong(max);
      out.writeBounds(bounds);
      out.writeBloom(bloom);
    }
  }

  /** All numbers of a range, which may be open on one side. */
  static final class Between extends KeyFilter {
    static final int CODE = 6;

    private final long ranges;
    private final long min;
    private final long max;

    /**
     * @param ranges how many ranges it encloses, at least one
     */
    Between(long ranges, long min, long max) {
      super(KeyDomain.LONGS, CODE);
      KeyInput.check(ranges > 0 && min <= max);
      this.ranges = ranges;
      this.min = min;
      this.max = max;
    }

    static Between read(KeyDomain domain, KeyInput in) {
      KeyInput.check(domain == KeyDomain.LONGS);
      return new Between(in.readLong(), in.readLong(), in.readLong());
    }

    @Override
    public String form() {
      return "range";
    }

    @Override
    public long keys() {
      return ranges;
    }

    @Override
    public boolean exact() {
      return false;
    }

    @Override
    public long bytes() {
      return 2L * Long.BYTES;
    }

    @Override
    public OptionalLong min() {
      return OptionalLong.of(min);
    }

    @Override
    public OptionalLong max() {
      return OptionalLong.of(max);
    }

    @Override
    public ColumnPredicate predicate() {
      return new ColumnPredicate.Longs(false, LongRanges.of(min, max));
    }

    @Override
    void write(KeyOutput out) {
      out.writeLong(ranges);
      out.writeLong(min);
      out.writeLong(max);
    }
  }
}
