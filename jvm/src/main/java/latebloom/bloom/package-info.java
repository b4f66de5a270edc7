// SPDX-License-Identifier: Apache-2.0

/**
 * The keys of one side of a join: gathered, held as a set, a bitmap or a Bloom filter, serialised,
 * and as a predicate of the other side's column.
 *
 * <p>May import {@code read.predicate} and {@code read.text}.
 */
package latebloom.bloom;
