// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.Serializable;
import org.apache.parquet.filter2.predicate.FilterPredicate;

/**
 * Rules out the rows that another predicate rules out, without showing its values: parquet-java
 * logs predicates, and keys of a join are data.
 */
public final class RedactedPredicate implements FilterPredicate, Serializable {
  private final FilterPredicate predicate;

  public RedactedPredicate(FilterPredicate predicate) {
    this.predicate = predicate;
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return predicate.accept(visitor);
  }

  /** parquet-java also logs a rewritten predicate that differs from the original. */
  @Override
  public boolean equals(Object o) {
    return predicate.equals(o instanceof RedactedPredicate d ? d.predicate : o);
  }

  @Override
  public int hashCode() {
    return predicate.hashCode();
  }

  @Override
  public String toString() {
    return "keys of a join";
  }
}
