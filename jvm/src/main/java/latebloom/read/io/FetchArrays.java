// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.util.ArrayList;
import java.util.List;

/**
 * The arrays that the row groups of one file are fetched into: taken from those that other row
 * groups of the process no longer need, and left to others again.
 *
 * <p>Thread safe: requests may take arrays on threads of their own.
 */
final class FetchArrays {
  private final SpareArrays spare;
  private final List<byte[]> lent = new ArrayList<>();
  private Thread reader;
  private boolean writing;

  FetchArrays(SpareArrays spare) {
    this.spare = spare;
  }

  /** An array of at least so many bytes, whatever is in them, until {@link #released}. */
  synchronized byte[] take(int length) {
    byte[] array = spare.take(length);
    lent.add(array);
    return array;
  }

  /** To be told before something is written into arrays by requests. */
  synchronized void begin() {
    reader = Thread.currentThread();
    writing = true;
  }

  /**
   * To be told when requests have ended.
   *
   * @param complete whether all that were sent were answered; else something may still be written,
   *     and the arrays are nobody's any more
   */
  synchronized void end(boolean complete) {
    writing = false;
    if (!complete) {
      lent.clear();
    }
  }

  /** To be told when nobody reads what was taken any more. */
  synchronized void released() {
    // The owner may end a scan that another thread is in the midst of: then they are nobody's.
    if (!writing && reader == Thread.currentThread()) {
      lent.forEach(spare::give);
    }
    lent.clear();
  }
}
