// SPDX-License-Identifier: Apache-2.0
package latebloom.decision

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

class ShortSqlSuite extends AnyFunSuite {
  private val price =
    AttributeReference("price", DecimalType(9, 2))(qualifier = Seq("spark_catalog", "default", "t"))

  private def decimal(text: String) = Literal(Decimal(text))

  test("decimals have no suffix, and no exponent") {
    assert(ShortSql(GreaterThan(price, decimal("50.00"))) == "(price > 50.00)")
    assert(ShortSql(LessThan(price, decimal("-0.0000000001"))) == "(price < -0.0000000001)")
    assert(ShortSql(Literal(null, DecimalType(9, 2))).startsWith("CAST(NULL AS DECIMAL"))
  }

  test("nor have those of a long list") {
    val values = Set("1.50", "2.25").map(v => Decimal(v): Any)
    val text = ShortSql(InSet(price, values))
    assert(Set("(price IN (1.50, 2.25))", "(price IN (2.25, 1.50))")(text))
  }

  test("a text that looks like one stays as it is, and other numbers keep their type") {
    val name = AttributeReference("name", StringType)()
    assert(ShortSql(EqualTo(name, Literal("50.00BD"))) == "(name = '50.00BD')")
    assert(ShortSql(Literal(5.0)) == "5.0D")
    assert(ShortSql(Literal(5L)) == "5L")
  }
}
