// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongUnaryOperator;
import latebloom.parquet.types.Conversion.OfNumbers;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.catalyst.util.RebaseDateTime;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;

/**
 * The conversions of numbers. Spark's own functions do all calendar arithmetic. A value that Spark
 * refuses, because of its rebase mode or an overflow, throws Spark's error when it is read.
 *
 * <p>Each loop is the body of one lambda, so that C2 compiles it separately.
 */
final class Conversions {
  private Conversions() {}

  // A file may hold wider numbers than its annotation says; Spark keeps their low bits.
  static final OfNumbers TO_BYTE =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = (byte) values[i];
        }
      };

  static final OfNumbers TO_SHORT =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = (short) values[i];
        }
      };

  static final OfNumbers TO_INT =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = (int) values[i];
        }
      };

  static final OfNumbers UNSIGNED_INT =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] &= 0xffffffffL;
        }
      };

  static final OfNumbers INT_TO_DOUBLE =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = Double.doubleToRawLongBits(values[i]);
        }
      };

  static final OfNumbers FLOAT_TO_DOUBLE =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = Double.doubleToRawLongBits(Float.intBitsToFloat((int) values[i]));
        }
      };

  static final OfNumbers MILLIS_TO_MICROS =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = DateTimeUtils.millisToMicros(values[i]);
        }
      };

  static final OfNumbers MICROS_TO_NANOS =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = Math.multiplyExact(values[i], 1_000L);
        }
      };

  static final OfNumbers DAYS_TO_MICROS =
      (values, n) -> {
        for (int i = 0; i < n; i++) {
          values[i] = DateTimeUtils.daysToMicros((int) values[i], ZoneOffset.UTC);
        }
      };

  /** Applies one after the other; either may be null. */
  static OfNumbers chain(OfNumbers first, OfNumbers second) {
    if (first == null || second == null) {
      return first == null ? second : first;
    }
    return (values, n) -> {
      first.apply(values, n);
      second.apply(values, n);
    };
  }

  /** Increases the scale of unscaled decimals by {@code digits}; wraps around, as Spark does. */
  static OfNumbers scaleUp(int digits) {
    if (digits == 0) {
      return null;
    }
    long factor = java.math.BigInteger.TEN.pow(digits).longValue();
    return (values, n) -> {
      for (int i = 0; i < n; i++) {
        values[i] *= factor;
      }
    };
  }

  /**
   * Takes the low 64 bits of numbers of {@code width} bytes, with the shifts by which Spark extends
   * their sign; up to 8 bytes, or with a multiple of 8, these change nothing.
   */
  static OfNumbers ofFixedWidth(int width) {
    int shift = Long.SIZE - 8 * width;
    if (width <= 8 || width % 8 == 0) {
      return null;
    }
    return (values, n) -> {
      for (int i = 0; i < n; i++) {
        values[i] = values[i] << shift >> shift;
      }
    };
  }

  /** Converts days to the proleptic Gregorian calendar; null if the file uses that. */
  static OfNumbers rebaseDays(Calendars calendars) {
    return switch (calendars.datetimeMode()) {
      case "CORRECTED" -> null;
      case "EXCEPTION" -> refusing(RebaseDateTime.lastSwitchJulianDay(), "Parquet");
      default ->
          new Rebase(
              RebaseDateTime.lastSwitchJulianDay(),
              day -> RebaseDateTime.rebaseJulianToGregorianDays((int) day));
    };
  }

  /** As {@link #rebaseDays}, for microseconds. */
  static OfNumbers rebaseMicros(Calendars calendars) {
    return rebaseMicros(calendars.datetimeMode(), calendars.datetimeZone(), "Parquet");
  }

  /** Converts the microseconds that {@link PlainDecoder} makes of INT96 values. */
  static OfNumbers ofInt96(Calendars calendars) {
    OfNumbers rebase = rebaseMicros(calendars.int96Mode(), calendars.int96Zone(), "Parquet INT96");
    ZoneId zone = calendars.convertTz();
    if (zone == null || zone.equals(ZoneOffset.UTC)) {
      return rebase;
    }
    return chain(
        rebase,
        (values, n) -> {
          for (int i = 0; i < n; i++) {
            values[i] = DateTimeUtils.convertTz(values[i], zone, ZoneOffset.UTC);
          }
        });
  }

  private static OfNumbers rebaseMicros(String mode, String zone, String format) {
    return switch (mode) {
      case "CORRECTED" -> null;
      case "EXCEPTION" -> refusing(RebaseDateTime.lastSwitchJulianTs(), format);
      default ->
          new Rebase(
              RebaseDateTime.lastSwitchJulianTs(),
              micros -> RebaseDateTime.rebaseJulianToGregorianMicros(zone, micros));
    };
  }

  private static Rebase refusing(long sameFrom, String format) {
    return new Rebase(
        sameFrom,
        value -> {
          throw DataSourceUtils.newRebaseExceptionInRead(format);
        });
  }

  /** The calendars agree from some day on, so that a block of later values needs no rebasing. */
  private record Rebase(long sameFrom, LongUnaryOperator before) implements OfNumbers {
    @Override
    public void apply(long[] values, int n) {
      long least = Long.MAX_VALUE;
      for (int i = 0; i < n; i++) {
        least = Math.min(least, values[i]);
      }
      for (int i = 0; i < n && least < sameFrom; i++) {
        if (values[i] < sameFrom) {
          values[i] = before.applyAsLong(values[i]);
        }
      }
    }
  }
}
