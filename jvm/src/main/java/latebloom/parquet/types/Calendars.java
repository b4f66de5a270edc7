// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types;

import java.time.ZoneId;

/**
 * The calendars of a file's dates and timestamps, by its writer and by configuration. The modes are
 * the names of Spark's {@code LegacyBehaviorPolicy}: LEGACY for the hybrid Julian calendar,
 * CORRECTED for the proleptic Gregorian one, EXCEPTION for an unknown one.
 *
 * @param datetimeMode for DATE and TIMESTAMP columns
 * @param datetimeZone the local time zone of timestamps in the Julian calendar
 * @param int96Mode for INT96 columns
 * @param int96Zone as {@code datetimeZone}
 * @param convertTz the time zone to which INT96 timestamps are converted; null for none
 */
public record Calendars(
    String datetimeMode,
    String datetimeZone,
    String int96Mode,
    String int96Zone,
    ZoneId convertTz) {

  /** Rebases and converts nothing. */
  public static final Calendars CORRECTED =
      new Calendars("CORRECTED", "UTC", "CORRECTED", "UTC", null);
}
