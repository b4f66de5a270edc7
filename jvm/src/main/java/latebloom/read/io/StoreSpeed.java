// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long a store takes to answer, and how fast the answer comes, as the fetches of this process
 * have shown. Thread safe.
 *
 * <p>Small fetches show the one, large ones the other. What is wanted of both is one number, the
 * bytes that could have come in the time that a request waits: so many unneeded bytes are worth
 * fetching to save a request, 100 KB on a local disk and 10 MB on an object store, about.
 */
public final class StoreSpeed {
  private static final Map<String, StoreSpeed> BY_STORE = new ConcurrentHashMap<>();

  private static final long SMALL = 64 << 10;
  private static final long LARGE = 1 << 20;

  /** A local disk answers in a tenth of this. */
  private static final double SLOW = 1e6;

  /** No request is worth more bytes than this. */
  private static final long MOST = 16 << 20;

  /** What a stream gives that has not been measured: 100 MB a second. */
  private static final double UNMEASURED = 0.1;

  private double latency = Double.NaN; // nanoseconds
  private double rate = UNMEASURED; // bytes a nanosecond
  private final boolean measured;

  public StoreSpeed() {
    measured = true;
  }

  /**
   * A speed that stays as it is, whatever is observed: a request waits as long as so many bytes.
   */
  StoreSpeed(long roundTripBytes) {
    measured = false;
    latency = roundTripBytes / rate;
  }

  /** Of the store that a file lies in. */
  public static StoreSpeed of(URI file) {
    return BY_STORE.computeIfAbsent(store(file), store -> new StoreSpeed());
  }

  /**
   * Replaces what is known of a store, by nothing if {@code speed} is null. Returns what was known.
   */
  static StoreSpeed replace(URI file, StoreSpeed speed) {
    return speed == null ? BY_STORE.remove(store(file)) : BY_STORE.put(store(file), speed);
  }

  private static String store(URI file) {
    return file.getScheme() + "://" + file.getAuthority();
  }

  /** Requests that went out together took so long for so many bytes in all. */
  synchronized void observe(long bytes, long nanos) {
    if (!measured) {
      return;
    }
    if (bytes <= SMALL) {
      // Whatever else delays an answer, it is not the store: the fast ones count for more.
      double before = Double.isNaN(latency) ? nanos : latency;
      latency = before + (nanos - before) / (nanos < before ? 2 : 8);
    } else if (bytes >= LARGE) {
      double waited = Double.isNaN(latency) ? 0 : latency;
      rate += (bytes / Math.max(nanos - waited, 0.1 * nanos) - rate) / 4;
    }
  }

  /** Whether a request waits so long that it is worth being sent before it is needed. */
  synchronized boolean isSlow() {
    return latency >= SLOW;
  }

  /** So many bytes come in the time that a request waits; 0 while that is unknown. */
  public synchronized long roundTripBytes() {
    return Double.isNaN(latency) ? 0 : (long) Math.min(latency * rate, MOST);
  }
}
