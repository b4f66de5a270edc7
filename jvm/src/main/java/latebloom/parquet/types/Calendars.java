// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types;

import java.time.ZoneId;

/**
 * How the dates and timestamps of a file are to be read, by who wrote it and by configuration. The
 * modes are the names of Spark's {@code LegacyBehaviorPolicy}: LEGACY for the hybrid Julian
 * calendar, CORRECTED for the proleptic Gregorian one, EXCEPTION where it is not known.
 *
 * @param datetimeMode for DATE and TIMESTAMP columns
 * @param datetimeZone in which timestamps of the Julian calendar were local
 * @param int96Mode for INT96 columns
 * @param int96Zone as {@code datetimeZone}
 * @param convertTz to which INT96 timestamps are moved; null for none
 */
public record Calendars(
    String datetimeMode,
    String datetimeZone,
    String int96Mode,
    String int96Zone,
    ZoneId convertTz) {

  /** Nothing is rebased or moved. */
  public static final Calendars CORRECTED =
      new Calendars("CORRECTED", "UTC", "CORRECTED", "UTC", null);
}
