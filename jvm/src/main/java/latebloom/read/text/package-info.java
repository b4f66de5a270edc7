// SPDX-License-Identifier: Apache-2.0

/**
 * Evaluates predicates of byte strings on the bytes of UTF-8.
 *
 * <p>Imports nothing of ours.
 */
package latebloom.read.text;
