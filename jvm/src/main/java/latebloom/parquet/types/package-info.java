// SPDX-License-Identifier: Apache-2.0

/**
 * Maps a column's type in the file to its type in Spark's vectors, and converts the values.
 *
 * <p>May import {@code line} and {@code read.predicate}.
 */
package latebloom.parquet.types;
