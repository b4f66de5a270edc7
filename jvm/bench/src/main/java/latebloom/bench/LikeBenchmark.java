// SPDX-License-Identifier: Apache-2.0
package latebloom.bench;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import latebloom.read.text.BytesPredicate;
import latebloom.read.text.LikePattern;
import org.apache.spark.sql.catalyst.util.StringUtils;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
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
 * Evaluates LIKE over comments like TPC-H's, of 27 bytes on average, with LateBloom's byte matcher
 * and with Spark's regular expression: nanoseconds per value.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(LikeBenchmark.VALUES)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LikeBenchmark {
  static final int VALUES = 4096;

  private static final String[] WORDS = {
    "foxes",
    "ideas",
    "theodolites",
    "pinto beans",
    "instructions",
    "dependencies",
    "excuses",
    "platelets",
    "asymptotes",
    "courts",
    "dolphins",
    "packages",
    "deposits",
    "requests",
    "accounts",
    "furiously",
    "slyly",
    "carefully",
    "blithely",
    "quickly",
    "fluffily",
    "special",
    "pending",
    "unusual",
    "express",
    "final",
    "regular",
    "ironic",
    "even",
    "bold",
    "silent",
    "sleep",
    "haggle",
    "nag",
    "wake",
    "cajole",
    "about",
    "above",
    "according to",
    "across",
    "after",
    "the",
    "among"
  };

  @Param({
    "%pending%foxes%slyly%",
    "%special%requests%",
    "%the%",
    "final%",
    "%foxes",
    "%e_p%s",
    "%pendingé%"
  })
  public String pattern;

  private byte[] data;
  private int[] offsets;
  private int[] lengths;
  private int[] out;
  private BytesPredicate.Cursor predicate;
  private Pattern regex;

  @Setup
  public void setup() {
    Random random = new Random(7);
    StringBuilder text = new StringBuilder();
    while (text.length() < VALUES * 44) {
      text.append(WORDS[random.nextInt(WORDS.length)]).append(random.nextInt(9) == 0 ? ". " : " ");
    }
    data = text.toString().getBytes(StandardCharsets.US_ASCII);
    offsets = new int[VALUES];
    lengths = new int[VALUES];
    out = new int[VALUES];
    int at = 0;
    for (int i = 0; i < VALUES; i++) {
      offsets[i] = at;
      lengths[i] = 10 + random.nextInt(34);
      at += lengths[i];
    }
    predicate = BytesPredicate.like(LikePattern.compile(pattern, '\\').orElseThrow()).cursor();
    regex = Pattern.compile(StringUtils.escapeLikeRegex(pattern, '\\'));
  }

  @Benchmark
  public int bytes() {
    return predicate.filter(data, offsets, lengths, VALUES, out);
  }

  @Benchmark
  public int spark() {
    int k = 0;
    for (int i = 0; i < VALUES; i++) {
      UTF8String value =
          UTF8String.fromAddress(data, Platform.BYTE_ARRAY_OFFSET + offsets[i], lengths[i]);
      out[k] = i;
      k += regex.matcher(value.toString()).matches() ? 1 : 0;
    }
    return k;
  }
}
