// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.orc.encoding.CorruptStreamException;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DateColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.UnionColumnVector;
import org.apache.orc.TypeDescription;
import org.apache.orc.TypeDescription.RowBatchVersion;
import org.apache.orc.impl.TypeUtils;

/**
 * Creates orc-core's vectors for a column, whose lists and maps do not grow beyond the elements
 * that their streams can hold. orc-core adds up the lengths of a batch and allocates as many
 * elements before it reads one: a few damaged bytes would claim gigabytes. Spark's reader may fail
 * at another stream of the same file before, since it reads other rows together.
 */
final class NestedVectors {
  /** So many elements are not worth a look at their streams. */
  private static final int FEW = 1 << 16;

  private final int size;
  private final Bound bound;

  /** The most elements that were found possible, by the type's id. */
  private final Map<Integer, Integer> possible = new HashMap<>();

  /** Tells what streams can hold. */
  interface Bound {
    /** Whether there may be so many values of a type of the reader's schema. */
    boolean canHold(TypeDescription type, long values);
  }

  /**
   * @param size rows of a batch
   */
  NestedVectors(int size, Bound bound) {
    this.size = size;
    this.bound = bound;
  }

  ColumnVector create(TypeDescription type) {
    return switch (type.getCategory()) {
      case LIST -> new ListColumnVector(size, elements(child(type, 0)));
      case MAP -> new MapColumnVector(size, elements(child(type, 0)), elements(child(type, 1)));
      case STRUCT -> new StructColumnVector(size, all(type.getChildren()));
      case UNION -> new UnionColumnVector(size, all(type.getChildren()));
      default -> TypeUtils.createColumn(type, RowBatchVersion.ORIGINAL, size);
    };
  }

  private static TypeDescription child(TypeDescription type, int i) {
    return type.getChildren().get(i);
  }

  private ColumnVector[] all(List<TypeDescription> types) {
    return types.stream().map(this::create).toArray(ColumnVector[]::new);
  }

  private void check(TypeDescription type, int wanted) {
    if (wanted <= possible.getOrDefault(type.getId(), FEW)) {
      return;
    }
    if (!bound.canHold(type, wanted)) {
      throw new CorruptStreamException(
          "lists of " + wanted + " elements, where their streams can hold fewer");
    }
    possible.put(type.getId(), wanted);
  }

  /** A vector of the elements of lists, which orc-core enlarges for each batch. */
  private ColumnVector elements(TypeDescription read) {
    return switch (read.getCategory()) {
      case BOOLEAN, BYTE, SHORT, INT, LONG ->
          new LongColumnVector(size) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case DATE ->
          new DateColumnVector(size) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case FLOAT, DOUBLE ->
          new DoubleColumnVector(size) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case TIMESTAMP, TIMESTAMP_INSTANT ->
          new TimestampColumnVector(size) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case DECIMAL ->
          new DecimalColumnVector(size, read.getPrecision(), read.getScale()) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case STRING, CHAR, VARCHAR, BINARY ->
          new BytesColumnVector(size) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case STRUCT ->
          new StructColumnVector(size, all(read.getChildren())) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case LIST ->
          new ListColumnVector(size, elements(child(read, 0))) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case MAP ->
          new MapColumnVector(size, elements(child(read, 0)), elements(child(read, 1))) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      case UNION ->
          new UnionColumnVector(size, all(read.getChildren())) {
            @Override
            public void ensureSize(int wanted, boolean preserveData) {
              check(read, wanted);
              super.ensureSize(wanted, preserveData);
            }
          };
      default -> create(read);
    };
  }
}
