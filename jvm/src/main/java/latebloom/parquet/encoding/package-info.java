// SPDX-License-Identifier: Apache-2.0

/**
 * Decodes values and levels, by one class for each family of the format's encodings.
 *
 * <p>May import {@code parquet.types} and {@code read.vector}.
 */
package latebloom.parquet.encoding;
