// SPDX-License-Identifier: Apache-2.0

/**
 * Scans one file split, independent of the format: chooses the next filter and its rows, and reads
 * of the other columns only what surviving rows need. A format implements {@link
 * latebloom.read.RowGroups} and {@link latebloom.read.RowGroup}; the scan begins in {@link
 * latebloom.read.SelectiveScan}.
 *
 * <p>May import {@code line}, {@code read.predicate}, {@code read.selection}, {@code
 * read.survivors}, {@code read.task} and {@code read.vector}.
 */
package latebloom.read;
