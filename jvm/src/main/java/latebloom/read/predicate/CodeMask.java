// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.util.Arrays;
import latebloom.read.selection.Selection;

/**
 * Which codes of a dictionary pass a predicate. Kernels, and expressions that cannot fail, are
 * evaluated on every entry at once. An expression that may fail is evaluated on an entry when a row
 * with its code comes by, and then remembered.
 *
 * <p>An entry's answer holds for the rows that have its code and for no others: these have the very
 * bytes of the entry. Entries that are equal to Spark without being the same (0.0 and -0.0, text of
 * a collation) are tested each on its own, so that an expression may tell them apart.
 */
public final class CodeMask {
  private static final byte UNKNOWN = 2;

  private final DictionaryEntries dictionary;
  private final PredicateCursor.Compiled open;
  private final byte[] mask;
  private final int passing;

  private CodeMask(
      DictionaryEntries dictionary, PredicateCursor.Compiled open, byte[] mask, int passing) {
    this.dictionary = dictionary;
    this.open = open;
    this.mask = mask;
    this.passing = passing;
  }

  /**
   * @param wanted rows that are to be filtered: of a larger dictionary, what is slow to evaluate is
   *     evaluated for those entries only that they have
   */
  public static CodeMask of(DictionaryEntries dictionary, PredicateCursor predicate, int wanted) {
    return predicate instanceof PredicateCursor.Compiled compiled
            && (compiled.mayThrow() || dictionary.size() > wanted)
        ? lazy(dictionary, compiled)
        : of(dictionary, predicate);
  }

  private static CodeMask of(DictionaryEntries dictionary, PredicateCursor predicate) {
    int size = dictionary.size();
    int[] passing = new int[size];
    int n = dictionary.filter(predicate, passing);
    byte[] mask = new byte[size];
    for (int i = 0; i < n; i++) {
      mask[passing[i]] = 1;
    }
    return new CodeMask(dictionary, null, mask, n);
  }

  private static CodeMask lazy(DictionaryEntries dictionary, PredicateCursor.Compiled predicate) {
    byte[] mask = new byte[dictionary.size()];
    Arrays.fill(mask, UNKNOWN);
    return new CodeMask(dictionary, predicate, mask, -1);
  }

  /** Whether it is known that no code passes. */
  public boolean nonePasses() {
    return passing == 0;
  }

  /** Whether it is known that every code passes. */
  public boolean allPass() {
    return passing == mask.length;
  }

  public boolean passes(int code) {
    if (mask[code] == UNKNOWN) {
      evaluate(code);
    }
    return mask[code] != 0;
  }

  /**
   * Writes which of {@code codes[0, n)} pass.
   *
   * @return how many do
   */
  public int filter(int[] codes, int n, int[] passing) {
    byte[] passes = of(codes, n);
    int m = 0;
    for (int i = 0; i < n; i++) {
      passing[m] = i;
      m += passes[codes[i]];
    }
    return m;
  }

  /**
   * Adds those of the neighbouring rows from {@code row} on whose codes, {@code codes[0, n)}, pass.
   *
   * @return whether any does
   */
  public boolean filterRun(int[] codes, int n, int row, Selection.Builder passed) {
    byte[] passes = of(codes, n);
    boolean any = false;
    for (int i = 0; i < n; i += Long.SIZE) {
      long bits = passingBits(passes, codes, i, Math.min(n, i + Long.SIZE));
      passed.addBits(row + i, bits);
      any |= bits != 0;
    }
    return any;
  }

  // No branch and no store a value: what a loop over positions would wait for.
  private static long passingBits(byte[] passes, int[] codes, int from, int to) {
    long bits = 0;
    for (int i = from; i < to; i++) {
      bits |= (long) passes[codes[i]] << i;
    }
    return bits;
  }

  /** 1 or 0 by code, for all codes in {@code codes[0, n)}. */
  private byte[] of(int[] codes, int n) {
    if (open != null) {
      for (int i = 0; i < n; i++) {
        if (mask[codes[i]] == UNKNOWN) {
          evaluate(codes[i]);
        }
      }
    }
    return mask;
  }

  private void evaluate(int code) {
    mask[code] = (byte) (dictionary.test(open, code) ? 1 : 0);
  }
}
