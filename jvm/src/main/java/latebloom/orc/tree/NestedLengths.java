// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree;

import latebloom.orc.encoding.CorruptStreamException;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MultiValuedColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.UnionColumnVector;

/**
 * Checks that lists and maps read by orc-core lie within the elements that it read. orc-core adds
 * up their lengths in an int and reads as many elements: where the sum overflows, a list of a
 * damaged file claims elements that were never read.
 */
final class NestedLengths {
  private NestedLengths() {}

  /**
   * Throws if one of the first {@code n} values of a vector, or a value nested in one, claims too
   * much.
   */
  static void check(ColumnVector vector, int n) {
    if (vector.isRepeating && !vector.noNulls && vector.isNull[0]) {
      return;
    }
    if (vector instanceof MultiValuedColumnVector lists) {
      checkLengths(lists, n);
      if (lists instanceof ListColumnVector list) {
        check(list.child, list.childCount);
      } else if (lists instanceof MapColumnVector map) {
        check(map.keys, map.childCount);
        check(map.values, map.childCount);
      }
    } else if (vector instanceof StructColumnVector struct) {
      checkAll(struct.fields, n);
    } else if (vector instanceof UnionColumnVector union) {
      checkAll(union.fields, n);
    }
  }

  private static void checkAll(ColumnVector[] fields, int n) {
    for (ColumnVector field : fields) {
      check(field, n);
    }
  }

  private static void checkLengths(MultiValuedColumnVector lists, int n) {
    long read = 0;
    for (int i = 0; i < n; i++) {
      if (lists.noNulls || !lists.isNull[i]) {
        long length = lists.lengths[i];
        if (length < 0 || length > lists.childCount - read) {
          throw new CorruptStreamException(
              "a list of "
                  + length
                  + " elements, of which "
                  + (lists.childCount - read)
                  + " are there");
        }
        read += length;
      }
    }
  }
}
