// SPDX-License-Identifier: Apache-2.0

/**
 * Decodes values and levels, by one class for each family of the format's encodings.
 *
 * <p>May import {@code parquet.types}, {@code read.task} and {@code read.vector}.
 */
package latebloom.parquet.encoding;
