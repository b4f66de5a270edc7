// SPDX-License-Identifier: Apache-2.0
package latebloom.bench;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import latebloom.read.selection.Selection;
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

/** Builds a selection from row positions and reads it in batches: nanoseconds per row. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(SelectionBenchmark.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SelectionBenchmark {
  static final int ROWS = 1 << 20;
  private static final int BATCH = 4096;

  /** Selected rows per thousand. */
  @Param({"1", "20", "500", "990", "1000"})
  public int perMille;

  private final int[] out = new int[BATCH];
  private int[] rows;
  private Selection selection;

  @Setup
  public void setup() {
    Random random = new Random(7);
    rows = IntStream.range(0, ROWS).filter(row -> random.nextInt(1000) < perMille).toArray();
    selection = build();
  }

  @Benchmark
  public Selection build() {
    Selection.Builder builder = new Selection.Builder(ROWS);
    builder.add(rows, rows.length);
    return builder.build();
  }

  @Benchmark
  public int positions() {
    int n = 0;
    for (int from = 0; from < ROWS; from += BATCH) {
      n += selection.positions(from, from + BATCH, BATCH, out);
    }
    return n;
  }
}
