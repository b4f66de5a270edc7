// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Estimates a store's latency and transfer rate from the fetches of this process. Thread safe.
 *
 * <p>Small fetches show the latency, large ones the rate. Their product is the number of bytes that
 * could arrive while a request waits: as many unneeded bytes are worth fetching to save a request,
 * about 100 KB on a local disk and 10 MB on an object store.
 */
public final class StoreSpeed {
  private static final Map<String, StoreSpeed> BY_STORE = new ConcurrentHashMap<>();

  private static final long SMALL = 64 << 10;
  private static final long LARGE = 1 << 20;

  /** A local disk answers in a tenth of this. */
  private static final double SLOW = 1e6;

  /** Upper limit of the bytes that a request is worth. */
  private static final long MOST = 16 << 20;

  /** Assumed rate of a stream that has not been measured: 100 MB a second. */
  private static final double UNMEASURED = 0.1;

  private double latency = Double.NaN; // nanoseconds
  private double rate = UNMEASURED; // bytes a nanosecond
  private final boolean measured;

  public StoreSpeed() {
    measured = true;
  }

  /** A constant speed, whatever is observed: a request waits as long as so many bytes take. */
  StoreSpeed(long roundTripBytes) {
    measured = false;
    latency = roundTripBytes / rate;
  }

  /** The speed of the store of a file. */
  public static StoreSpeed of(URI file) {
    return BY_STORE.computeIfAbsent(store(file), store -> new StoreSpeed());
  }

  /**
   * Replaces the speed of a store, or forgets it if {@code speed} is null. Returns the former
   * speed.
   */
  static StoreSpeed replace(URI file, StoreSpeed speed) {
    return speed == null ? BY_STORE.remove(store(file)) : BY_STORE.put(store(file), speed);
  }

  private static String store(URI file) {
    return file.getScheme() + "://" + file.getAuthority();
  }

  /** Records the time and the bytes of requests that went out together. */
  synchronized void observe(long bytes, long nanos) {
    if (!measured) {
      return;
    }
    if (bytes <= SMALL) {
      // Other causes than the store delay answers, so fast answers weigh more.
      double before = Double.isNaN(latency) ? nanos : latency;
      latency = before + (nanos - before) / (nanos < before ? 2 : 8);
    } else if (bytes >= LARGE) {
      double waited = Double.isNaN(latency) ? 0 : latency;
      rate += (bytes / Math.max(nanos - waited, 0.1 * nanos) - rate) / 4;
    }
  }

  /** Whether a request waits long enough to send it ahead of need. */
  synchronized boolean isSlow() {
    return latency >= SLOW;
  }

  /** Bytes that arrive in the time that a request waits; 0 while unknown. */
  public synchronized long roundTripBytes() {
    return Double.isNaN(latency) ? 0 : (long) Math.min(latency * rate, MOST);
  }
}
