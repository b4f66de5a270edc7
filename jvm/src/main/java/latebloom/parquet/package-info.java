// SPDX-License-Identifier: Apache-2.0

/**
 * Parquet files as row groups of a scan: which of them a split has, what is pruned, which pages are
 * fetched, and by whom each column is read. Begins in {@link latebloom.parquet.ParquetSplit}.
 *
 * <p>May import {@code line}, {@code parquet.encoding}, {@code parquet.flat}, {@code
 * parquet.footer}, {@code parquet.nested}, {@code parquet.page}, {@code parquet.types}, {@code
 * read}, {@code read.io}, {@code read.predicate}, {@code read.selection}, {@code read.task} and
 * {@code read.vector}.
 */
package latebloom.parquet;
