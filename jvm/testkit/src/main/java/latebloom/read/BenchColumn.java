// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import latebloom.read.vector.OutputColumn;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/** Makes the output column that a scan would hand to a column. */
public final class BenchColumn {
  private BenchColumn() {}

  /** A batch of its own each time it is reset. */
  public static OutputColumn of(WritableColumnVector vector) {
    return new OutputColumn(vector);
  }

  public static void begin(OutputColumn column) {
    column.reset();
    column.position(0, true);
  }

  /** Says that other values follow those before row {@code at}. */
  public static void append(OutputColumn column, int at) {
    column.position(at, false);
  }
}
