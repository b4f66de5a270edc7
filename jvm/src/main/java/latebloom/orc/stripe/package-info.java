// SPDX-License-Identifier: Apache-2.0

/**
 * How the rows of a stripe are divided.
 *
 * <p>May import {@code read.selection}.
 */
package latebloom.orc.stripe;
