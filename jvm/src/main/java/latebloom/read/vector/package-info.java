// SPDX-License-Identifier: Apache-2.0

/**
 * Moves decoded values into Spark's column vectors, a block of rows at a time.
 *
 * <p>May import {@code read.predicate}, {@code read.selection} and {@code read.task}.
 */
package latebloom.read.vector;
