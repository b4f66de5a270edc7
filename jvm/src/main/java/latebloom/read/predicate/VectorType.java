// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

/** What a vector of Spark's holds. */
public enum VectorType {
  BOOLEAN,
  BYTE,
  SHORT,
  INT,
  LONG,
  FLOAT,
  DOUBLE,
  BYTES
}
