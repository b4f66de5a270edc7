// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.util.stream.IntStream;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.SchemaEvolution;
import org.apache.spark.sql.types.StructField;

/**
 * A wanted column in one file.
 *
 * @param field the column as the scan wants it
 * @param evolution converts the file's columns to the wanted ones; null if the file lacks the
 *     column
 * @param type as which ORC reads the column; null if the file lacks it
 * @param constant the value of a column that the file lacks, in Spark's representation
 * @param ids of the file's columns that make it up: itself and its wanted children
 */
public record OrcColumn(
    StructField field,
    SchemaEvolution evolution,
    TypeDescription type,
    Object constant,
    int[] ids) {

  /**
   * @param evolution includes this column only
   * @param child its index among the children of the read schema
   */
  public static OrcColumn of(StructField field, SchemaEvolution evolution, int child) {
    TypeDescription type = evolution.getReaderSchema().getChildren().get(child);
    boolean[] included = evolution.getFileIncluded();
    // Column 0 is the row, of which every column is a child.
    int[] ids = IntStream.range(1, included.length).filter(i -> included[i]).toArray();
    return new OrcColumn(field, evolution, type, null, ids);
  }

  /** A column that the file lacks. */
  public static OrcColumn missing(StructField field, Object constant) {
    return new OrcColumn(field, null, null, constant, new int[0]);
  }

  public boolean isMissing() {
    return evolution == null;
  }

  /** The column's type in the file; null if the file lacks it. */
  public TypeDescription fileType() {
    return isMissing() ? null : evolution.getFileType(type);
  }
}
