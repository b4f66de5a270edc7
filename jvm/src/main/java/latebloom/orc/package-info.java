// SPDX-License-Identifier: Apache-2.0

/**
 * ORC files as row groups of a scan: a stripe is one.
 *
 * <p>May import {@code read} and its rooms.
 */
package latebloom.orc;
