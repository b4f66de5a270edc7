// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.util.Arrays;
import latebloom.read.ColumnPredicate;
import latebloom.read.CompiledColumn;

/**
 * Which codes of a dictionary pass a predicate. Kernels, and expressions that cannot fail, are
 * evaluated on every entry at once. An expression that may fail is evaluated on an entry when a row with its code comes by, and then remembered.
 */
final class CodeMask {
  private static final byte UNKNOWN = 2;

  private final FlatType type;
  private final ChunkDictionary dictionary;
  private final CompiledColumn open;
  private final byte[] mask;
  private final int passing;

  private CodeMask(
      FlatType type, ChunkDictionary dictionary, CompiledColumn open, byte[] mask, int passing) {
    this.type = type;
    this.dictionary = dictionary;
    this.open = open;
    this.mask = mask;
    this.passing = passing;
  }

  static CodeMask of(FlatType type, ChunkDictionary dictionary, ColumnPredicate predicate) {
    int size = dictionary.size();
    int[] passing = new int[size];
    int n = dictionary.filter(predicate, passing);
    byte[] mask = new byte[size];
    for (int i = 0; i < n; i++) {
      mask[passing[i]] = 1;
    }
    return new CodeMask(type, dictionary, null, mask, n);
  }

  static CodeMask lazy(FlatType type, ChunkDictionary dictionary, CompiledColumn predicate) {
    byte[] mask = new byte[dictionary.size()];
    Arrays.fill(mask, UNKNOWN);
    return new CodeMask(type, dictionary, predicate, mask, -1);
  }

  /** Whether it is known that no code passes. */
  boolean nonePasses() {
    return passing == 0;
  }

  /** Whether it is known that every code passes. */
  boolean allPass() {
    return passing == mask.length;
  }

  boolean passes(int code) {
    if (mask[code] == UNKNOWN) {
      evaluate(code);
    }
    return mask[code] != 0;
  }

  /** 1 or 0 by code, for all codes in {@code codes[0, n)}. */
  byte[] of(int[] codes, int n) {
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
    boolean passes;
    if (type.isBytes()) {
      byte[] value = dictionary.decodeToBinary(code);
      passes = open.test(value, 0, value.length);
    } else {
      passes = open.test(dictionary.values()[code]);
    }
    mask[code] = (byte) (passes ? 1 : 0);
  }
}
