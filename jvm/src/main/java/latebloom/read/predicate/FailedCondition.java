// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

/**
 * Carries the error of a query's condition past code that takes an exception for a fault of the
 * file: our readers, and Spark's readers of files.
 */
public final class FailedCondition extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FailedCondition(Throwable cause) {
    super(cause);
  }
}
