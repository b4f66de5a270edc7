// SPDX-License-Identifier: Apache-2.0

/**
 * Gathers the keys of one side of a join, stores them as a set, a bitmap or a Bloom filter,
 * serialises them, and tests the other side's column by them.
 *
 * <p>May import {@code read.predicate} and {@code read.text}.
 */
package latebloom.bloom;
