// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;

/** A predicate on rows of the columns it was made for. Not thread safe; each task has its own. */
public interface RowPredicate extends Serializable {

  /** Whether the predicate is TRUE for {@code row}. May throw what Spark's expressions throw. */
  boolean test(InternalRow row);
}
