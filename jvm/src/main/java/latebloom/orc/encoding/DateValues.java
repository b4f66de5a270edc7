// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import latebloom.read.vector.FixedValues;
import org.apache.hadoop.hive.ql.exec.vector.DateColumnVector;
import org.apache.orc.impl.PositionProvider;
import org.apache.spark.sql.catalyst.util.RebaseDateTime;

/**
 * Reads dates as days since 1970. Converts days before the calendars' switch as Spark does: to the
 * calendar that it asks orc-core for, then from the hybrid calendar to the proleptic Gregorian.
 */
public final class DateValues implements FixedValues, Positioned {
  private final IntegerRunLength days;
  private final Calendars calendars;
  private final DateColumnVector one = new DateColumnVector(1);

  public DateValues(IntegerRunLength days, Calendars calendars) {
    this.days = days;
    this.calendars = calendars;
  }

  @Override
  public void seek(PositionProvider positions) {
    days.seek(positions);
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    days.read(indexes, n, out);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < n; i++) {
      least = Math.min(least, out[i]);
    }
    long sameFrom = RebaseDateTime.lastSwitchJulianDay();
    for (int i = 0; i < n && least < sameFrom; i++) {
      if (out[i] < sameFrom) {
        out[i] = before((int) out[i]);
      }
    }
  }

  private int before(int day) {
    one.changeCalendar(calendars.fileIsProleptic(), false);
    one.vector[0] = day;
    one.changeCalendar(calendars.readerIsProleptic(), true);
    return RebaseDateTime.rebaseJulianToGregorianDays((int) one.vector[0]);
  }
}
