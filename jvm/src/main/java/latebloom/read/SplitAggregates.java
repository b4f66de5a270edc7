// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Counts and extremes of the rows that a scan of one split selects: of a row group all of whose
 * rows pass from what the file says of it, of all others from their rows. Not thread safe.
 */
public final class SplitAggregates {
  private final List<Asked> asked;
  private final Numbers[] numbers;
  private final long[] values;
  private final boolean[] known;
  private long rows;

  /** What is computed of a column. */
  public enum Kind {
    /** How many values are not null; of no column, how many rows there are. */
    COUNT,
    LEAST,
    GREATEST
  }

  /**
   * An aggregate.
   *
   * @param column index of a payload column; negative for none
   * @param type of its values: a number that a long can hold, a date or a time
   */
  public record Asked(Kind kind, int column, DataType type) implements Serializable {}

  /** Reads the values of a column as longs. */
  @FunctionalInterface
  private interface Numbers {
    long at(ColumnVector column, int row);
  }

  public SplitAggregates(List<Asked> asked) {
    this.asked = asked;
    this.numbers = asked.stream().map(a -> numbersOf(a.type)).toArray(Numbers[]::new);
    this.values = new long[asked.size()];
    this.known = new boolean[asked.size()];
  }

  /** How many rows were added: a group of no rows is none. */
  public long rows() {
    return rows;
  }

  /** Whether the aggregate has a value: a count always has, an extreme only if there is one. */
  public boolean isKnown(int i) {
    return asked.get(i).kind == Kind.COUNT || known[i];
  }

  /** A count, or an extreme as the long that the column's values are held in. */
  public long value(int i) {
    return values[i];
  }

  /** Adds all rows of a row group, unless the file does not say enough of it. */
  boolean add(RowGroup group) throws IOException {
    long[] nulls = new long[asked.size()];
    RowGroup.Extremes[] extremes = new RowGroup.Extremes[asked.size()];
    for (int i = 0; i < nulls.length; i++) {
      Asked a = asked.get(i);
      if (a.kind == Kind.COUNT) {
        nulls[i] = a.column < 0 ? 0 : group.nulls(a.column);
        if (nulls[i] < 0 || nulls[i] > group.rows()) {
          return false;
        }
      } else {
        extremes[i] = group.extremes(a.column);
        if (extremes[i] == null) {
          return false;
        }
      }
    }
    rows += group.rows();
    for (int i = 0; i < nulls.length; i++) {
      Kind kind = asked.get(i).kind;
      if (kind == Kind.COUNT) {
        values[i] += group.rows() - nulls[i];
      } else if (!extremes[i].isEmpty()) {
        if (kind == Kind.LEAST) {
          least(i, extremes[i].least());
        } else {
          greatest(i, extremes[i].greatest());
        }
      }
    }
    return true;
  }

  /** Adds rows that the scan has selected. */
  public void add(ColumnarBatch batch) {
    int n = batch.numRows();
    rows += n;
    for (int i = 0; i < values.length; i++) {
      Asked a = asked.get(i);
      if (a.column < 0) {
        values[i] += n;
      } else {
        add(i, a, batch.column(a.column), n);
      }
    }
  }

  private void add(int i, Asked a, ColumnVector column, int n) {
    boolean nulls = column.hasNull();
    if (a.kind == Kind.COUNT) {
      long count = n;
      for (int r = 0; r < n && nulls; r++) {
        count -= column.isNullAt(r) ? 1 : 0;
      }
      values[i] += count;
      return;
    }
    Numbers of = numbers[i];
    for (int r = 0; r < n; r++) {
      if (!nulls || !column.isNullAt(r)) {
        if (a.kind == Kind.LEAST) {
          least(i, of.at(column, r));
        } else {
          greatest(i, of.at(column, r));
        }
      }
    }
  }

  private void least(int i, long value) {
    values[i] = known[i] ? Math.min(values[i], value) : value;
    known[i] = true;
  }

  private void greatest(int i, long value) {
    values[i] = known[i] ? Math.max(values[i], value) : value;
    known[i] = true;
  }

  private static Numbers numbersOf(DataType type) {
    if (type instanceof ByteType) {
      return ColumnVector::getByte;
    }
    if (type instanceof ShortType) {
      return ColumnVector::getShort;
    }
    if (type instanceof IntegerType || type instanceof DateType) {
      return ColumnVector::getInt;
    }
    return type instanceof DecimalType d
        ? (column, row) -> column.getDecimal(row, d.precision(), d.scale()).toUnscaledLong()
        : ColumnVector::getLong;
  }
}
