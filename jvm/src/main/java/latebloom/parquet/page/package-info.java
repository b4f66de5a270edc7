// SPDX-License-Identifier: Apache-2.0

/**
 * Column chunks as pages: where they lie, their headers, decompressed bytes, and which of them hold
 * wanted rows.
 *
 * <p>May import {@code parquet.encoding}, {@code read.io}, {@code read.selection}, {@code
 * read.task} and {@code read.vector}.
 */
package latebloom.parquet.page;
