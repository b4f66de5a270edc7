// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.util.List;
import scala.collection.JavaConverters;
import scala.collection.Seq;
import scala.collection.immutable.IndexedSeq;

/** Scala's sequences in Java, whose ways from one to the other differ between Scala's versions. */
public final class ScalaSeqs {
  private ScalaSeqs() {}

  /** A view. */
  public static <T> List<T> asJava(Seq<T> seq) {
    return JavaConverters.seqAsJavaList(seq);
  }

  /** A copy. */
  public static <T> IndexedSeq<T> asScala(List<T> list) {
    return JavaConverters.asScalaBuffer(list).toIndexedSeq();
  }
}
