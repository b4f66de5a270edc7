// SPDX-License-Identifier: Apache-2.0

/**
 * Decoders of runs and values, each on the bytes of one stream.
 *
 * <p>May import {@code read.task} and {@code read.vector}.
 */
package latebloom.orc.encoding;
