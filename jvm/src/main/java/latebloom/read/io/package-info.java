// SPDX-License-Identifier: Apache-2.0

/**
 * Reads the bytes of a file: ranges that are needed together in few requests, the next ones ahead
 * of time, into arrays that are used again.
 *
 * <p>May import {@code read.task}.
 */
package latebloom.read.io;
