// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;

/**
 * The entries of each row that the query needs of a payload list or map. The scan may omit the
 * others.
 */
public sealed interface KeptEntries extends Serializable {

  /** Index of the column. */
  int column();

  /** The first {@code count} entries of a list. */
  record First(int column, int count) implements KeptEntries {}

  /** The entries of a map whose key passes, in their order. */
  record WithKeys(int column, ColumnPredicate keys) implements KeptEntries {}
}
