// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import latebloom.orc.stripe.OrcColumn;
import latebloom.read.RowGroup.Extremes;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.OrderedKeys;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.DateColumnStatistics;
import org.apache.orc.IntegerColumnStatistics;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.orc.TypeDescription.Category;
import org.apache.orc.impl.ReaderImpl;
import org.apache.spark.sql.catalyst.util.DateTimeConstants;

/**
 * Decides which statistics of a file may be compared with. Excluded are
 *
 * <ul>
 *   <li>statistics of values that are read as another type, except a wider integer or text;
 *   <li>floating-point numbers that may include a NaN, which the bounds omit but the sum shows, and
 *       comparisons with NaN or zero, of which Spark has one and Java two;
 *   <li>dates and times before the calendar's change in 1582; times to within two days, since their
 *       bounds are in the writer's time zone;
 *   <li>text for which Java's order of characters differs from that of UTF-8, and char(n), which is
 *       padded;
 *   <li>statistics without a bound or without the number of values, which some writers omit.
 * </ul>
 */
final class Statistics {
  /** Days from 1970-01-01 to 1582-10-15, the first day on which the calendars agree. */
  private static final int FIRST_DAY = -141427;

  private static final long DAY_MILLIS = 24L * 60 * 60 * 1000;
  private static final long ZONE_MILLIS = 2 * DAY_MILLIS;

  private Statistics() {}

  /**
   * Whether a file's statistics may rule out rows where Spark would not consult them. They may in
   * files by the Java writer of Apache ORC (writer 0 in the file's tail) from its version ORC_517
   * on, which ORC 1.5.6 and Spark 3.0 have: no fault is known in its bounds, value counts or null
   * marks of a row index. Earlier faults were
   *
   * <ul>
   *   <li>ORC-517: wrong bounds of decimals of up to 18 digits (1.5.0 to 1.5.5);
   *   <li>ORC-135: bounds of timestamps in the writer's time zone;
   *   <li>HIVE-8732: bounds of text by Java's order, and maxima that were not merged.
   * </ul>
   *
   * The other writers (C++, Presto, Trino, cuDF, Go) have never increased their version, so a file
   * does not tell a faulty release from a later one. Only the writer is trusted here: later damage
   * can change statistics as it can change data, neither of which has a checksum, and Spark follows
   * such statistics for the same condition written out in a query.
   */
  static boolean areOfKnownWriter(ReaderImpl reader) {
    OrcFile.WriterVersion version = reader.getWriterVersion();
    return reader.getFileTail().getFooter().getWriter() == 0
        && version.getWriterImplementation() == OrcFile.WriterImplementation.ORC_JAVA
        && version.includes(OrcFile.WriterVersion.ORC_517);
  }

  /** Whether comparing the column's values means the same as comparing its statistics. */
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

  /**
   * The extremes of a column of a stripe by its statistics, which must be those of a known writer;
   * null if they are none, or not of the values that are read.
   */
  static Extremes extremes(ColumnStatistics stats, OrcColumn column, long rows) {
    TypeDescription file = column.fileType();
    Category c = file.getCategory();
    if (stats.getNumberOfValues() == 0) {
      return rows > 0 && stats.hasNull() ? Extremes.NONE : null;
    }
    if (stats instanceof IntegerColumnStatistics s
        && integerBytes(c) > 0
        && integerBytes(c) <= integerBytes(column.type().getCategory())
        && fits(s.getMinimum(), integerBytes(c))
        && fits(s.getMaximum(), integerBytes(c))
        && s.getMinimum() <= s.getMaximum()) {
      return new Extremes(false, s.getMinimum(), s.getMaximum());
    }
    if (stats instanceof DateColumnStatistics s
        && c == Category.DATE
        && file.equals(column.type(), false)
        && FIRST_DAY <= s.getMinimumDayOfEpoch()
        && s.getMinimumDayOfEpoch() <= s.getMaximumDayOfEpoch()) {
      return new Extremes(false, s.getMinimumDayOfEpoch(), s.getMaximumDayOfEpoch());
    }
    return null;
  }

  private static boolean fits(long value, int bytes) {
    int unused = Long.SIZE - Byte.SIZE * bytes;
    return value << unused >> unused == value;
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

  /** Whether a string compares to any other as its UTF-8 bytes do. */
  private static boolean inByteOrder(String text) {
    return text.chars().allMatch(c -> c < Character.MIN_SURROGATE);
  }

  /** The statistics if comparisons may use them; else null. */
  static OrcProto.ColumnStatistics trusted(Category category, OrcProto.ColumnStatistics stats) {
    if (!stats.hasNumberOfValues()) {
      return null;
    }
    if (stats.getNumberOfValues() == 0) {
      // Neither values nor nulls: the writer did not count.
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

  /** Whether statistics rule out that any value of the column has a key. */
  static boolean isDisjoint(
      TypeDescription type, OrcProto.ColumnStatistics stats, ColumnPredicate keys) {
    OrcProto.ColumnStatistics s = trusted(type.getCategory(), stats);
    if (s == null) {
      return false;
    }
    if (s.getNumberOfValues() == 0) {
      return true;
    }
    return switch (type.getCategory()) {
      case BYTE, SHORT, INT, LONG ->
          keys.isDisjoint(s.getIntStatistics().getMinimum(), s.getIntStatistics().getMaximum());
      case DATE ->
          keys.isDisjoint(s.getDateStatistics().getMinimum(), s.getDateStatistics().getMaximum());
      case TIMESTAMP, TIMESTAMP_INSTANT -> {
        long min = s.getTimestampStatistics().getMinimumUtc();
        long max = s.getTimestampStatistics().getMaximumUtc();
        yield max < Long.MAX_VALUE / DateTimeConstants.MICROS_PER_MILLIS
            && keys.isDisjoint(
                min * DateTimeConstants.MICROS_PER_MILLIS,
                (max + 1) * DateTimeConstants.MICROS_PER_MILLIS);
      }
      case DECIMAL -> {
        HiveDecimal min = HiveDecimal.create(s.getDecimalStatistics().getMinimum());
        HiveDecimal max = HiveDecimal.create(s.getDecimalStatistics().getMaximum());
        yield min != null
            && max != null
            && keys.isDisjoint(
                unscaled(min, type.getScale(), RoundingMode.FLOOR),
                unscaled(max, type.getScale(), RoundingMode.CEILING));
      }
      case STRING, VARCHAR -> {
        OrcProto.StringStatistics t = s.getStringStatistics();
        byte[] min = (t.hasMinimum() ? t.getMinimumBytes() : t.getLowerBoundBytes()).toByteArray();
        byte[] max = (t.hasMaximum() ? t.getMaximumBytes() : t.getUpperBoundBytes()).toByteArray();
        yield keys.isDisjoint(min, max);
      }
      default -> false;
    };
  }

  private static long unscaled(HiveDecimal bound, int scale, RoundingMode rounding) {
    return OrderedKeys.of(bound.bigDecimalValue().setScale(scale, rounding).unscaledValue());
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
