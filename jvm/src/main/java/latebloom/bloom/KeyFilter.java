// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.io.InvalidObjectException;
import java.io.Serializable;
import java.nio.BufferUnderflowException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import latebloom.read.predicate.ColumnPredicate;

/**
 * The keys of one side of a join, in the form that the scan of the other side tests. Immutable. All
 * its keys pass the test; others may pass unless it is {@link #exact}. Null is never a key.
 *
 * <table>
 * <caption>Forms</caption>
 * <tr><th>form</th><th>when</th></tr>
 * <tr><td>empty</td><td>there is no key: nothing passes</td></tr>
 * <tr><td>set</td><td>up to {@link KeyLimits#exactKeys} keys</td></tr>
 * <tr><td>bitmap</td><td>more than these, {@link KeyDomain#LONGS}, that include at least one
 *     in 128 of the numbers between the least and the greatest</td></tr>
 * <tr><td>bloom</td><td>otherwise; sized by their number</td></tr>
 * <tr><td>range</td><td>for a join on ranges of keys: from the least to the greatest</td></tr>
 * </table>
 *
 * <p>On {@code long} values in random order, one in a hundred of which passes, Spark's own Bloom
 * filter takes about 20 times as long as a bitmap and 6 times as long as a Bloom filter, from a
 * thousand keys up to three million, and 7 times as long as a set of up to 100,000 ({@code
 * JoinFilterBenchmark}). Gathering a key costs about a third of adding it to Spark's filter ({@code
 * KeyCollectorBenchmark}).
 */
public abstract sealed class KeyFilter implements Serializable
    permits KeyForms.Empty,
        KeyForms.LongSet,
        KeyForms.StringSet,
        KeyForms.Bitmap,
        KeyForms.Bloom,
        KeyForms.Between,
        CompoundKeys {
  private static final long serialVersionUID = 1L;

  private static final int MAGIC = 0x464b424c;

  private final KeyDomain domain;
  private final int code;

  /**
   * @param code of the form in a serialised filter
   */
  KeyFilter(KeyDomain domain, int code) {
    this.domain = domain;
    this.code = code;
  }

  /** A filter that passes nothing. */
  public static KeyFilter empty(KeyDomain domain) {
    return new KeyForms.Empty(domain);
  }

  /** The domain of the keys. */
  public final KeyDomain domain() {
    return domain;
  }

  /** {@code set}, {@code bitmap}, {@code bloom}, {@code range} or {@code empty}. */
  public abstract String form();

  /** The number of keys; an estimate unless this is {@link #exact}. */
  public abstract long keys();

  /** Whether only the keys pass. */
  public boolean exact() {
    return true;
  }

  /** Memory of the filter, in bytes. For a set the scan builds a table several times as large. */
  public abstract long bytes();

  /** The least key, for {@link KeyDomain#LONGS}. */
  public OptionalLong min() {
    return OptionalLong.empty();
  }

  /** The greatest key, for {@link KeyDomain#LONGS}. */
  public OptionalLong max() {
    return OptionalLong.empty();
  }

  /** A lower bound of the strings, for {@link KeyDomain#BYTES}; may be malformed text. */
  public Optional<byte[]> minBytes() {
    return Optional.empty();
  }

  /** An upper bound of the strings, for {@link KeyDomain#BYTES}; may be malformed text. */
  public Optional<byte[]> maxBytes() {
    return Optional.empty();
  }

  /**
   * The keys themselves, as {@link Long} or {@code byte[]}, if they are ordered, stored exactly and
   * at most {@code most}; else none.
   */
  public List<?> listed(int most) {
    return List.of();
  }

  /**
   * Ranges in which all keys lie, in ascending order, at most {@code most} of them; for {@link
   * KeyDomain#LONGS}, else none. They leave out the widest gaps that are known.
   *
   * @return the least and the greatest number of each
   */
  public List<long[]> ranges(int most) {
    return min().isPresent() && max().isPresent()
        ? List.of(new long[] {min().getAsLong(), max().getAsLong()})
        : List.of();
  }

  /** The keys of one of several columns by themselves; empty if they are not known. */
  public Optional<KeyFilter> part(int column) {
    return Optional.empty();
  }

  /** The test of a column; for {@link KeyDomain#HASHES} of hashes as {@code long} keys. */
  public abstract ColumnPredicate predicate();

  abstract void write(KeyOutput out);

  /** The filter in its own format, which {@link #deserialize} reads. */
  public final byte[] serialize() {
    KeyOutput out = new KeyOutput(MAGIC);
    writeTo(out);
    return out.finish();
  }

  final void writeTo(KeyOutput out) {
    out.writeByte(domain.ordinal());
    out.writeByte(code);
    write(out);
  }

  static KeyFilter read(KeyInput in) {
    KeyDomain domain = in.readDomain();
    return KeyForms.read(in.readByte(), domain, in);
  }

  /** Reads a serialised filter; empty if the bytes are damaged or of another version. */
  public static Optional<KeyFilter> deserialize(byte[] bytes) {
    try {
      KeyInput in = new KeyInput(bytes, MAGIC);
      KeyFilter filter = read(in);
      in.finish();
      return Optional.of(filter);
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      return Optional.empty();
    }
  }

  /** Java's serialisation uses {@link #serialize}, too. */
  final Object writeReplace() {
    return new Serialized(serialize());
  }

  private record Serialized(byte[] bytes) implements Serializable {
    private Object readResolve() throws InvalidObjectException {
      return deserialize(bytes)
          .orElseThrow(() -> new InvalidObjectException("a join filter that cannot be trusted"));
    }
  }

  /** Shows no key. */
  @Override
  public final String toString() {
    return form() + " of " + (exact() ? "" : "about ") + keys() + " keys, " + bytes() + " bytes";
  }
}
