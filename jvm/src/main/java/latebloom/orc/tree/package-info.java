// SPDX-License-Identifier: Apache-2.0

/**
 * Columns that orc-core's own readers decode: nested ones, and those read as another type.
 *
 * <p>May import {@code orc.encoding}, {@code orc.stripe}, {@code read}, {@code read.predicate},
 * {@code read.selection}, {@code read.task} and {@code read.vector}.
 */
package latebloom.orc.tree;
