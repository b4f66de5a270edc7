// SPDX-License-Identifier: Apache-2.0

/**
 * Columns that are no lists, maps, unions or structs, filtered and selected.
 *
 * <p>May import {@code orc.encoding}, {@code orc.stripe}, and {@code read} with its rooms.
 */
package latebloom.orc.flat;
