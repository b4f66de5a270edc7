// SPDX-License-Identifier: Apache-2.0

/**
 * What is known of one stripe and fetched of it: its footer, its row indexes, the parts of the
 * streams that strides with wanted rows lie in, and where it lies, for messages.
 *
 * <p>May import {@code orc.encoding}, {@code read.io}, {@code read.predicate}, {@code
 * read.selection}, {@code read.task} and {@code read.vector}.
 */
package latebloom.orc.stripe;
