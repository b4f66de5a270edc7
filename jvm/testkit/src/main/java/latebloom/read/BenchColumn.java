// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import latebloom.read.vector.OutputColumn;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/** Creates the output column that a scan would pass to a column cursor. */
public final class BenchColumn {
  private BenchColumn() {}

  /** A column that begins a new batch at each reset. */
  public static OutputColumn of(WritableColumnVector vector) {
    return new OutputColumn(vector);
  }

  public static void begin(OutputColumn column) {
    column.reset();
    column.position(0, true);
  }

  /** Says that other values precede row {@code at}. */
  public static void append(OutputColumn column, int at) {
    column.position(at, false);
  }
}
