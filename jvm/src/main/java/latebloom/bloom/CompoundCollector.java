// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.List;
import java.util.Optional;

/**
 * Gathers keys of several columns: hashes of all, which decide about rows, and the keys of each
 * column by themselves, which decide about pages and files. Of a column that has more than a few,
 * little more than the least and the greatest is kept. Not thread safe.
 */
public final class CompoundCollector implements KeyGathering {
  static final int MAGIC = 0x4d4b424c;

  private static final int MOST_OF_PART = 1 << 13;
  private static final int BYTES_OF_PART = 1 << 16;

  private final KeyCollector whole;

  /** Null for a column that has no keys of its own. */
  private final KeyCollector[] parts;

  private CompoundCollector(KeyCollector whole, KeyCollector[] parts) {
    this.whole = whole;
    this.parts = parts;
  }

  /**
   * @param domains of the columns' own keys; null for a column that has none
   */
  public CompoundCollector(List<KeyDomain> domains, KeyLimits limits) {
    whole = new KeyCollector(KeyDomain.HASHES, limits);
    KeyLimits few =
        new KeyLimits(
            Math.min(limits.exactKeys(), MOST_OF_PART),
            Math.min(limits.maxBytes(), BYTES_OF_PART),
            limits.maxKeys());
    parts = new KeyCollector[domains.size()];
    for (int i = 0; i < parts.length; i++) {
      KeyDomain domain = domains.get(i);
      parts[i] = domain == null ? null : new KeyCollector(domain, few);
    }
  }

  /** The collector of the hashes of all columns. */
  public KeyCollector whole() {
    return whole;
  }

  /** The collector of one column's keys; null if it has none. */
  public KeyCollector part(int column) {
    return parts[column];
  }

  @Override
  public boolean overflowed() {
    return whole.overflowed();
  }

  @Override
  public void merge(KeyGathering that) {
    if (!(that instanceof CompoundCollector other) || other.parts.length != parts.length) {
      throw new IllegalArgumentException("keys of other columns do not merge");
    }
    whole.merge(other.whole);
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] != null) {
        parts[i].merge(other.parts[i]);
      }
    }
  }

  @Override
  public Optional<KeyFilter> finish() {
    return whole.finish().map(this::withParts);
  }

  private KeyFilter withParts(KeyFilter hashes) {
    KeyFilter[] known = new KeyFilter[parts.length];
    for (int i = 0; i < parts.length; i++) {
      known[i] = parts[i] == null ? null : parts[i].finish().orElse(null);
    }
    return new CompoundKeys(hashes, known);
  }

  @Override
  public byte[] serialize() {
    KeyOutput out = new KeyOutput(MAGIC);
    out.writeString(whole.serialize());
    out.writeInt(parts.length);
    for (KeyCollector part : parts) {
      out.writeString(part == null ? null : part.serialize());
    }
    return out.finish();
  }

  static CompoundCollector deserialize(byte[] bytes) {
    KeyInput in = new KeyInput(bytes, MAGIC);
    KeyCollector whole = KeyCollector.deserialize(in.readString());
    KeyCollector[] parts = new KeyCollector[in.readCount(1)];
    for (int i = 0; i < parts.length; i++) {
      byte[] part = in.readString();
      parts[i] = part == null ? null : KeyCollector.deserialize(part);
    }
    in.finish();
    return new CompoundCollector(whole, parts);
  }
}
