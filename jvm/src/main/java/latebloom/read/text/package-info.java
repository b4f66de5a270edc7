// SPDX-License-Identifier: Apache-2.0

/**
 * Predicates of byte strings, evaluated on the bytes of UTF-8.
 *
 * <p>Imports nothing of ours.
 */
package latebloom.read.text;
