// SPDX-License-Identifier: Apache-2.0

/**
 * Columns without repetition, filtered and selected.
 *
 * <p>May import {@code parquet.page} and the rooms below it, and {@code read} with its rooms.
 */
package latebloom.parquet.flat;
