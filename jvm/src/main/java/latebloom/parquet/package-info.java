// SPDX-License-Identifier: Apache-2.0

/**
 * Parquet files as row groups of a scan.
 *
 * <p>May import {@code read} and its rooms.
 */
package latebloom.parquet;
