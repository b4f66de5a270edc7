// SPDX-License-Identifier: Apache-2.0

/**
 * Footers: fetched with the tail of the file, kept for the splits of it, and whom to trust in them.
 *
 * <p>May import {@code parquet.page}, {@code parquet.encoding}, {@code read.io} and {@code
 * read.task}.
 */
package latebloom.parquet.footer;
