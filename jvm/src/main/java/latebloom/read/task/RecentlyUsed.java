// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps that what was not used for longest falls out of. */
public final class RecentlyUsed {
  private RecentlyUsed() {}

  /** One that holds so many entries; thread safe. */
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
