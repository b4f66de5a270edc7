// SPDX-License-Identifier: Apache-2.0

/**
 * Finds the pages of column chunks that hold wanted rows, parses their headers and decompresses
 * them.
 *
 * <p>May import {@code parquet.encoding}, {@code read.io}, {@code read.selection}, {@code
 * read.task} and {@code read.vector}.
 */
package latebloom.parquet.page;
