// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.util.sketch.BloomFilter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Collects a million keys in random order and builds their filter: nanoseconds per key. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(KeyCollectorBenchmark.KEYS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class KeyCollectorBenchmark {
  static final int KEYS = 1 << 20;

  /** The filter's form: a set for repeated keys, a bitmap for dense ones, else a Bloom filter. */
  @Param({"set", "bitmap", "bloom"})
  public String form;

  private long[] keys;

  @Setup
  public void setup() {
    long domain =
        switch (form) {
          case "set" -> 100_000;
          case "bitmap" -> 16L * KEYS;
          default -> Long.MAX_VALUE;
        };
    keys = new Random(7).longs(KEYS, 0, domain).toArray();
  }

  @Benchmark
  public KeyFilter collect() {
    KeyCollector collector = new KeyCollector(KeyDomain.LONGS, KeyLimits.DEFAULT);
    for (long key : keys) {
      collector.add(key);
    }
    return collector.finish().orElseThrow();
  }

  /** Builds Spark's Bloom filter with 16 bits per key. */
  @Benchmark
  public BloomFilter spark() {
    BloomFilter filter = BloomFilter.create(KEYS, 16L * KEYS);
    for (long key : keys) {
      filter.putLong(XXH64.hashLong(key, 42));
    }
    return filter;
  }
}
