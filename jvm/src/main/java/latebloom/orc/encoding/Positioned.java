// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import org.apache.orc.impl.PositionProvider;

/** What reads one or more streams and can begin anew at a stride. */
public interface Positioned {
  /** Goes to where a stride begins; takes its own positions. The next value has index 0. */
  void seek(PositionProvider positions);
}
