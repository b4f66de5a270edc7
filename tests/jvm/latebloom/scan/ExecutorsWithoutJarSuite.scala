// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.ExceptionFailure

class ExecutorsWithoutJarSuite extends AnyFunSuite {

  private def isCauseOf(error: Exception) = ExecutorsWithoutJar.isCauseOf(
    ExceptionFailure(error.getClass.getName, error.getMessage, Array.empty, "", None)
  )

  test("a class of LateBloom that is not found means that an executor has no jar") {
    assert(isCauseOf(new ClassNotFoundException(classOf[ReadFile].getName)))
  }

  test("so does what Java makes of it in a task") {
    Seq(
      "scala.collection.generic.DefaultSerializationProxy to field " +
        "org.apache.spark.rdd.RDD.dependencies_",
      "scala.collection.immutable.List$SerializationProxy to field " +
        "org.apache.spark.rdd.RDD.org$apache$spark$rdd$RDD$$dependencies_"
    ).foreach { what =>
      assert(isCauseOf(new ClassCastException(s"cannot assign instance of $what of type Seq")))
    }
  }

  test("a class of somebody else, and another error, does not") {
    assert(!isCauseOf(new ClassNotFoundException("com.example.Reader")))
    assert(!isCauseOf(new ClassCastException("class java.lang.Long cannot be cast")))
    assert(!isCauseOf(new IllegalStateException("latebloom.scan.ReadFile")))
  }
}
