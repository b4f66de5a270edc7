// SPDX-License-Identifier: Apache-2.0

/**
 * Remembers of the rows of a file which ones may pass the conditions of a scan, in blocks, so that
 * the next scan with these conditions begins there.
 *
 * <p>May import {@code read.selection} and {@code read.task}.
 */
package latebloom.read.survivors;
