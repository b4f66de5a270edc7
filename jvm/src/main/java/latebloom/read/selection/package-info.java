// SPDX-License-Identifier: Apache-2.0

/**
 * Represents sets of rows of a row group: as runs, or as a bitmap where runs are many.
 *
 * <p>Imports nothing of ours.
 */
package latebloom.read.selection;
