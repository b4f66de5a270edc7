// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, ScalarSubquery => _, _}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.{FileSourceScanExec, ScalarSubquery}

import latebloom.compile.Failure
import latebloom.decision.{Reason, Reasons, Residual}
import latebloom.read.RowNumberCursor

/** Splits a filter's conjuncts into those that the scan evaluates and those left to Spark.
  *
  * @param taken
  *   the scan's conjuncts, on its own attributes
  * @param residual
  *   the Filter's conjuncts, in order
  */
final private[rules] case class Conjuncts(taken: Seq[Expression], residual: Seq[Residual])

private[rules] object Conjuncts {

  /** Takes a conjunct that may fail only if no earlier one stays in the Filter, which might have
    * dropped the row on which it fails.
    */
  def split(conjuncts: Seq[Expression], scan: FileSourceScanExec): Conjuncts = {
    val (before, after) = conjuncts.span(_.deterministic)
    val taken = ArrayBuffer.empty[Expression]
    val residual = ArrayBuffer.empty[Residual]
    before.foreach { conjunct =>
      whyNot(conjunct, scan) match {
        case Some(why) => residual += Residual(conjunct, why)
        case None if residual.nonEmpty && Failure.mayFail(conjunct) =>
          residual += Residual(conjunct, Reasons.afterResidual)
        case None => taken += inTermsOf(scan, conjunct)
      }
    }
    after.headOption.foreach(residual += Residual(_, Reasons.nonDeterministic))
    after.drop(1).foreach(residual += Residual(_, Reasons.afterNonDeterministic))
    Conjuncts(taken.toSeq, residual.toSeq)
  }

  private def whyNot(conjunct: Expression, scan: FileSourceScanExec): Option[Reason] = {
    val columns = conjunct.references.toSeq
    if (conjunct.exists(hasManyRows)) {
      Some(Reasons.subquery(conjunct))
    } else if (Failure.hasInvalidPattern(conjunct)) {
      Some(Reasons.invalidPattern(conjunct))
    } else if (columns.isEmpty) {
      Some(Reasons.noColumn)
    } else {
      columns.map(fileColumn(_, scan)).collectFirst { case Left(why) => why }
    }
  }

  /** A scalar subquery is a value once it has run, and it runs before the scan starts. */
  private def hasManyRows(e: Expression): Boolean = e match {
    case _: ScalarSubquery    => false
    case _: PlanExpression[_] => true
    case _                    => false
  }

  private def fileColumn(column: Attribute, scan: FileSourceScanExec): Either[Reason, Attribute] =
    scan.output.indexWhere(_.exprId == column.exprId) match {
      case -1 => Left(Reasons.metadataColumn(column))
      case i  =>
        scan.output(i) match {
          case a if isMadeByReader(a)              => Left(Reasons.metadataColumn(a))
          case a if i < scan.requiredSchema.length => Right(a)
          case a                                   => Left(Reasons.partitionColumn(a))
        }
    }

  /** Whether a column is metadata. */
  def isMadeByReader(column: Attribute): Boolean = column match {
    case FileSourceConstantMetadataAttribute(_)     => true
    case FileSourceGeneratedMetadataAttribute(_, _) => true
    case other                                      =>
      other.name == ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME ||
      RowNumberCursor.isFor(other.metadata)
  }

  /** Uses the scan's names and qualifiers; the query may write them in another case. */
  private def inTermsOf(scan: FileSourceScanExec, conjunct: Expression): Expression =
    conjunct.transform { case a: AttributeReference =>
      scan.output.find(_.exprId == a.exprId).getOrElse(a)
    }
}
