// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.util.ArrayList;
import java.util.List;

/**
 * The arrays that receive the row groups of one file. Takes spare arrays of the process and returns
 * them for other row groups.
 *
 * <p>Thread safe: requests may take arrays on other threads.
 */
final class FetchArrays {
  private final SpareArrays spare;
  private final List<byte[]> lent = new ArrayList<>();
  private Thread reader;
  private boolean writing;

  FetchArrays(SpareArrays spare) {
    this.spare = spare;
  }

  /** An array of at least so many bytes, with arbitrary content, valid until {@link #released}. */
  synchronized byte[] take(int length) {
    byte[] array = spare.take(length);
    lent.add(array);
    return array;
  }

  /** Called before requests write into arrays. */
  synchronized void begin() {
    reader = Thread.currentThread();
    writing = true;
  }

  /**
   * Called when requests have ended.
   *
   * @param complete whether all requests were answered; else one may still write, and the arrays
   *     are abandoned
   */
  synchronized void end(boolean complete) {
    writing = false;
    if (!complete) {
      lent.clear();
    }
  }

  /** Called when nobody reads the taken arrays any more. */
  synchronized void released() {
    // If the owner ends a scan while another thread reads, the arrays are abandoned.
    if (!writing && reader == Thread.currentThread()) {
      lent.forEach(spare::give);
    }
    lent.clear();
  }
}
