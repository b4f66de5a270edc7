// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.util.stream.IntStream;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.SchemaEvolution;
import org.apache.spark.sql.types.StructField;

/** A wanted column in one file. */
public final class OrcColumn {
  /** The column as the scan wants it. */
  final StructField field;

  /** How the file's columns become what is wanted of this one; null if the file lacks it. */
  final SchemaEvolution evolution;

  /** The column as ORC is to read it; null if the file lacks it. */
  final TypeDescription type;

  /** The one value of a column that the file lacks, as Spark holds it. */
  final Object constant;

  /** Ids of the file's columns that it is made of: itself and what is wanted of its children. */
  final int[] ids;

  private OrcColumn(
      StructField field, SchemaEvolution evolution, TypeDescription type, Object constant) {
    this.field = field;
    this.evolution = evolution;
    this.type = type;
    this.constant = constant;
    boolean[] included = evolution == null ? new boolean[0] : evolution.getFileIncluded();
    // Column 0 is the row, of which every column is a child.
    this.ids = IntStream.range(1, included.length).filter(i -> included[i]).toArray();
  }

  /**
   * @param evolution includes no other column than this
   * @param child which child of the schema that is read it is
   */
  public static OrcColumn of(StructField field, SchemaEvolution evolution, int child) {
    TypeDescription type = evolution.getReaderSchema().getChildren().get(child);
    return new OrcColumn(field, evolution, type, null);
  }

  /** A column that the file lacks. */
  public static OrcColumn missing(StructField field, Object constant) {
    return new OrcColumn(field, null, null, constant);
  }

  boolean isMissing() {
    return evolution == null;
  }

  /** The column's type in the file; null if the file lacks it. */
  TypeDescription fileType() {
    return isMissing() ? null : evolution.getFileType(type);
  }
}
