// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;

/**
 * Which entries of each row are all that is asked of a payload column that is a list or a map. The
 * others may be left out of the output, and need not be.
 */
public sealed interface KeptEntries extends Serializable {

  /** Index of the column. */
  int column();

  /** The first {@code count} entries of a list. */
  record First(int column, int count) implements KeptEntries {}

  /** The entries of a map whose key passes, in their order. */
  record WithKeys(int column, ColumnPredicate keys) implements KeptEntries {}
}
