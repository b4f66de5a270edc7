// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree

import org.apache.hadoop.hive.ql.exec.vector._
import org.apache.orc.TypeDescription
import org.scalatest.funsuite.AnyFunSuite

import latebloom.orc.encoding.CorruptStreamException

class NestedVectorsSuite extends AnyFunSuite {
  private val elements = Seq(
    "boolean",
    "tinyint",
    "bigint",
    "date",
    "double",
    "timestamp",
    "timestamp with local time zone",
    "decimal(12,3)",
    "string",
    "char(3)",
    "binary",
    "struct<x:int>",
    "array<int>",
    "map<int,string>",
    "uniontype<int,string>"
  )

  private def vector(schema: String, most: Long): ColumnVector =
    new NestedVectors(10, (_, values) => values <= most).create(TypeDescription.fromString(schema))

  /** The vectors of the elements of a list, or of a map's keys and values. */
  private def children(vector: ColumnVector): Seq[ColumnVector] = vector match {
    case list: ListColumnVector     => Seq(list.child)
    case map: MapColumnVector       => Seq(map.keys, map.values)
    case struct: StructColumnVector => struct.fields.toSeq.flatMap(children)
    case other                      => fail(s"$other has no elements")
  }

  private def isRefused(vector: ColumnVector, elements: Int): Boolean =
    try {
      vector.ensureSize(elements, false)
      false
    } catch { case _: CorruptStreamException => true }

  test("elements of every type do not grow beyond what their streams hold") {
    for (
      of <- elements;
      schema <- Seq(s"array<$of>", s"map<$of,$of>", s"struct<a:array<$of>>", s"array<array<$of>>");
      child <- children(vector(schema, 100000))
    ) {
      assert(isRefused(child, 100001), schema)
      assert(!isRefused(child, 100000), schema)
    }
  }

  test("few elements, and rows, are not compared with their streams") {
    assert(!isRefused(children(vector("array<int>", 0)).head, 1000))
    for (schema <- Seq("array<int>", "map<int,int>", "struct<x:int>", "string")) {
      assert(!isRefused(vector(schema, 0), 100000), schema)
    }
  }

  test("the vectors are of orc-core's classes") {
    for (of <- elements; schema <- Seq(of, s"array<$of>", s"struct<a:$of,b:map<int,$of>>")) {
      val theirs = TypeDescription.fromString(s"struct<c:$schema>").createRowBatch(10).cols.head
      val ours = vector(schema, 0)
      assert(theirs.getClass.isInstance(ours), schema)
      assert(theirs.`type` == ours.`type`, schema)
    }
  }
}
