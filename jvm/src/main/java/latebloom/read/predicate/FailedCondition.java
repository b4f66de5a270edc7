// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

/**
 * Carries what a condition of the query fails with past whoever takes what is thrown below it for a
 * fault of the file: our readers, and Spark's that reads files.
 */
public final class FailedCondition extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FailedCondition(Throwable cause) {
    super(cause);
  }
}
