// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;

/** A predicate on rows of the columns it was made for. Immutable: what tests rows is a cursor. */
public interface RowPredicate extends Serializable {

  /** Tests rows, for one thread. */
  Cursor cursor();

  /** Tests rows. Not thread safe. */
  interface Cursor {

    /** Whether the predicate is TRUE for {@code row}. May throw what Spark's expressions throw. */
    boolean test(InternalRow row);
  }
}
