// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * One column of the batch being filled. Values go to {@link #vector()} from row {@link #at()} on. A
 * column with a whole batch ready in its own vector may lend that instead, while the batch is in
 * use.
 */
public final class OutputColumn {
  private final WritableColumnVector own;
  private ColumnVector lent;
  private int at;
  private boolean whole;

  public OutputColumn(WritableColumnVector own) {
    this.own = own;
  }

  /** Begins an empty batch. */
  public void reset() {
    lent = null;
    own.reset();
    dropDictionaries(own);
  }

  private static void dropDictionaries(WritableColumnVector vector) {
    vector.setDictionary(null);
    DataType type = vector.dataType();
    int children = type instanceof ArrayType ? 1 : type instanceof MapType ? 2 : 0;
    for (int i = 0; i < children; i++) {
      dropDictionaries(vector.getChild(i));
    }
  }

  /** Sets the place of the next values, and whether they alone make up the batch. */
  public void position(int at, boolean whole) {
    this.at = at;
    this.whole = whole;
  }

  /** First row to write. */
  public int at() {
    return at;
  }

  /**
   * Whether the values of this call make up the whole batch. Only then may the vector carry a
   * dictionary, or be lent.
   */
  public boolean whole() {
    return whole;
  }

  /** The vector to write to. */
  public WritableColumnVector vector() {
    return own;
  }

  /** Lends {@code vector}, which holds this batch's rows unchanged until the next batch. */
  public void lend(ColumnVector vector) {
    lent = vector;
  }

  /** Bytes of the written strings. */
  long stringBytes() {
    DataType type = own.dataType();
    boolean strings = type instanceof StringType || type instanceof BinaryType;
    return strings ? own.getChild(0).getElementsAppended() : 0;
  }

  public ColumnVector result() {
    return lent != null ? lent : own;
  }

  void close() {
    own.close();
  }
}
