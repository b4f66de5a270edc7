// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.util.Arrays;
import latebloom.read.selection.Selection;

/**
 * The codes of a dictionary that pass a predicate. Evaluates kernels, and expressions that cannot
 * fail, on every entry at once, and an expression that may fail on an entry when the first row with
 * its code is filtered.
 *
 * <p>An entry's result holds only for rows with its code, which have exactly the entry's bytes.
 * Entries that Spark treats as equal though their bytes differ (0.0 and -0.0, text of a collation)
 * are tested separately, so that an expression may distinguish them.
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
   * @param wanted number of rows to filter; in a larger dictionary a slow predicate is evaluated
   *     only on the entries that the rows have
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
   * Writes the indexes of the passing {@code codes[0, n)}.
   *
   * @return how many pass
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
   * Adds the passing ones of the neighbouring rows from {@code row} on, whose codes are {@code
   * codes[0, n)}.
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

  // No branch and no store per value, on which a loop over positions would wait.
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
