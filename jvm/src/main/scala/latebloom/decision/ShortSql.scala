// SPDX-License-Identifier: Apache-2.0
package latebloom.decision

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  In,
  InSet,
  LeafExpression,
  Literal,
  Unevaluable
}
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType}

/** Formats an expression for people: SQL with bare column names, and decimals as SQL has them. */
object ShortSql {
  def apply(e: Expression): String = e.transform {
    case a: AttributeReference                       => a.withQualifier(Nil)
    case InSet(of, values) if isDecimal(of.dataType) =>
      In(of, values.toSeq.map(Literal(_, of.dataType)))
    case Literal(value: Decimal, of: DecimalType) => PlainDecimal(value, of)
  }.sql

  private def isDecimal(of: DataType): Boolean = of.isInstanceOf[DecimalType]

  /** Spark writes 50.00 with the suffix of its own parser, as 50.00BD. */
  final private case class PlainDecimal(value: Decimal, override val dataType: DataType)
      extends LeafExpression
      with Unevaluable {
    override def nullable: Boolean = false
    override def sql: String = value.toJavaBigDecimal.toPlainString
  }
}
