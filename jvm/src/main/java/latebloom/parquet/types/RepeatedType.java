// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types;

import java.util.ArrayList;
import java.util.List;
import latebloom.line.ParquetColumns;
import latebloom.line.ScalaSeqs;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;

/**
 * The layout in the file of a top-level list of flat values, or of a map between such.
 *
 * <pre>
 *   definition level of a leaf    0 .. level - 1   level            level + 1 .. max - 1   max
 *                                 the row is null  it has no entry  the entry is null      a value
 * </pre>
 *
 * @param level definition level of a list or map that is not null
 * @param leaves the file's columns: one of a list, two of a map, keys first
 * @param types how each is decoded
 */
public record RepeatedType(int level, List<ColumnDescriptor> leaves, List<FlatType> types) {

  /**
   * Whether decoded keys identify a map's entries: no key can be null, and reading a key never
   * fails.
   */
  public boolean keysAreValues() {
    return leaves.get(0).getMaxDefinitionLevel() == level + 1 && types.get(0).conversion() == null;
  }

  /**
   * @param column as Spark resolves it in the file
   * @return null if it is nested deeper, lacks a part, or has values that we don't decode
   */
  public static RepeatedType of(
      ParquetColumn column, DataType type, MessageType file, Calendars calendars) {
    List<DataType> held = new ArrayList<>();
    if (type instanceof ArrayType list) {
      held.add(list.elementType());
    } else if (type instanceof MapType map) {
      held.add(map.keyType());
      held.add(map.valueType());
    }
    List<ParquetColumn> children = ScalaSeqs.asJava(column.children());
    if (held.isEmpty() || children.size() != held.size() || column.repetitionLevel() != 0) {
      return null;
    }
    List<ColumnDescriptor> leaves = new ArrayList<>();
    List<FlatType> types = new ArrayList<>();
    for (int i = 0; i < held.size(); i++) {
      ParquetColumn child = children.get(i);
      ColumnDescriptor leaf = child.descriptor().isDefined() ? child.descriptor().get() : null;
      boolean listed =
          leaf != null
              && !ParquetColumns.isVariant(child)
              && leaf.getMaxRepetitionLevel() == 1
              && leaf.getMaxDefinitionLevel() > column.definitionLevel()
              && file.containsPath(leaf.getPath());
      FlatType flat = listed ? FlatType.ofValues(leaf, held.get(i), calendars) : null;
      if (flat == null) {
        return null;
      }
      leaves.add(leaf);
      types.add(flat);
    }
    return new RepeatedType(column.definitionLevel(), leaves, types);
  }
}
