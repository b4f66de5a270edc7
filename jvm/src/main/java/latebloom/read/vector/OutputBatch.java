// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import latebloom.read.task.ScanMemory;
import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The batch being filled, with survivors of successive row groups, dense. Reuses its vectors: an
 * emitted batch is valid until the next one begins.
 */
public final class OutputBatch {
  private final StructType schema;
  private final ColumnVector[] constants;
  private final int capacity;
  private final boolean offHeap;

  /** Null until there is a row: most splits have none under a selective condition. */
  private OutputColumn[] columns;

  private long heldBytes;
  private int filled;
  private boolean emitted;

  /**
   * @param schema the payload columns
   * @param constants columns after them with one value for the whole file; owned from now on
   * @param capacity most rows of a batch
   */
  public OutputBatch(StructType schema, ColumnVector[] constants, int capacity, boolean offHeap) {
    this.schema = schema;
    this.constants = constants;
    this.capacity = capacity;
    this.offHeap = offHeap;
  }

  private OutputColumn[] columns() {
    if (columns == null) {
      StructField[] fields = schema.fields();
      OutputColumn[] made = new OutputColumn[fields.length];
      for (int i = 0; i < made.length; i++) {
        WritableColumnVector v =
            offHeap
                ? new OffHeapColumnVector(capacity, fields[i].dataType())
                : new OnHeapColumnVector(capacity, fields[i].dataType());
        made[i] = new OutputColumn(v);
      }
      columns = made;
    }
    return columns;
  }

  public int capacity() {
    return capacity;
  }

  public int filled() {
    return filled;
  }

  /** Rows that still fit; begins a new batch after the last one was emitted. */
  public int room() {
    if (emitted) {
      for (OutputColumn c : columns()) {
        c.reset();
      }
      filled = 0;
      emitted = false;
    }
    return capacity - filled;
  }

  public OutputColumn column(int i, boolean whole) {
    OutputColumn column = columns()[i];
    column.position(filled, whole);
    return column;
  }

  public void filled(int more) {
    filled += more;
  }

  /** Accounts for the vectors' heap: estimated by type, exact for strings. */
  public void holdIn(ScanMemory memory) {
    if (offHeap || columns == null) {
      return;
    }
    long bytes = (long) capacity * (schema.defaultSize() + columns.length);
    for (OutputColumn c : columns) {
      bytes += c.stringBytes();
    }
    if (bytes > heldBytes) {
      memory.holdToEnd(bytes - heldBytes);
      heldBytes = bytes;
    }
  }

  public ColumnarBatch emit() {
    OutputColumn[] payload = columns();
    ColumnVector[] vectors = new ColumnVector[payload.length + constants.length];
    for (int i = 0; i < payload.length; i++) {
      vectors[i] = payload[i].result();
    }
    System.arraycopy(constants, 0, vectors, payload.length, constants.length);
    emitted = true;
    return new ColumnarBatch(vectors, filled);
  }

  public void close() {
    if (columns != null) {
      for (OutputColumn c : columns) {
        c.close();
      }
    }
    for (ColumnVector c : constants) {
      c.close();
    }
  }
}
