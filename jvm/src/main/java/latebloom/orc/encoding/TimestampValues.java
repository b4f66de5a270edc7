// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.text.ParseException;
import java.text.SimpleDateFormat;
import java.util.TimeZone;
import latebloom.read.vector.FixedValues;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.orc.impl.PositionProvider;
import org.apache.orc.impl.SerializationUtils;
import org.apache.orc.impl.writer.TimestampTreeWriter;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;

/**
 * Reads timestamps as microseconds: the file has seconds since the beginning of 2015 in the
 * writer's time zone, and nanoseconds without trailing zeros. A timestamp since 1970 whose writer
 * used the reader's zone is a sum; others take the path of orc-core and Spark, with its zones,
 * calendars and rounding.
 */
public final class TimestampValues implements FixedValues, Positioned {
  private static final long MILLIS = TimestampTreeWriter.MILLIS_PER_SECOND;

  /** Seconds below this don't overflow as microseconds. */
  private static final long MOST_SECONDS = 1L << 42;

  private static final long[] POWERS_OF_TEN = {
    1, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000
  };

  private final IntegerRunLength seconds;
  private final IntegerRunLength nanos;
  private final Calendars calendars;
  private final TimeZone writerZone;
  private final TimeZone readerZone = TimeZone.getDefault();
  private final boolean sameZone;
  private final long base;
  private final TimestampColumnVector one = new TimestampColumnVector(1);
  private long[] fractions = new long[0];

  public TimestampValues(IntegerRunLength seconds, IntegerRunLength nanos, Calendars calendars) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.calendars = calendars;
    String zone = calendars.writerTimezone();
    writerZone = zone == null || zone.isEmpty() ? readerZone : TimeZone.getTimeZone(zone);
    sameZone = writerZone.hasSameRules(readerZone);
    SimpleDateFormat format = new SimpleDateFormat("yyyy-MM-dd HH:mm:ss");
    format.setTimeZone(writerZone);
    try {
      base = format.parse(TimestampTreeWriter.BASE_TIMESTAMP_STRING).getTime() / MILLIS;
    } catch (ParseException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void seek(PositionProvider positions) {
    seconds.seek(positions);
    nanos.seek(positions);
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    if (fractions.length < n) {
      fractions = new long[n];
    }
    seconds.read(indexes, n, out);
    nanos.read(indexes, n, fractions);
    for (int i = 0; i < n; i++) {
      int nano = nanos(fractions[i]);
      long second = out[i] + base;
      out[i] =
          sameZone && second >= 0 && second < MOST_SECONDS
              ? second * 1_000_000 + nano / 1_000
              : slowly(second, nano);
    }
  }

  private int nanos(long serialized) {
    int nanos = (int) (serialized >>> 3) * (int) POWERS_OF_TEN[(int) serialized & 7];
    if (nanos < 0 || nanos > 999_999_999) {
      throw this.nanos.feed.corrupt("a second of " + nanos + " nanoseconds");
    }
    return nanos;
  }

  private long slowly(long second, int nano) {
    long millis = second * MILLIS + nano / 1_000_000;
    if (millis < 0 && nano > 999_999) {
      millis -= MILLIS;
    }
    if (!sameZone) {
      millis += SerializationUtils.convertBetweenTimezones(writerZone, readerZone, millis);
    }
    one.changeCalendar(calendars.fileIsProleptic(), false);
    one.time[0] = millis;
    one.nanos[0] = nano;
    one.changeCalendar(calendars.readerIsProleptic(), true);
    return DateTimeUtils.fromJavaTimestamp(one.asScratchTimestamp(0));
  }
}
