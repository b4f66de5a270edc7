// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import org.apache.hadoop.hive.ql.exec.vector.expressions.StringExpr;
import org.apache.orc.TypeDescription;

/**
 * Truncates text as orc-core does: CHAR to its length and without trailing blanks, VARCHAR to its
 * length, other byte strings not at all.
 *
 * @param most characters, or 0 for any number
 */
public record TextLength(int most, boolean trimmed) {
  public static TextLength of(TypeDescription type) {
    return switch (type.getCategory()) {
      case CHAR -> new TextLength(type.getMaxLength(), true);
      case VARCHAR -> new TextLength(type.getMaxLength(), false);
      default -> new TextLength(0, false);
    };
  }

  /** Truncates the lengths of {@code n} strings in {@code data}. */
  public void cut(byte[] data, int[] offsets, int[] lengths, int n) {
    if (most == 0) {
      return;
    }
    for (int i = 0; i < n; i++) {
      lengths[i] =
          trimmed
              ? StringExpr.rightTrimAndTruncate(data, offsets[i], lengths[i], most)
              : StringExpr.truncate(data, offsets[i], lengths[i], most);
    }
  }
}
