// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.compile.Failure
import latebloom.line.Compat.when
import latebloom.read.RowNumberCursor
import latebloom.tables.IcebergValues.{Sparks, asSparks}

/** The metadata columns of an Iceberg scan. How a relation of files has them:
  *
  *   - `_file`, `_spec_id` and `_partition` are the same for all rows of a file, so they are
  *     partition columns of the relation; Iceberg's task of the file supplies the values.
  *   - `_pos` is the number of the row in its file. Our reader counts from the first row of each
  *     row group, so neither splits nor pruned row groups nor deleted rows matter.
  *   - `_row_id` and `_last_updated_sequence_number` are columns that a file need not have, nor a
  *     value of in each row. A row without one has the file's first row id plus `_pos`, or the
  *     sequence number of the file. A Project over the relation computes that, of hidden columns.
  *     Of a file without a first row id Iceberg returns nulls whatever the file has, so it is
  *     Iceberg's. Iceberg's reader returns whole values, and is said no first row id and no number:
  *     what it has null stays null.
  *
  * The scan evaluates no condition on any of them. One on constants of a file prunes files, others
  * stay in the Filter above; so do those on what the Project computes, of columns of both kinds.
  *
  * @param v2
  *   Iceberg's scan in Spark's plan
  */
final private[tables] class IcebergMetadata(
    v2: DataSourceV2ScanRelation,
    iceberg: IcebergClasses
) {
  import IcebergMetadata._

  private val idOf: Map[String, Int] =
    v2.scan.readSchema.fieldNames.toSeq.zip(iceberg.columns(v2.scan).map(iceberg.id)).toMap
      .filter(c => isMetadata(c._2))

  private def is(ids: Set[Int])(a: NamedExpression) = idOf.get(a.name).exists(ids)

  private val hasLineage = v2.output.exists(is(Lineage))

  private val firstRowId = AttributeReference("latebloom:first row id", LongType)()
  private val sequence = AttributeReference("latebloom:sequence number", LongType)()

  /** The columns that the query asks for, as the relation has them. */
  private val shown: Seq[AttributeReference] = v2.output.map { a =>
    if (is(Set(Position))(a)) a.withMetadata(RowNumberCursor.field(a.name).metadata)
    else if (is(Lineage)(a)) a.newInstance()
    else a
  }.map(_.asInstanceOf[AttributeReference])

  private val position: AttributeReference = shown.find(is(Set(Position))).getOrElse(numbers)

  /** The columns of the relation of files. */
  val output: Seq[AttributeReference] =
    if (hasLineage) (shown :+ position).distinct ++ Seq(firstRowId, sequence) else shown

  /** Those that are the same for all rows of a file. */
  val constants: StructType = StructType(
    output.filter(a => a == firstRowId || a == sequence || is(OfFile)(a))
      .map(a => StructField(a.name, a.dataType, a.nullable))
  )

  private lazy val partitionIds = iceberg.partitionColumns(v2.scan).map(iceberg.id)

  /** The values of the constants in a task's file; None for one that Spark has no form of.
    *
    * @param isOurs
    *   whether LateBloom may read the file
    */
  def values(task: AnyRef, isOurs: Boolean): Seq[Option[Sparks]] = constants.map { c =>
    def file = iceberg.file(task)
    if (!iceberg.readsFile(task)) Some(Sparks(null))
    else idOf.get(c.name) match {
      case Some(File)      => Some(Sparks(UTF8String.fromString(iceberg.location(file))))
      case Some(Spec)      => Some(Sparks(iceberg.specId(file)))
      case Some(Partition) => partition(task, c.dataType.asInstanceOf[StructType])
      case _ if !isOurs    => Some(Sparks(null))
      case _ if c.name == firstRowId.name => Some(Sparks(iceberg.firstRowId(file)))
      case _                              => Some(Sparks(iceberg.sequenceNumber(file)))
    }
  }

  /** The fields of all partition specs of the table; null for one that the file's spec has not. */
  private def partition(task: AnyRef, fields: StructType): Option[Sparks] = {
    val found = iceberg.partition(task)
    val values = fields.zip(partitionIds).map { case (f, id) =>
      asSparks(f.dataType, found.getOrElse(id, null))
    }
    if (partitionIds.isEmpty) Some(Sparks(null))
    else when(fields.length == partitionIds.size && values.forall(_.nonEmpty)) {
      Sparks(new GenericInternalRow(values.map(_.get.value).toArray[Any]))
    }
  }

  /** Whether a task's file has what its rows' lineage is computed from, if the query asks for it.
    */
  def areIn(task: AnyRef): Boolean = !hasLineage || {
    val file = iceberg.file(task)
    iceberg.firstRowId(file) != null && iceberg.sequenceNumber(file) != null
  }

  /** The plan with the columns that the query asks for.
    *
    * The strategy for files looks for conditions through a Project only if no condition repeats
    * what that computes. So those on other columns go below it: one that may fail only if none that
    * stays above comes before it, which might have dropped the row on which it fails, and none
    * after one that is not deterministic.
    *
    * @param relation
    *   has the columns of [[output]]
    * @param conditions
    *   of a Filter over it
    */
  def over(relation: LogicalPlan, conditions: Seq[Expression]): LogicalPlan =
    if (!hasLineage) filtered(conditions, relation)
    else {
      val computed = AttributeSet(v2.output.filter(is(Lineage)))
      def isPlain(c: Expression) = c.deterministic && !c.references.exists(computed.contains)
      val first = conditions.takeWhile(isPlain).size
      val last = conditions.takeWhile(_.deterministic).size
      val (below, above) = conditions.zipWithIndex.partition { case (c, i) =>
        i < first || (i < last && isPlain(c) && !Failure.mayFail(c))
      }
      val columns = v2.output.zip(shown).map { case (a, stored) =>
        idOf.get(a.name) match {
          case Some(RowId)    => lineage(a, stored, Add(firstRowId, position))
          case Some(Sequence) => lineage(a, stored, sequence)
          case _              => stored
        }
      }
      filtered(above.map(_._1), Project(columns, filtered(below.map(_._1), relation)))
    }

  private def filtered(conditions: Seq[Expression], plan: LogicalPlan) =
    conditions.reduceOption(And).fold(plan)(Filter(_, plan))

  private def lineage(a: Attribute, stored: Expression, otherwise: Expression) =
    Alias(Coalesce(Seq(stored, otherwise)), a.name)(a.exprId, a.qualifier, Some(a.metadata))

  /** Whether a column of the relation is none of the table's. */
  def isMade(column: Attribute): Boolean =
    idOf.contains(column.name) || !v2.output.exists(_.name == column.name)

  /** Where Iceberg's own scan has the number of a row, if it has it. */
  def positionIn(columns: Seq[String]): Option[Int] =
    columns.zipWithIndex.collectFirst { case (c, i) if idOf.get(c).contains(Position) => i }

  /** The columns of a relation that Iceberg's own scan has. */
  def asked(of: Seq[AttributeReference]): Seq[AttributeReference] = {
    val names = v2.output.map(_.name)
    of.filter(a => names.contains(a.name))
  }

  /** The plan over Iceberg's own scan, which returns whole values and has no hidden columns. */
  def whole(plan: LogicalPlan, hidden: AttributeSet): LogicalPlan =
    if (hidden.isEmpty) plan
    else plan.transformAllExpressions {
      case Coalesce(Seq(stored, other)) if other.references.exists(hidden.contains) => stored
    }
}

private[tables] object IcebergMetadata {

  /** Whether a scan may read the lineage of rows, by the names of its columns. */
  def hasLineage(v2: DataSourceV2ScanRelation): Boolean = v2.output.map(_.name)
    .exists(Set("_row_id", "_last_updated_sequence_number"))

  // The ids that Iceberg's specification reserves.
  private val File = Int.MaxValue - 1
  private val Position: Int = Int.MaxValue - 2
  private val Spec = Int.MaxValue - 4
  private val Partition = Int.MaxValue - 5
  private val RowId = Int.MaxValue - 107
  private val Sequence = Int.MaxValue - 108

  private val OfFile = Set(File, Spec, Partition)
  private val Lineage = Set(RowId, Sequence)

  /** Whether an id is of a column that tables do not have. */
  def isMetadata(id: Int): Boolean = id >= Int.MaxValue - 1000

  /** Whether it is in no file. */
  def isMade(id: Int): Boolean = OfFile(id) || id == Position

  /** Whether files may have the column although their tables do not. */
  def isLineage(id: Int): Boolean = Lineage(id)

  private def numbers = {
    val field = RowNumberCursor.field("latebloom:row")
    AttributeReference(field.name, field.dataType, field.nullable, field.metadata)()
  }
}
