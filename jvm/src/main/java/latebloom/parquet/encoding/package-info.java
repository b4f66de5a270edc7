// SPDX-License-Identifier: Apache-2.0

/**
 * Decoders of values and levels, one a class of encodings of the format.
 *
 * <p>May import {@code parquet.types} and {@code read.vector}.
 */
package latebloom.parquet.encoding;
