// SPDX-License-Identifier: Apache-2.0

/**
 * ORC files as row groups of a scan, each a stripe: which of them a split has, what is pruned,
 * which streams are fetched, and by whom each column is read. Begins in {@link
 * latebloom.orc.OrcSplit}.
 *
 * <p>May import {@code orc.encoding}, {@code orc.flat}, {@code orc.stripe}, {@code orc.tree},
 * {@code read}, {@code read.io}, {@code read.predicate}, {@code read.selection}, {@code read.task}
 * and {@code read.vector}.
 */
package latebloom.orc;
