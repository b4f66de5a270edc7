// SPDX-License-Identifier: Apache-2.0

/**
 * Columns that are no lists, maps, unions or structs, filtered and selected.
 *
 * <p>May import {@code orc.encoding}, {@code orc.stripe}, {@code read}, {@code read.predicate},
 * {@code read.selection}, {@code read.task} and {@code read.vector}.
 */
package latebloom.orc.flat;
