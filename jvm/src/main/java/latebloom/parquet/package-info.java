// SPDX-License-Identifier: Apache-2.0

/**
 * Presents Parquet files to a scan: finds a split's row groups, prunes rows, fetches pages and
 * chooses each column's reader. Begins in {@link latebloom.parquet.ParquetSplit}.
 *
 * <p>May import {@code line}, {@code parquet.encoding}, {@code parquet.flat}, {@code
 * parquet.footer}, {@code parquet.nested}, {@code parquet.page}, {@code parquet.types}, {@code
 * read}, {@code read.io}, {@code read.predicate}, {@code read.selection}, {@code read.task} and
 * {@code read.vector}.
 */
package latebloom.parquet;
