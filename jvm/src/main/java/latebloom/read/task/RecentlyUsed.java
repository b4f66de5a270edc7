// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Creates maps that evict the least recently used entry. */
public final class RecentlyUsed {
  private RecentlyUsed() {}

  /** A thread-safe map of at most so many entries. */
  public static <K, V> Map<K, V> map(int most) {
    return Collections.synchronizedMap(
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        });
  }
}
