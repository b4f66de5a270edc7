// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Optional;

/** Gathers ranges of keys, of which it keeps the least and the greatest bound. Not thread safe. */
public final class RangeCollector implements KeyGathering {
  static final int MAGIC = 0x524b424c;

  private long ranges;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;

  /**
   * Adds a range of {@link KeyDomain#LONGS}; nothing if {@code least} is above {@code greatest}.
   */
  public void add(long least, long greatest) {
    if (least <= greatest) {
      ranges++;
      min = Math.min(min, least);
      max = Math.max(max, greatest);
    }
  }

  @Override
  public boolean overflowed() {
    return false;
  }

  @Override
  public void merge(KeyGathering that) {
    if (!(that instanceof RangeCollector other)) {
      throw new IllegalArgumentException("ranges do not merge with keys");
    }
    ranges += other.ranges;
    min = Math.min(min, other.min);
    max = Math.max(max, other.max);
  }

  @Override
  public Optional<KeyFilter> finish() {
    return Optional.of(
        ranges == 0 ? KeyFilter.empty(KeyDomain.LONGS) : new KeyForms.Between(ranges, min, max));
  }

  @Override
  public byte[] serialize() {
    KeyOutput out = new KeyOutput(MAGIC);
    out.writeLong(ranges);
    out.writeLong(min);
    out.writeLong(max);
    return out.finish();
  }

  static RangeCollector deserialize(byte[] bytes) {
    KeyInput in = new KeyInput(bytes, MAGIC);
    RangeCollector collector = new RangeCollector();
    collector.ranges = in.readLong();
    collector.min = in.readLong();
    collector.max = in.readLong();
    in.finish();
    return collector;
  }
}
