// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

/**
 * The calendars and the time zone that a stripe's dates and timestamps need.
 *
 * @param writerTimezone of the stripe's writer; null or empty if unknown
 * @param fileIsProleptic whether the file uses the proleptic Gregorian calendar
 * @param readerIsProleptic whether Spark asks orc-core to convert them to that calendar
 */
public record Calendars(
    String writerTimezone, boolean fileIsProleptic, boolean readerIsProleptic) {}
