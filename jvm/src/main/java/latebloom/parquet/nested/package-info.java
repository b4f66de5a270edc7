// SPDX-License-Identifier: Apache-2.0

/**
 * Lists and maps, filtered and selected.
 *
 * <p>May import {@code parquet.flat} and the rooms below it, and {@code read} with its rooms.
 */
package latebloom.parquet.nested;
