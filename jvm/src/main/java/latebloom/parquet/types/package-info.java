// SPDX-License-Identifier: Apache-2.0

/**
 * What a column's values are in the file and in Spark's vectors, and how the one becomes the other.
 *
 * <p>May import {@code line} and {@code read.predicate}.
 */
package latebloom.parquet.types;
