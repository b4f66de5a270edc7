// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.read.ColumnCursor;
import latebloom.read.DictionaryCursor;
import latebloom.read.DistinctRows;
import latebloom.read.predicate.VectorType;
import latebloom.read.vector.ValueSink;
import org.apache.orc.OrcProto.ColumnEncoding;
import org.apache.orc.OrcProto.Stream;
import org.apache.orc.TypeDescription;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/**
 * Creates our decoders for the columns that have them: flat ones that Spark reads as the file's
 * type.
 */
public final class OrcColumns {
  private OrcColumns() {}

  /** A cursor over the column; null where only orc-core's own readers can decode it. */
  public static ColumnCursor flat(StripeColumn column) {
    return isFlat(column)
        ? new FlatOrcColumnCursor(column, vectorType(column.fileType, column.type))
        : null;
  }

  /**
   * The entries of a column's dictionary; null if there are none, or more of them than values.
   *
   * @param hasNull whether the column has nulls as well
   */
  public static DistinctRows.Values distinct(StripeColumn column, long values, boolean hasNull)
      throws IOException {
    int size = column.source.encoding().getDictionarySize();
    if (size <= 0 || size > values) {
      return null;
    }
    StripeDictionary dictionary = column.dictionary();
    ValueSink sink = new ValueSink(VectorType.BYTES, column.blocks());
    return new DictionaryCursor(
            dictionary,
            hasNull,
            sink,
            (codes, n) -> sink.stringCodes(dictionary, codes, n, codes, n, null),
            column.blocks())
        .all();
  }

  public static boolean isFlat(StripeColumn column) {
    return vectorType(column.fileType, column.type) != null && isKnown(column);
  }

  private static VectorType vectorType(TypeDescription file, DataType type) {
    return switch (file.getCategory()) {
      case BOOLEAN -> type instanceof BooleanType ? VectorType.BOOLEAN : null;
      case BYTE -> type instanceof ByteType ? VectorType.BYTE : null;
      case SHORT -> type instanceof ShortType ? VectorType.SHORT : null;
      case INT ->
          type instanceof IntegerType || type instanceof YearMonthIntervalType
              ? VectorType.INT
              : null;
      case LONG ->
          type instanceof LongType
                  || type instanceof DayTimeIntervalType
                  || type instanceof TimestampNTZType
              ? VectorType.LONG
              : null;
      case FLOAT -> type instanceof FloatType ? VectorType.FLOAT : null;
      case DOUBLE -> type instanceof DoubleType ? VectorType.DOUBLE : null;
      case DATE -> type instanceof DateType ? VectorType.INT : null;
      case TIMESTAMP -> type instanceof TimestampType ? VectorType.LONG : null;
      case DECIMAL -> type instanceof DecimalType decimal ? decimal(file, decimal) : null;
      case STRING, CHAR, VARCHAR -> type instanceof StringType ? VectorType.BYTES : null;
      case BINARY -> type instanceof BinaryType ? VectorType.BYTES : null;
      default -> null;
    };
  }

  private static VectorType decimal(TypeDescription file, DecimalType type) {
    boolean same = file.getPrecision() == type.precision() && file.getScale() == type.scale();
    if (!same || type.precision() > Decimal.MAX_LONG_DIGITS()) {
      return null;
    }
    return type.precision() <= Decimal.MAX_INT_DIGITS() ? VectorType.INT : VectorType.LONG;
  }

  private static boolean isKnown(StripeColumn column) {
    ColumnEncoding.Kind kind = column.encoding;
    return switch (column.fileType.getCategory()) {
      case BOOLEAN, BYTE, FLOAT, DOUBLE -> kind == ColumnEncoding.Kind.DIRECT;
      case STRING, CHAR, VARCHAR -> isDirect(kind) || column.isCoded();
      // Decimals without scales belong to the unfinished version 2 of the format.
      case DECIMAL ->
          isDirect(kind)
              && column.source.has(Stream.Kind.DATA) == column.source.has(Stream.Kind.SECONDARY);
      default -> isDirect(kind);
    };
  }

  private static boolean isDirect(ColumnEncoding.Kind kind) {
    return kind == ColumnEncoding.Kind.DIRECT || kind == ColumnEncoding.Kind.DIRECT_V2;
  }
}
