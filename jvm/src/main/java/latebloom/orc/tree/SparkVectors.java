// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.spark.sql.execution.datasources.orc.OrcColumnVector;
import org.apache.spark.sql.types.DataType;

/**
 * Creates Spark's view of ORC's vectors, which converts dates, times and decimals as Spark does. It
 * is private to Spark's package, so a method handle reaches it: see the class loaders in
 * docs/design/parquet.md.
 */
final class SparkVectors {
  private static final MethodHandle VIEW;

  static {
    try {
      String utils = OrcColumnVector.class.getPackageName() + ".OrcColumnVectorUtils";
      VIEW =
          MethodHandles.privateLookupIn(OrcColumnVector.class, MethodHandles.lookup())
              .findStatic(
                  Class.forName(utils, true, OrcColumnVector.class.getClassLoader()),
                  "toOrcColumnVector",
                  MethodType.methodType(OrcColumnVector.class, DataType.class, ColumnVector.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private SparkVectors() {}

  static OrcColumnVector view(DataType type, ColumnVector vector) {
    try {
      return (OrcColumnVector) VIEW.invokeExact(type, vector);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
