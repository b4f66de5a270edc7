// SPDX-License-Identifier: Apache-2.0

/**
 * Columns without repetition, filtered and selected.
 *
 * <p>May import {@code line}, {@code parquet.encoding}, {@code parquet.page}, {@code
 * parquet.types}, {@code read}, {@code read.predicate}, {@code read.selection}, {@code read.task}
 * and {@code read.vector}.
 */
package latebloom.parquet.flat;
