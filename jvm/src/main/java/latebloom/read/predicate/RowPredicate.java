// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;

/** A predicate on rows of certain columns. Immutable: a cursor tests rows. */
public interface RowPredicate extends Serializable {

  /** A cursor for one thread. */
  Cursor cursor();

  /** Tests rows. Not thread safe. */
  interface Cursor {

    /** Whether the predicate is TRUE for {@code row}. Throws what Spark's expressions throw. */
    boolean test(InternalRow row);
  }
}
