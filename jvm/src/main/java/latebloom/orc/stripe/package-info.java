// SPDX-License-Identifier: Apache-2.0

/**
 * Fetches and holds the metadata and bytes of one stripe: its footer, its row indexes, the parts of
 * streams that hold wanted rows, and its place in the file, for messages.
 *
 * <p>May import {@code orc.encoding}, {@code read.io}, {@code read.predicate}, {@code
 * read.selection}, {@code read.task} and {@code read.vector}.
 */
package latebloom.orc.stripe;
