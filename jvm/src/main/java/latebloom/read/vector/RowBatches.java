// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The rows of a reader that has no batches, in batches, for a plan that takes these. A batch is
 * valid until the next one.
 */
public final class RowBatches implements Iterator<ColumnarBatch>, Closeable {
  private final Iterator<InternalRow> rows;
  private final WritableColumnVector[] vectors;
  private final RowToColumnConverter converter;
  private final ColumnarBatch batch;
  private final int most;

  /**
   * @param rows closed with this if they can be
   * @param types of the columns that the rows begin with
   * @param constants the columns that follow these
   * @param most rows of a batch
   * @param offHeap whether vectors are kept off the heap
   */
  public RowBatches(
      Iterator<InternalRow> rows,
      StructType types,
      ColumnVector[] constants,
      int most,
      boolean offHeap) {
    this.rows = rows;
    this.vectors =
        offHeap
            ? OffHeapColumnVector.allocateColumns(most, types)
            : OnHeapColumnVector.allocateColumns(most, types);
    this.converter = RowConverters.of(types);
    this.batch =
        new ColumnarBatch(
            Stream.concat(Stream.of(vectors), Stream.of(constants)).toArray(ColumnVector[]::new));
    this.most = most;
  }

  @Override
  public boolean hasNext() {
    return rows.hasNext();
  }

  @Override
  public ColumnarBatch next() {
    for (WritableColumnVector vector : vectors) {
      vector.reset();
    }
    int n = 0;
    for (; n < most && rows.hasNext(); n++) {
      converter.convert(rows.next(), vectors);
    }
    batch.setNumRows(n);
    return batch;
  }

  @Override
  public void close() throws IOException {
    batch.close();
    if (rows instanceof Closeable open) {
      open.close();
    }
  }
}
