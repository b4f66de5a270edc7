// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import org.apache.orc.impl.PositionProvider;

/** Reads one or more streams and can restart at a stride. */
public interface Positioned {
  /** Seeks to the start of a stride; takes its own positions. The next value has index 0. */
  void seek(PositionProvider positions);
}
