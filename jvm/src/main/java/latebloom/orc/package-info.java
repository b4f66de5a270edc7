// SPDX-License-Identifier: Apache-2.0

/**
 * Presents ORC files as row groups of a scan, each a stripe: finds a split's stripes, prunes
 * strides, fetches streams and chooses each column's reader. Begins in {@link
 * latebloom.orc.OrcSplit}.
 *
 * <p>May import {@code orc.encoding}, {@code orc.flat}, {@code orc.stripe}, {@code orc.tree},
 * {@code read}, {@code read.io}, {@code read.predicate}, {@code read.selection}, {@code read.task}
 * and {@code read.vector}.
 */
package latebloom.orc;
