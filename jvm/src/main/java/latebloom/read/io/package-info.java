// SPDX-License-Identifier: Apache-2.0

/**
 * Reads the bytes of a file: merges ranges into few requests, fetches the next ones ahead of time,
 * and reuses arrays.
 *
 * <p>May import {@code read.task}.
 */
package latebloom.read.io;
