// SPDX-License-Identifier: Apache-2.0

/**
 * Decoded values on their way into Spark's column vectors, a block of rows at a time.
 *
 * <p>May import {@code read.predicate}, {@code read.selection} and {@code read.task}.
 */
package latebloom.read.vector;
