// SPDX-License-Identifier: Apache-2.0

/**
 * Evaluates predicates of byte strings on the bytes of UTF-8.
 *
 * <p>May import {@code line}.
 */
package latebloom.read.text;
