// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types._

/** A filter's conjuncts, each either evaluated in the scan or left to Spark.
  *
  * @param filters
  *   what the scan evaluates, the cheapest first
  * @param residual
  *   what stays in the Filter, in its order
  */
final private[rules] case class Conjuncts(filters: Seq[ColumnFilter], residual: Seq[Residual])

/** All the conditions on one filter column. They refer to the scan's own attribute. */
final private[rules] case class ColumnFilter(column: Attribute, conditions: Seq[Expression]) {

  def notNullOnly: Boolean = conditions.forall(_.isInstanceOf[IsNotNull])

  /** A guess at the work per value, before there is any measurement. A column of which only nulls
    * are dropped comes last: it drops little, and at fewer rows it costs little.
    */
  def cost: Int =
    if (notNullOnly) {
      4
    } else {
      column.dataType match {
        case BooleanType | ByteType | ShortType | IntegerType | DateType |
            _: YearMonthIntervalType =>
          0
        case _: StringType | BinaryType => if (conditions.exists(searches)) 3 else 2
        case _                          => 1
      }
    }

  private def searches(condition: Expression): Boolean = condition.exists {
    case _: Like | _: MultiLikeBase | _: Contains | _: EndsWith => true
    case _                                                      => false
  }
}

private[rules] object Conjuncts {

  def split(conjuncts: Seq[Expression], scan: FileSourceScanExec): Conjuncts = {
    val (before, after) = conjuncts.span(_.deterministic)
    val taken = ArrayBuffer.empty[(Attribute, Expression)]
    val residual = ArrayBuffer.empty[Residual]
    before.foreach { conjunct =>
      filterColumn(conjunct, scan)
        .flatMap(column => ColumnPredicates.compile(conjunct, column).map(_ => column)) match {
        case Right(column) => taken += column -> inTermsOf(column, conjunct)
        case Left(why)     => residual += Residual(conjunct, why)
      }
    }
    after.headOption.foreach(residual += Residual(_, Reasons.nonDeterministic))
    after.drop(1).foreach(residual += Residual(_, Reasons.afterNonDeterministic))

    val filters = taken.map(_._1).distinct.map { column =>
      ColumnFilter(column, taken.collect { case (`column`, condition) => condition }.toSeq)
    }
    Conjuncts(filters.sortBy(_.cost).toSeq, residual.toSeq)
  }

  /** The one column of the files that the conjunct refers to. */
  private def filterColumn(
      conjunct: Expression,
      scan: FileSourceScanExec
  ): Either[Reason, Attribute] = {
    val columns = conjunct.references.toSeq
    if (conjunct.exists(_.isInstanceOf[PlanExpression[_]])) {
      Left(Reasons.subquery(conjunct))
    } else if (columns.isEmpty) {
      Left(Reasons.noColumn)
    } else if (columns.size > 1) {
      Left(Reasons.severalColumns(columns))
    } else {
      fileColumn(columns.head, scan)
    }
  }

  private def fileColumn(column: Attribute, scan: FileSourceScanExec): Either[Reason, Attribute] =
    scan.output.indexWhere(_.exprId == column.exprId) match {
      case -1 => Left(Reasons.metadataColumn(column))
      case i  =>
        scan.output(i) match {
          case MadeByReader(a)                     => Left(Reasons.metadataColumn(a))
          case a if i < scan.requiredSchema.length => Right(a)
          case a                                   => Left(Reasons.partitionColumn(a))
        }
    }

  private object MadeByReader {
    def unapply(a: Attribute): Option[Attribute] = a match {
      case FileSourceConstantMetadataAttribute(_)     => Some(a)
      case FileSourceGeneratedMetadataAttribute(_, _) => Some(a)
      case _ => Option.when(a.name == ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME)(a)
    }
  }

  /** Names and qualifiers as the scan has them; the query may write them in another case. */
  private def inTermsOf(column: Attribute, conjunct: Expression): Expression =
    conjunct.transform { case a: AttributeReference if a.exprId == column.exprId => column }
}
