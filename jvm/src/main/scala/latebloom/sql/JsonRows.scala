// SPDX-License-Identifier: Apache-2.0
package latebloom.sql

import org.json4s.JsonAST._

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** Makes rows of JSON objects. The column `max_bytes` has the value of the key `maxBytes`, or is
  * null if there is none.
  */
private[latebloom] object JsonRows {

  def apply(told: JValue, columns: StructType): Row =
    Row.fromSeq(columns.map(c => value(told \ key(c.name), c.dataType)))

  private def key(column: String): String = {
    val words = column.split('_')
    words.head + words.tail.map(_.capitalize).mkString
  }

  private def value(told: JValue, kind: DataType): Any = (told, kind) match {
    case (JString(text), StringType)           => text
    case (JInt(number), LongType)              => number.toLong
    case (JInt(number), DoubleType)            => number.toDouble
    case (JDouble(number), DoubleType)         => number
    case (JBool(flag), BooleanType)            => flag
    case (JArray(values), ArrayType(of, _))    => values.map(value(_, of))
    case (JObject(entries), MapType(_, of, _)) => entries.map { case (k, v) =>
        k -> value(v, of)
      }.toMap
    case (struct: JObject, columns: StructType) => apply(struct, columns)
    case (JNull | JNothing, _)                  => null
    case _                                      =>
      throw new IllegalStateException(s"LateBloom's answer has $told for a ${kind.sql}")
  }
}
