// SPDX-License-Identifier: Apache-2.0

/**
 * The scan of one file split, whatever the format: which filter is evaluated next, on which rows,
 * and what of the other columns the surviving rows need. A format implements {@link
 * latebloom.read.RowGroups} and {@link latebloom.read.RowGroup}; the scan begins in {@link
 * latebloom.read.SelectiveScan}.
 *
 * <p>May import {@code line}, {@code read.predicate}, {@code read.selection}, {@code read.task} and
 * {@code read.vector}.
 */
package latebloom.read;
