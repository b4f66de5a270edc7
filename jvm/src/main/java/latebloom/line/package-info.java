// SPDX-License-Identifier: Apache-2.0

/**
 * What differs from one line of Spark to the next in types and values. Each class stands once a
 * line, or a run of lines, in {@code jvm/spark-*}: all with the same methods.
 *
 * <p>Imports nothing of ours.
 */
package latebloom.line;
