// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.util.Set;
import latebloom.line.ScalaSeqs;
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
 * @param flat how we decode a flat column; null when Spark's reader decodes it or the file lacks it
 * @param repeated how we decode a list or map; null otherwise
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
   * @param calendars of the file's dates and timestamps
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

  /** Name of the top-level column that this is, or is a field of. */
  String topLevel() {
    return parquet.path().head();
  }

  /** Adds the leaves of the file that Spark reads for the column. */
  void addLeaves(MessageType file, Set<ColumnDescriptor> leaves) {
    addLeaves(parquet, file, leaves);
  }

  private static void addLeaves(
      ParquetColumn column, MessageType file, Set<ColumnDescriptor> leaves) {
    if (column.descriptor().isDefined() && file.containsPath(column.descriptor().get().getPath())) {
      leaves.add(column.descriptor().get());
    }
    for (ParquetColumn child : ScalaSeqs.asJava(column.children())) {
      addLeaves(child, file, leaves);
    }
  }

  /** Whether our decoders may read it in some row group. */
  boolean ours() {
    return flat != null || repeated != null;
  }
}
