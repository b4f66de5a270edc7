// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.util.List;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Scala's sequences in Java, whose ways from one to the other differ between Scala's versions. */
public final class ScalaSeqs {
  private ScalaSeqs() {}

  /** A view. */
  public static <T> List<T> asJava(Seq<T> seq) {
    return CollectionConverters.asJava(seq);
  }

  /** A copy. */
  public static <T> IndexedSeq<T> asScala(List<T> list) {
    return CollectionConverters.asScala(list).toIndexedSeq();
  }
}
