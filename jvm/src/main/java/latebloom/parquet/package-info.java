// SPDX-License-Identifier: Apache-2.0

/**
 * Parquet files as row groups of a scan: which of them a split has, what is pruned, which pages are
 * fetched, and by whom each column is read. Begins in {@link latebloom.parquet.ParquetSplit}.
 *
 * <p>May import {@code read} with its rooms, and the rooms below.
 */
package latebloom.parquet;
