// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Spark's converter of rows to vectors, for every type that a file may have. */
public final class RowConverters {
  private RowConverters() {}

  /**
   * The converter of rows with such values. Any of them may be null, since a damaged file may have
   * nulls where its schema has none.
   */
  public static RowToColumnConverter of(StructType types) {
    return new RowToColumnConverter((StructType) stored(types.asNullable()));
  }

  /** The converter of rows with a single value. */
  public static RowToColumnConverter of(DataType type) {
    return of(new StructType().add("value", type, true));
  }

  /**
   * Types that have the same values in rows: the converters of 4.1 and 4.2 know no TIME, and those
   * of all lines no text with a collation.
   */
  private static DataType stored(DataType type) {
    if (type instanceof StructType struct) {
      StructType all = new StructType();
      for (StructField f : struct.fields()) {
        all = all.add(f.name(), stored(f.dataType()), f.nullable(), f.metadata());
      }
      return all;
    }
    if (type instanceof ArrayType array) {
      return new ArrayType(stored(array.elementType()), array.containsNull());
    }
    if (type instanceof MapType map) {
      return new MapType(stored(map.keyType()), stored(map.valueType()), map.valueContainsNull());
    }
    if (type instanceof StringType) {
      return DataTypes.StringType;
    }
    return type.typeName().startsWith("time(") ? DataTypes.LongType : type;
  }
}
