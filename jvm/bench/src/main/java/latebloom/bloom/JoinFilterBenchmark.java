// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import latebloom.read.predicate.ColumnPredicate;
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

/**
 * Probes join filters of each form with blocks of keys in random order, as the scan does. Reports
 * nanoseconds per key. The baseline is Spark's Bloom filter with the hash, and about the bits per
 * key, of Spark's runtime filter. The smallest filter fits the first-level cache, the largest fits
 * none.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(JoinFilterBenchmark.BLOCK)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class JoinFilterBenchmark {
  static final int BLOCK = 1024;
  private static final int BLOCKS = 256;
  private static final long DOMAIN = 1L << 40;

  @Param({"set", "bitmap", "bloom"})
  public String form;

  @Param({"1000", "100000", "3000000"})
  public int keys;

  /** Percentage of the probed values that are keys. */
  @Param({"1", "50"})
  public int percent;

  private final long[][] values = new long[BLOCKS][BLOCK];
  private final int[] out = new int[BLOCK];
  private int next;
  private ColumnPredicate predicate;
  private BloomFilter spark;

  @Setup
  public void setup() throws Exception {
    Random random = new Random(7);
    long domain = form.equals("bitmap") ? 16L * keys : DOMAIN;
    long[] created = random.longs(keys, 0, domain).toArray();
    KeyCollector collector =
        new KeyCollector(
            KeyDomain.LONGS, new KeyLimits(form.equals("set") ? keys : 1, 8 << 20, keys));
    spark = BloomFilter.create(keys, 16L * keys);
    for (long key : created) {
      collector.add(key);
      spark.putLong(XXH64.hashLong(key, 42));
    }
    KeyFilter filter = collector.finish().orElseThrow();
    if (!filter.form().equals(form)) {
      throw new IllegalStateException(filter + " is no " + form);
    }
    predicate = filter.predicate();
    for (long[] block : values) {
      for (int i = 0; i < BLOCK; i++) {
        boolean key = random.nextInt(100) < percent;
        block[i] = key ? created[random.nextInt(keys)] : random.nextLong(domain);
      }
    }
  }

  private long[] block() {
    return values[next++ & BLOCKS - 1];
  }

  @Benchmark
  public int filter() {
    return predicate instanceof ColumnPredicate.Longs longs
        ? longs.ranges().filter(block(), BLOCK, out)
        : ((ColumnPredicate.Probed) predicate).probe().filter(block(), BLOCK, out);
  }

  @Benchmark
  public int spark() {
    long[] block = block();
    int k = 0;
    for (int i = 0; i < BLOCK; i++) {
      out[k] = i;
      k += spark.mightContainLong(XXH64.hashLong(block[i], 42)) ? 1 : 0;
    }
    return k;
  }
}
