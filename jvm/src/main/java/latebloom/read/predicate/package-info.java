// SPDX-License-Identifier: Apache-2.0

/**
 * Predicates of one column: of its values, of the entries of its dictionary, of join keys, and
 * compiled by Spark where none of ours fits.
 *
 * <p>May import {@code read.text}, {@code read.selection} and {@code read.task}.
 */
package latebloom.read.predicate;
