// SPDX-License-Identifier: Apache-2.0

/**
 * Predicates of byte strings, evaluated on the bytes of UTF-8.
 *
 * <p>May import {@code line}.
 */
package latebloom.read.text;
