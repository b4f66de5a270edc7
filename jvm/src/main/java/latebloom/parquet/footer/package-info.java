// SPDX-License-Identifier: Apache-2.0

/**
 * Fetches footers with the tail of the file, caches them for its splits, and decides which of their
 * statistics to trust.
 *
 * <p>May import {@code parquet.page}, {@code parquet.encoding}, {@code read.io} and {@code
 * read.task}.
 */
package latebloom.parquet.footer;
