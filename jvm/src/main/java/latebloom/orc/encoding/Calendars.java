// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

/**
 * How dates and timestamps of a stripe are to be read.
 *
 * @param writerTimezone of the stripe's writer; null or empty if it is not known
 * @param fileIsProleptic whether those of the file are of the proleptic Gregorian calendar
 * @param readerIsProleptic whether orc-core would be asked to convert them to that calendar
 */
public record Calendars(
    String writerTimezone, boolean fileIsProleptic, boolean readerIsProleptic) {}
