// SPDX-License-Identifier: Apache-2.0

/**
 * Filters and selects columns without repetition.
 *
 * <p>May import {@code line}, {@code parquet.encoding}, {@code parquet.page}, {@code
 * parquet.types}, {@code read}, {@code read.predicate}, {@code read.selection}, {@code read.task}
 * and {@code read.vector}.
 */
package latebloom.parquet.flat;
