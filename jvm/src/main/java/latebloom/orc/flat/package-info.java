// SPDX-License-Identifier: Apache-2.0

/**
 * Filters and selects columns of primitive types.
 *
 * <p>May import {@code orc.encoding}, {@code orc.stripe}, {@code read}, {@code read.predicate},
 * {@code read.selection}, {@code read.task} and {@code read.vector}.
 */
package latebloom.orc.flat;
