// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.orc.TypeDescription.Category;
import org.apache.orc.impl.ReaderImpl;

/**
 * When statistics of a file say what they seem to. Not so are
 *
 * <ul>
 *   <li>those of values that are read as another type, but for a wider integer and for text;
 *   <li>floating-point numbers where there may be a NaN, which bounds leave out (their sum tells),
 *       and comparisons with NaN or zero, of which Spark has one and Java two;
 *   <li>dates and times before the calendar's change in 1582; times by less than two days, as they
 *       are of the writer's time zone;
 *   <li>text where the order of Java's characters is not that of UTF-8, and char(n), which is
 *       padded;
 *   <li>what lacks a bound or the number of values, which some writers do not write.
 * </ul>
 */
final class Statistics {
  /** Days from 1970-01-01 to 1582-10-15, the first that the calendars agree on. */
  private static final int FIRST_DAY = -141427;

  private static final long DAY_MILLIS = 24L * 60 * 60 * 1000;
  private static final long ZONE_MILLIS = 2 * DAY_MILLIS;

  private Statistics() {}

  /**
   * Whether statistics of a file may rule out rows where Spark would not ask them. So they may in
   * files by the Java writer of Apache ORC (writer 0 of the file's tail) as of its version ORC_517,
   * which ORC 1.5.6 and Spark 3.0 have: of those no fault in the bounds, the numbers of values or
   * the marks of nulls in a row index is known. Before were
   *
   * <ul>
   *   <li>ORC-517: wrong bounds of decimals of up to 18 digits (1.5.0 to 1.5.5);
   *   <li>ORC-135: bounds of timestamps in the writer's time zone;
   *   <li>HIVE-8732: bounds of text by Java's order, and maxima that were not merged.
   * </ul>
   *
   * The other writers (C++, Presto, Trino, cuDF, Go) share an identification with all that they
   * have been, faults included, as their versions were never counted up. What is trusted is the
   * writer. Bytes that are damaged later may lie in any statistics, as in the data, which have no
   * checksum either; Spark goes by these for the same condition that is written out.
   */
  static boolean areOfKnownWriter(ReaderImpl reader) {
    OrcFile.WriterVersion version = reader.getWriterVersion();
    return reader.getFileTail().getFooter().getWriter() == 0
        && version.getWriterImplementation() == OrcFile.WriterImplementation.ORC_JAVA
        && version.includes(OrcFile.WriterVersion.ORC_517);
  }

  /** Whether a comparison of what is read of a column is one of what statistics are of. */
  static boolean compare(
      PredicateLeaf leaf,
      TypeDescription file,
      TypeDescription read,
      OrcFile.WriterVersion version) {
    boolean sameType = file.equals(read, false);
    Category c = file.getCategory();
    return switch (leaf.getType()) {
      case BOOLEAN -> c == Category.BOOLEAN && sameType;
      case LONG -> integerBytes(c) > 0 && integerBytes(c) <= integerBytes(read.getCategory());
      case FLOAT ->
          (c == Category.FLOAT || c == Category.DOUBLE)
              && sameType
              && literals(leaf).stream().allMatch(Statistics::isOneNumber);
      case STRING ->
          (c == Category.STRING || c == Category.VARCHAR)
              && read.getCategory() == Category.STRING
              && literals(leaf).stream().allMatch(l -> inByteOrder(l.toString()));
      case DATE -> c == Category.DATE && sameType;
      case TIMESTAMP ->
          (c == Category.TIMESTAMP || c == Category.TIMESTAMP_INSTANT)
              && version.includes(OrcFile.WriterVersion.ORC_135);
      // Releases of that version wrote wrong bounds of short decimals.
      case DECIMAL -> c == Category.DECIMAL && sameType && version != OrcFile.WriterVersion.ORC_135;
    };
  }

  private static int integerBytes(Category c) {
    return switch (c) {
      case BYTE -> 1;
      case SHORT -> 2;
      case INT -> 4;
      case LONG -> 8;
      default -> 0;
    };
  }

  private static List<Object> literals(PredicateLeaf leaf) {
    List<Object> all = new ArrayList<>();
    if (leaf.getLiteral() != null) {
      all.add(leaf.getLiteral());
    }
    if (leaf.getLiteralList() != null) {
      all.addAll(leaf.getLiteralList());
    }
    return all;
  }

  private static boolean isOneNumber(Object literal) {
    double value = ((Number) literal).doubleValue();
    return !Double.isNaN(value) && value != 0;
  }

  /** Whether a string compares to any other as its bytes in UTF-8 do. */
  private static boolean inByteOrder(String text) {
    return text.chars().allMatch(c -> c < Character.MIN_SURROGATE);
  }

  /** Statistics that may be compared with, as such; null for none. */
  static OrcProto.ColumnStatistics trusted(Category category, OrcProto.ColumnStatistics stats) {
    if (!stats.hasNumberOfValues()) {
      return null;
    }
    if (stats.getNumberOfValues() == 0) {
      // No value and no null: nobody counted.
      return stats.hasHasNull() && !stats.getHasNull() ? null : stats;
    }
    return switch (category) {
      case BOOLEAN -> stats.getBucketStatistics().getCountCount() > 0 ? stats : null;
      case BYTE, SHORT, INT, LONG -> {
        OrcProto.IntegerStatistics s = stats.getIntStatistics();
        yield s.hasMinimum() && s.hasMaximum() ? stats : null;
      }
      case FLOAT, DOUBLE -> {
        OrcProto.DoubleStatistics s = stats.getDoubleStatistics();
        boolean noNaN = s.hasSum() && !Double.isNaN(s.getSum() + s.getMinimum() + s.getMaximum());
        yield s.hasMinimum() && s.hasMaximum() && noNaN ? stats : null;
      }
      case STRING, VARCHAR -> {
        OrcProto.StringStatistics s = stats.getStringStatistics();
        boolean bounded =
            (s.hasMinimum() || s.hasLowerBound()) && (s.hasMaximum() || s.hasUpperBound());
        boolean ordered =
            inByteOrder(s.getMinimum())
                && inByteOrder(s.getMaximum())
                && inByteOrder(s.getLowerBound())
                && inByteOrder(s.getUpperBound());
        yield bounded && ordered ? stats : null;
      }
      case DATE -> {
        OrcProto.DateStatistics s = stats.getDateStatistics();
        yield s.hasMinimum() && s.hasMaximum() && s.getMinimum() >= FIRST_DAY ? stats : null;
      }
      case TIMESTAMP, TIMESTAMP_INSTANT -> widened(stats);
      case DECIMAL -> {
        OrcProto.DecimalStatistics s = stats.getDecimalStatistics();
        yield s.hasMinimum() && s.hasMaximum() ? stats : null;
      }
      default -> null;
    };
  }

  private static OrcProto.ColumnStatistics widened(OrcProto.ColumnStatistics stats) {
    OrcProto.TimestampStatistics s = stats.getTimestampStatistics();
    boolean usable =
        s.hasMinimumUtc()
            && s.hasMaximumUtc()
            && s.getMinimumUtc() > FIRST_DAY * DAY_MILLIS + ZONE_MILLIS
            && s.getMaximumUtc() < Long.MAX_VALUE - ZONE_MILLIS;
    if (!usable) {
      return null;
    }
    return stats.toBuilder()
        .setTimestampStatistics(
            OrcProto.TimestampStatistics.newBuilder()
                .setMinimumUtc(s.getMinimumUtc() - ZONE_MILLIS)
                .setMaximumUtc(s.getMaximumUtc() + ZONE_MILLIS))
        .build();
  }
}
