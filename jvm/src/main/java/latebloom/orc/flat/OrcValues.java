// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.orc.encoding.BooleanValues;
import latebloom.orc.encoding.ByteFeed;
import latebloom.orc.encoding.ByteValues;
import latebloom.orc.encoding.DateValues;
import latebloom.orc.encoding.DecimalValues;
import latebloom.orc.encoding.DirectStrings;
import latebloom.orc.encoding.FloatingValues;
import latebloom.orc.encoding.IntegerRunLength;
import latebloom.orc.encoding.Positioned;
import latebloom.orc.encoding.TextLength;
import latebloom.orc.encoding.TimestampValues;
import latebloom.read.vector.FixedValues;
import latebloom.read.vector.StringValues;
import org.apache.orc.OrcProto.ColumnEncoding;
import org.apache.orc.OrcProto.Stream;
import org.apache.spark.sql.types.DecimalType;

/**
 * The decoder of a column's non-null values, by type and encoding. One of {@code codes}, {@code
 * fixed} and {@code strings} is set.
 *
 * @param codes of dictionary entries
 * @param runs {@code codes} or {@code fixed} where these are plain integer runs
 * @param positions the decoder as one that seeks to strides
 */
record OrcValues(
    IntegerRunLength codes,
    FixedValues fixed,
    StringValues strings,
    IntegerRunLength runs,
    Positioned positions) {

  static OrcValues of(StripeColumn column) throws IOException {
    ColumnEncoding.Kind kind = column.encoding;
    ByteFeed data = column.feed(Stream.Kind.DATA);
    return switch (column.fileType.getCategory()) {
      case BOOLEAN -> fixed(new BooleanValues(data));
      case BYTE -> fixed(new ByteValues(data));
      case SHORT -> ints(IntegerRunLength.of(kind, data, true, Short.SIZE));
      case INT -> ints(IntegerRunLength.of(kind, data, true, Integer.SIZE));
      case LONG -> ints(IntegerRunLength.of(kind, data, true, Long.SIZE));
      case FLOAT -> fixed(new FloatingValues(data, Float.BYTES));
      case DOUBLE -> fixed(new FloatingValues(data, Double.BYTES));
      case DATE ->
          fixed(
              new DateValues(
                  IntegerRunLength.of(kind, data, true, Integer.SIZE), column.source.calendars()));
      case TIMESTAMP ->
          fixed(
              new TimestampValues(
                  IntegerRunLength.of(kind, data, true, Long.SIZE),
                  secondary(column, false),
                  column.source.calendars()));
      case DECIMAL ->
          fixed(new DecimalValues(data, secondary(column, true), (DecimalType) column.type));
      case STRING, CHAR, VARCHAR, BINARY -> bytes(column, kind, data);
      default -> throw new IllegalStateException("not flat: " + column.fileType);
    };
  }

  private static IntegerRunLength secondary(StripeColumn column, boolean scales)
      throws IOException {
    return IntegerRunLength.of(
        column.encoding,
        column.feed(Stream.Kind.SECONDARY),
        scales,
        scales ? Integer.SIZE : Long.SIZE);
  }

  private static OrcValues bytes(StripeColumn column, ColumnEncoding.Kind kind, ByteFeed data)
      throws IOException {
    if (column.isCoded()) {
      IntegerRunLength codes = IntegerRunLength.of(kind, data, false, Integer.SIZE);
      return new OrcValues(codes, null, null, codes, codes);
    }
    IntegerRunLength lengths =
        IntegerRunLength.of(kind, column.feed(Stream.Kind.LENGTH), false, Integer.SIZE);
    DirectStrings strings = new DirectStrings(data, lengths, TextLength.of(column.fileType));
    return new OrcValues(null, null, strings, null, strings);
  }

  private static OrcValues ints(IntegerRunLength runs) {
    return new OrcValues(null, runs, null, runs, runs);
  }

  private static <V extends FixedValues & Positioned> OrcValues fixed(V values) {
    return new OrcValues(null, values, null, null, values);
  }
}
