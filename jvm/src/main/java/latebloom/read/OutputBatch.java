// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The batch being filled: survivors of one row group after another, dense. The vectors are reused;
 * an emitted batch is valid until the next one is begun.
 */
final class OutputBatch {
  private final OutputColumn[] columns;
  private final ColumnVector[] constants;
  private final int capacity;
  private final boolean onHeap;
  private final long fixedBytes;
  private long heldBytes;
  private int filled;
  private boolean emitted;

  /**
   * @param schema the payload columns
   * @param constants columns that follow them with one value for the whole file; owned from now on
   * @param capacity most rows of a batch
   */
  OutputBatch(StructType schema, ColumnVector[] constants, int capacity, boolean offHeap) {
    StructField[] fields = schema.fields();
    this.columns = new OutputColumn[fields.length];
    for (int i = 0; i < fields.length; i++) {
      WritableColumnVector v =
          offHeap
              ? new OffHeapColumnVector(capacity, fields[i].dataType())
              : new OnHeapColumnVector(capacity, fields[i].dataType());
      columns[i] = new OutputColumn(v);
    }
    this.constants = constants;
    this.capacity = capacity;
    this.onHeap = !offHeap;
    this.fixedBytes = (long) capacity * (schema.defaultSize() + fields.length);
  }

  int capacity() {
    return capacity;
  }

  int filled() {
    return filled;
  }

  /** Rows that still fit; begins a new batch when the last one has been emitted. */
  int room() {
    if (emitted) {
      for (OutputColumn c : columns) {
        c.reset();
      }
      filled = 0;
      emitted = false;
    }
    return capacity - filled;
  }

  OutputColumn column(int i, boolean whole) {
    columns[i].position(filled, whole);
    return columns[i];
  }

  void filled(int more) {
    filled += more;
  }

  /** Notes what the vectors hold of the heap: by their types about, of strings as it is. */
  void holdIn(ScanMemory memory) {
    long bytes = fixedBytes;
    for (OutputColumn c : columns) {
      bytes += c.stringBytes();
    }
    if (onHeap && bytes > heldBytes) {
      memory.holdToEnd(bytes - heldBytes);
      heldBytes = bytes;
    }
  }

  ColumnarBatch emit() {
    ColumnVector[] vectors = new ColumnVector[columns.length + constants.length];
    for (int i = 0; i < columns.length; i++) {
      vectors[i] = columns[i].result();
    }
    System.arraycopy(constants, 0, vectors, columns.length, constants.length);
    emitted = true;
    return new ColumnarBatch(vectors, filled);
  }

  void close() {
    for (OutputColumn c : columns) {
      c.close();
    }
    for (ColumnVector c : constants) {
      c.close();
    }
  }
}
