// SPDX-License-Identifier: Apache-2.0
package latebloom.bench;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import latebloom.read.predicate.LongRanges;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.Predicate;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
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
 * Filters keys in random order by range sets of each shape: nanoseconds per key. Detects a loop
 * that branches on the outcome: it would be much slower with half of the keys passing than with few
 * or nearly all.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(LongRangesBenchmark.VALUES)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LongRangesBenchmark {
  static final int VALUES = 4096;
  private static final long DOMAIN = 1L << 40;
  private static final Expression KEY = new BoundReference(0, DataTypes.LongType, false);

  @Param({"one", "two", "eight", "window", "points", "many"})
  public String shape;

  /** Percentage of the keys that pass. */
  @Param({"1", "50", "99"})
  public int percent;

  private long[] values;
  private int[] out;
  private LongRanges ranges;
  private Expression condition;
  private BasePredicate compiled;
  private SpecificInternalRow row;

  @Setup
  public void setup() {
    Random random = new Random(7);
    out = new int[VALUES];
    ranges =
        switch (shape) {
          case "one" -> spread(1, DOMAIN);
          case "two" -> spread(2, DOMAIN);
          case "eight" -> spread(8, DOMAIN);
          case "window" -> spread(100, 10_000);
          case "points" -> points(random.longs(1000, 0, DOMAIN).toArray());
          case "many" -> spread(1000, DOMAIN);
          default -> throw new IllegalArgumentException(shape);
        };
    long[] points = new Random(7).longs(1000, 0, DOMAIN).toArray();
    row = new SpecificInternalRow(new StructType().add("key", DataTypes.LongType));
    compiled = Predicate.create(condition);
    values = new long[VALUES];
    for (int i = 0; i < VALUES; i++) {
      boolean pass = random.nextInt(100) < percent;
      do {
        values[i] =
            shape.equals("points") && pass
                ? points[random.nextInt(points.length)]
                : random.nextLong(shape.equals("window") ? 10_000 : DOMAIN);
      } while (ranges.contains(values[i]) != pass);
    }
  }

  private LongRanges points(long... points) {
    scala.collection.mutable.HashSet<Object> set = new scala.collection.mutable.HashSet<>();
    for (long p : points) {
      set.add(p);
    }
    condition = new InSet(KEY, set.toSet());
    return LongRanges.ofPoints(points);
  }

  /** Spreads {@code n} equal intervals evenly over the domain; together they cover half of it. */
  private LongRanges spread(int n, long domain) {
    LongRanges ranges = LongRanges.none();
    for (int i = 0; i < n; i++) {
      long lo = domain / n * i;
      long hi = lo + domain / n / 2;
      ranges = ranges.union(LongRanges.of(lo, hi));
      Expression within =
          new And(
              new GreaterThanOrEqual(KEY, new Literal(lo, DataTypes.LongType)),
              new LessThanOrEqual(KEY, new Literal(hi, DataTypes.LongType)));
      condition = condition == null ? within : new Or(condition, within);
    }
    return ranges;
  }

  @Benchmark
  public int filter() {
    return ranges.filter(values, VALUES, out);
  }

  /** Evaluates, row by row, the predicate that Spark compiles for the same condition. */
  @Benchmark
  public int spark() {
    int k = 0;
    for (int i = 0; i < VALUES; i++) {
      row.setLong(0, values[i]);
      out[k] = i;
      k += compiled.eval(row) ? 1 : 0;
    }
    return k;
  }
}
