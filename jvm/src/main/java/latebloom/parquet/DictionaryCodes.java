// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Whether a vector that Spark's reader has read, and that is passed on as it is, has codes that its
 * dictionary has no entry for. They are looked up above the scan, where nobody says any more which
 * file an error is of.
 */
final class DictionaryCodes {
  private DictionaryCodes() {}

  /** Looks up what the first {@code n} values of a vector, or of one within it, can fail with. */
  static void check(WritableColumnVector vector, int n) {
    if (vector.hasDictionary()) {
      int worst = worst(vector, n);
      if (worst >= 0) {
        lookUp(vector, worst);
      }
      return;
    }
    DataType type = vector.dataType();
    if (type instanceof ArrayType || type instanceof MapType) {
      int children = type instanceof MapType ? 2 : 1;
      for (int c = 0; c < children; c++) {
        WritableColumnVector child = vector.getChild(c);
        check(child, child.getElementsAppended());
      }
    } else if (type instanceof StructType struct) {
      for (int c = 0; c < struct.length(); c++) {
        check(vector.getChild(c), n);
      }
    } else if (type.typeName().equals("variant")) {
      // Spark 3.5 has no class for it.
      check(vector.getChild(0), n);
      check(vector.getChild(1), n);
    }
  }

  /** The value of the largest code, those below 0 being larger than any; -1 if all are null. */
  private static int worst(WritableColumnVector vector, int n) {
    WritableColumnVector codes = vector.getDictionaryIds();
    int at = -1;
    int largest = Integer.MIN_VALUE;
    for (int i = 0; i < n; i++) {
      // In unsigned order.
      int code = codes.getDictId(i) + Integer.MIN_VALUE;
      if (code >= largest && !vector.isNullAt(i)) {
        largest = code;
        at = i;
      }
    }
    return at;
  }

  private static void lookUp(WritableColumnVector vector, int at) {
    DataType type = vector.dataType();
    if (type instanceof StringType) {
      vector.getUTF8String(at);
    } else if (type instanceof BinaryType || DecimalType.isByteArrayDecimalType(type)) {
      vector.getBinary(at);
    } else if (type instanceof LongType
        || type instanceof TimestampType
        || type instanceof TimestampNTZType
        || type instanceof DayTimeIntervalType
        || DecimalType.is64BitDecimalType(type)) {
      vector.getLong(at);
    } else if (type instanceof FloatType) {
      vector.getFloat(at);
    } else if (type instanceof DoubleType) {
      vector.getDouble(at);
    } else {
      vector.getInt(at);
    }
  }
}
