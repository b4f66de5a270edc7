// SPDX-License-Identifier: Apache-2.0

/**
 * Reads columns by orc-core's own readers: nested ones, and those read as another type.
 *
 * <p>May import {@code orc.encoding}, {@code orc.stripe}, {@code read}, {@code read.predicate},
 * {@code read.selection}, {@code read.task} and {@code read.vector}.
 */
package latebloom.orc.tree;
