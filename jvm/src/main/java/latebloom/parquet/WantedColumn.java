// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import latebloom.parquet.types.Calendars;
import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.RepeatedType;
import latebloom.read.ScanSpec;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.types.StructField;

/**
 * A column of a scan in one file.
 *
 * @param parquet as Spark resolves it
 * @param leaf the column of the file, if it is one; null otherwise
 * @param flat how we decode it; null when it is not flat, when Spark's reader decodes it, or when
 *     the file lacks it
 * @param repeated how we decode it if it is a list or map; null otherwise
 * @param missing whether the file lacks it
 */
record WantedColumn(
    StructField field,
    ParquetColumn parquet,
    ColumnDescriptor leaf,
    FlatType flat,
    RepeatedType repeated,
    boolean missing) {

  /**
   * @param parquet the column at {@code i} of {@code spec} as Spark resolves it
   * @param calendars how dates and timestamps of the file are to be read
   */
  static WantedColumn of(
      ScanSpec spec, int i, ParquetColumn parquet, MessageType file, Calendars calendars) {
    ParquetColumn value = parquet;
    for (int d = spec.depth(i); d > 0; d--) {
      value = value.children().head();
    }
    ColumnDescriptor leaf = value.descriptor().isDefined() ? value.descriptor().get() : null;
    FlatType flat = null;
    if (leaf != null && file.containsPath(leaf.getPath())) {
      flat = FlatType.of(leaf, spec.valueType(i), calendars);
    }
    RepeatedType repeated =
        spec.depth(i) > 0 ? null : RepeatedType.of(parquet, spec.valueType(i), file, calendars);
    boolean missing = !file.containsField(parquet.path().head());
    return new WantedColumn(spec.column(i), parquet, leaf, flat, repeated, missing);
  }

  /** Name of the top-level column that it is, or is a field of. */
  String topLevel() {
    return parquet.path().head();
  }

  /** Whether some row group may have it decoded by us. */
  boolean ours() {
    return flat != null || repeated != null;
  }
}
