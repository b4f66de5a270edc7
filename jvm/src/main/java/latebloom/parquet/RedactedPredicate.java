// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.Serializable;
import org.apache.parquet.filter2.predicate.FilterPredicate;

/**
 * Rules out what another predicate does without naming its values: parquet-java logs the predicates
 * that it gets, and keys of a join are data.
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

  /** A rewritten predicate that differs from the one before is logged as well. */
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
