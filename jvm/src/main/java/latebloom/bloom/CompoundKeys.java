// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Arrays;
import java.util.Optional;
import latebloom.read.predicate.ColumnPredicate;

/**
 * Keys of several columns: the hashes of all columns, which rows are tested by, and the keys of
 * each column by themselves, which statistics of that column can be compared with.
 */
final class CompoundKeys extends KeyFilter {
  static final int CODE = 5;

  private static final int MOST_COLUMNS = 1 << 16;

  private final KeyFilter whole;

  /** Null for a column whose keys are not known. */
  private final KeyFilter[] parts;

  CompoundKeys(KeyFilter whole, KeyFilter[] parts) {
    super(KeyDomain.HASHES, CODE);
    KeyInput.check(whole.domain() == KeyDomain.HASHES);
    KeyInput.check(isSimple(whole) && Arrays.stream(parts).allMatch(CompoundKeys::isSimple));
    this.whole = whole;
    this.parts = parts;
  }

  private static boolean isSimple(KeyFilter keys) {
    return !(keys instanceof CompoundKeys);
  }

  static CompoundKeys read(KeyDomain domain, KeyInput in) {
    KeyFilter whole = simple(in);
    KeyInput.check(domain == KeyDomain.HASHES);
    int columns = in.readInt();
    KeyInput.check(columns >= 0 && columns < MOST_COLUMNS);
    KeyFilter[] parts = new KeyFilter[columns];
    for (int i = 0; i < columns; i++) {
      parts[i] = in.readByte() == 0 ? null : simple(in);
    }
    return new CompoundKeys(whole, parts);
  }

  /** Damaged bytes must not nest filters without end. */
  private static KeyFilter simple(KeyInput in) {
    KeyDomain domain = in.readDomain();
    int code = in.readByte();
    KeyInput.check(code != CODE);
    return KeyForms.read(code, domain, in);
  }

  @Override
  void write(KeyOutput out) {
    whole.writeTo(out);
    out.writeInt(parts.length);
    for (KeyFilter part : parts) {
      out.writeByte(part == null ? 0 : 1);
      if (part != null) {
        part.writeTo(out);
      }
    }
  }

  @Override
  public Optional<KeyFilter> part(int column) {
    return column < parts.length ? Optional.ofNullable(parts[column]) : Optional.empty();
  }

  @Override
  public String form() {
    return whole.form();
  }

  @Override
  public long keys() {
    return whole.keys();
  }

  @Override
  public boolean exact() {
    return whole.exact();
  }

  @Override
  public long bytes() {
    return whole.bytes()
        + Arrays.stream(parts).mapToLong(part -> part == null ? 0 : part.bytes()).sum();
  }

  @Override
  public ColumnPredicate predicate() {
    return whole.predicate();
  }
}
