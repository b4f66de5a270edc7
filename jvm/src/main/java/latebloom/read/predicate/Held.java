// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

/** What kind of value a vector of Spark's holds. */
public enum Held {
  BOOLEAN,
  BYTE,
  SHORT,
  INT,
  LONG,
  FLOAT,
  DOUBLE,
  BYTES
}
