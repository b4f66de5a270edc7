// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Closeable;
import java.io.IOException;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Supplies the batches of one file split. */
public interface BatchSource extends Closeable {

  /** The next batch, dense and never empty, valid until the next call; null at the end. */
  ColumnarBatch next() throws IOException;
}
