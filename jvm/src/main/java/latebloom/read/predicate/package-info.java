// SPDX-License-Identifier: Apache-2.0

/**
 * Evaluates predicates of one column: on its values, on the entries of its dictionary, by join
 * keys, and through Spark's compiled code where no kernel fits.
 *
 * <p>May import {@code read.text}, {@code read.selection} and {@code read.task}.
 */
package latebloom.read.predicate;
