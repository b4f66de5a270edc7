// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

/**
 * Running totals of one file's scan, owned by one thread. Plain longs, so that counting is free.
 */
public final class Counters {
  private static final Counter[] ALL = Counter.values();

  private final long[] totals = new long[ALL.length];

  /** Receives the totals since the last drain. */
  @FunctionalInterface
  public interface Sink {
    void add(Counter counter, long amount);
  }

  public void add(Counter counter, long amount) {
    totals[counter.ordinal()] += amount;
  }

  /** Raises a peak. */
  public void atLeast(Counter counter, long amount) {
    totals[counter.ordinal()] = Math.max(totals[counter.ordinal()], amount);
  }

  public long get(Counter counter) {
    return totals[counter.ordinal()];
  }

  /** Passes every non-zero total to {@code sink} and resets it. */
  public void drainTo(Sink sink) {
    for (Counter c : ALL) {
      long n = totals[c.ordinal()];
      if (n != 0) {
        totals[c.ordinal()] = 0;
        sink.add(c, n);
      }
    }
  }
}
