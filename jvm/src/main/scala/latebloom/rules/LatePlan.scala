// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.latebloom.LateBloomConf
import org.apache.spark.sql.types.{StructField, StructType}

import latebloom.compile.Lookups
import latebloom.decision.{Applied, Decision, Residual}
import latebloom.joinkeys.{JoinFilter, JoinFiltersInPlan}
import latebloom.line.Compat.when
import latebloom.read.RowNumberCursor
import latebloom.scan.{LateScan, SelectiveFormat}
import latebloom.toprows.{RowPlace, TopRowsCondition, TopRowsInPlan, WithinBound}

/** Builds the plan in which a scan evaluates part of its filter. */
private[rules] object LatePlan {

  /** What spares a scan rows, but for its conditions.
    *
    * @param wanted
    *   how many rows a LIMIT takes
    * @param distinct
    *   whether an aggregation ignores duplicates
    */
  final case class Optional(
      joins: Seq[JoinFilter],
      topRows: Seq[TopRowsCondition],
      wanted: Option[Int],
      distinct: Boolean
  ) {
    def nonEmpty: Boolean = joins.nonEmpty || topRows.nonEmpty || wanted.nonEmpty || distinct

    /** The columns that they filter rows by. */
    def references: AttributeSet = AttributeSet(
      joins.filterNot(_.onlyFiles).flatMap(_.key.references) ++
        topRows.collect { case WithinBound(column, Some(_)) => column }.flatMap(_.references)
    )
  }

  /** Returns the rows and columns of `found.root` from `[Project] [Filter] [Project] LateScan`.
    * Lists and maps may lack entries that the plan does not use.
    *
    * @param consumer
    *   the expressions of the node above, if it passes no column on unchanged
    */
  def build(
      found: FilteredScan,
      conditions: Seq[Expression],
      optional: Optional,
      residual: Seq[Residual],
      consumer: Option[Seq[Expression]],
      settings: LateBloomConf.Settings
  ): SparkPlan = {
    val rest = residual.map(_.conjunct)
    val asked = found.above.map(p => AttributeSet(p.projectList.flatMap(_.references)))
    val abovePayload = asked.map(_ ++ AttributeSet(rest.flatMap(_.references)))

    // Removes unused columns from the lower Project, and then from the scan.
    val lowerList = found.below.map { p =>
      p.projectList.filter(e => abovePayload.forall(_.contains(e.toAttribute)))
    }
    val needed = lowerList.map(l => AttributeSet(l.flatMap(_.references))).orElse(abovePayload)
    val asks = uses(found, lowerList.toSeq.flatten, rest, consumer)
    val place = when(TopRowsInPlan.asksPlace(lists(found)))(new PlaceColumns)
    val late = lateScan(found, conditions, optional, needed, asks, place, settings)

    def placed(list: Seq[NamedExpression]) =
      place.fold(list)(p => TopRowsInPlan.placed(list, p.columns))
    val lower =
      lowerList.fold[SparkPlan](late) { list =>
        ProjectExec(placed(retyped(list, late)) ++ place.toSeq.flatMap(_.passedOn(list)), late)
      }
    val filtered = FilteredScan.filter(rest, lower)
    val plan = found.above.fold(filtered) { p =>
      if (sameColumns(p, filtered)) filtered else ProjectExec(placed(p.projectList), filtered)
    }
    keepTags(found, plan)
    Decision.record(late, Applied(residual))
    plan
  }

  private def lists(found: FilteredScan): Seq[Expression] =
    (found.above ++ found.below).toSeq.flatMap(_.projectList)

  /** The columns with the place of a row, under the names by which Spark's readers know them. */
  final private class PlaceColumns {
    private val field = RowNumberCursor.field(ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME)

    private val number = attribute(field)

    /** Those that Spark fills in for each split. */
    private val constant: Map[RowPlace, Attribute] = Map(
      RowPlace.File -> FileFormat.FILE_PATH,
      RowPlace.SplitStart -> FileFormat.FILE_BLOCK_START,
      RowPlace.SplitLength -> FileFormat.FILE_BLOCK_LENGTH
    ).map { case (place, name) =>
      place -> attribute(FileSourceConstantMetadataStructField(name, place.dataType))
    }

    val columns: Map[RowPlace, Attribute] = constant + (RowPlace.Number -> number)

    private def attribute(of: StructField): Attribute =
      AttributeReference(of.name, of.dataType, of.nullable, of.metadata)()

    /** The columns as a Project passes them on that does not use them itself. */
    def passedOn(list: Seq[NamedExpression]): Seq[Attribute] =
      if (TopRowsInPlan.asksPlace(list)) Nil else RowPlace.All.map(columns)

    /** Adds the columns to a scan, in Spark's order: those of files, of partitions, of metadata. */
    def in(scan: FileSourceScanExec): FileSourceScanExec = {
      val (ofFiles, others) = scan.output.splitAt(scan.requiredSchema.length)
      scan.copy(
        output = (ofFiles :+ number) ++ others ++ RowPlace.All.flatMap(constant.get),
        requiredSchema = StructType(scan.requiredSchema :+ field)
      )
    }
  }

  /** All uses of the scan's columns; a column that a node passes on counts where the next one uses
    * it.
    */
  private def uses(
      found: FilteredScan,
      below: Seq[NamedExpression],
      residual: Seq[Expression],
      consumer: Option[Seq[Expression]]
  ): Seq[Expression] = {
    def notPassedOn(list: Seq[NamedExpression]) =
      list.filterNot(_.isInstanceOf[AttributeReference])
    val above = found.above.map(_.projectList).getOrElse(Nil)
    val asked = consumer match {
      case Some(expressions) => expressions ++ notPassedOn(above)
      case None              => if (found.above.isEmpty) found.root.output else above
    }
    asked ++ residual ++ notPassedOn(below)
  }

  private def lateScan(
      found: FilteredScan,
      conditions: Seq[Expression],
      optional: Optional,
      needed: Option[AttributeSet],
      uses: Seq[Expression],
      place: Option[PlaceColumns],
      settings: LateBloomConf.Settings
  ): LateScan = {
    val scan = found.scan
    val kept = needed.map(_ ++ layout(scan))
    // Filter knows which columns are no longer null; the Project above it may not. The nullability
    // of the Project counts: broadcast keys are bound to its output, and dynamic partition pruning
    // compares them.
    val nullable = AttributeSet(found.above.toSeq.flatMap(_.output).filter(_.nullable))
    val output = FilteredScan.filter(conditions, scan).output
      .map(a => a.withNullability(a.nullable || nullable.contains(a)))
    val filteredBy = AttributeSet(conditions.flatMap(_.references)) ++ optional.references
    val filterOnly = scan.output.take(scan.requiredSchema.length)
      .filter(c => filteredBy.contains(c) && !kept.forall(_.contains(c)))
    val format = SelectiveFormat.of(scan.relation.fileFormat).get
    val unread = scan.output.filter { c =>
      val made = Conjuncts.isMadeByReader(c) || format.table.exists(_.marksDeleted(c))
      made && !kept.forall(_.contains(c))
    }
    val dropped = AttributeSet(filterOnly ++ unread)
    val payload = scan.output.zip(scan.requiredSchema).filterNot(p => dropped.contains(p._1))
    val lookups = if (format.readsEntries) Lookups.of(uses, payload.map(_._1)) else Nil
    val files = scan.copy(
      output = output.filterNot(dropped.contains),
      requiredSchema = StructType(payload.map(_._2)),
      partitionFilters = JoinFiltersInPlan.others(scan.partitionFilters),
      dataFilters = TopRowsInPlan.others(JoinFiltersInPlan.others(scan.dataFilters))
    )
    new LateScan(
      place.fold(files)(_.in(files)),
      conditions,
      optional.joins,
      optional.topRows,
      filterOnly,
      lookups,
      settings.options(
        format.batchRows(scan.conf),
        optional.wanted,
        optional.distinct && payload.size == 1
      )
    )
  }

  /** The columns from which Spark derives the layout of a bucketed scan's rows. */
  private def layout(scan: FileSourceScanExec): AttributeSet = {
    val names = scan.relation.bucketSpec
      .filter(_ => scan.bucketedScan)
      .toSeq
      .flatMap(spec => spec.bucketColumnNames ++ spec.sortColumnNames)
    AttributeSet(scan.output.filter(a => names.contains(a.name)))
  }

  private def retyped(list: Seq[NamedExpression], late: LateScan): Seq[NamedExpression] = {
    val nullable = late.output.map(o => o.exprId -> o.nullable).toMap
    list.map {
      case a: AttributeReference => nullable.get(a.exprId).fold(a)(a.withNullability)
      case other                 => other
    }
  }

  private def sameColumns(project: ProjectExec, child: SparkPlan): Boolean =
    project.output.map(_.exprId) == child.output.map(_.exprId) &&
      project.projectList.forall(_.isInstanceOf[AttributeReference]) &&
      project.output.map(_.nullable) == child.output.map(_.nullable)

  /** Adaptive execution maps the nodes of a plan to logical nodes by their tags: the new root must
    * keep the old root's logical node, since a smaller one would not have the same rows.
    */
  private def keepTags(found: FilteredScan, plan: SparkPlan): Unit = {
    plan.copyTagsFrom(found.root)
    plan.foreach(_.copyTagsFrom(found.scan))
  }
}
