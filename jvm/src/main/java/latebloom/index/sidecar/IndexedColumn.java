// SPDX-License-Identifier: Apache-2.0
package latebloom.index.sidecar;

/**
 * A column of an index.
 *
 * @param name for people
 * @param field with all by which Spark finds it in a file, as JSON
 */
public record IndexedColumn(String name, String field) {}
