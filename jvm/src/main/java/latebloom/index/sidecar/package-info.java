// SPDX-License-Identifier: Apache-2.0

/**
 * Stores what a skip index knows of the files of a table in sidecars, each with the entries of many
 * files: of each column of a range of a file, which keys occur there. Trusts no byte that it reads.
 *
 * <p>May import {@code bloom}, {@code read.predicate} and {@code read.text}.
 */
package latebloom.index.sidecar;
