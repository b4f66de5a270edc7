// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

/** The type of the values in a vector of Spark's. */
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
