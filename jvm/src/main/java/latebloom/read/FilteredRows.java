// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import latebloom.line.ScalaSeqs;
import latebloom.read.predicate.RowPredicate;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.OutputBatch;
import latebloom.read.vector.RowConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.ProjectingInternalRow;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Filters the rows of a file that Spark's reader must read: outputs passing rows, dense, without
 * the filter-only columns.
 */
public final class FilteredRows implements BatchSource {
  private final Iterator<?> read;
  private final RowPredicate.Cursor filter;
  private final OutputBatch out;
  private final RowToColumnConverter converter;
  private final WritableColumnVector[] vectors;
  private final ProjectingInternalRow payload;
  private Iterator<InternalRow> rows = Collections.emptyIterator();

  /**
   * @param read Spark's batches, or rows, of all columns of {@code spec}; closed with this if it
   *     can
   * @param constants vectors of the columns with one value per file; owned
   */
  public FilteredRows(Iterator<?> read, ScanSpec spec, ColumnVector[] constants, boolean offHeap) {
    this.read = read;
    this.filter = spec.filters().whole().cursor();
    StructField[] fields = spec.columns().fields();
    StructType payloadTypes = new StructType();
    List<Object> ordinals = new ArrayList<>();
    for (int p = 0; p < spec.payload(); p++) {
      payloadTypes = payloadTypes.add(fields[p]);
      ordinals.add(p);
    }
    this.payload = new ProjectingInternalRow(payloadTypes, ScalaSeqs.asScala(ordinals));
    this.converter = RowConverters.of(payloadTypes);
    this.out = new OutputBatch(payloadTypes, constants, spec.options().batchRows(), offHeap);
    this.vectors = new WritableColumnVector[spec.payload()];
    for (int p = 0; p < vectors.length; p++) {
      vectors[p] = out.column(p, false).vector();
    }
  }

  @Override
  public ColumnarBatch next() {
    while (out.room() > 0 && nextRow()) {
      InternalRow row = rows.next();
      if (filter.test(row)) {
        payload.project(row);
        converter.convert(payload, vectors);
        out.filled(1);
      }
    }
    return out.filled() > 0 ? out.emit() : null;
  }

  private boolean nextRow() {
    while (!rows.hasNext() && read.hasNext()) {
      RunningTask.checkNotKilled();
      Object next = read.next();
      rows =
          next instanceof ColumnarBatch batch
              ? batch.rowIterator()
              : Collections.singletonList((InternalRow) next).iterator();
    }
    return rows.hasNext();
  }

  @Override
  public void close() throws IOException {
    out.close();
    if (read instanceof Closeable c) {
      c.close();
    }
  }
}
