// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Serializable;

/**
 * All that a scan asks of one filter column: the conjunction of its conditions.
 *
 * @param column index into {@link ScanSpec#columns()}
 * @param predicate what a value must satisfy
 * @param text the conditions as SQL, for messages and EXPLAIN
 */
public record ScanFilter(int column, ColumnPredicate predicate, String text)
    implements Serializable {}
