// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.latebloom.LateBloomConf
import org.apache.spark.sql.types.StructType

import latebloom.compile.Lookups
import latebloom.decision.{Applied, Decision, Residual}
import latebloom.joinkeys.{JoinFilter, JoinFiltersInPlan}
import latebloom.scan.{LateScan, LateScanExec, SelectiveFormat}

/** Builds the plan in which a scan evaluates part of its filter. */
private[rules] object LatePlan {

  /** The same rows and columns as `found.root` gives, from `[Project] [Filter] [Project] LateScan`.
    * Of lists and maps there may be less where nobody asks for more.
    *
    * @param consumer
    *   the expressions of the node above, if it outputs no column as it gets it
    */
  def build(
      found: FilteredScan,
      conditions: Seq[Expression],
      joinFilters: Seq[JoinFilter],
      residual: Seq[Residual],
      consumer: Option[Seq[Expression]],
      settings: LateBloomConf.Settings
  ): SparkPlan = {
    val rest = residual.map(_.conjunct)
    val asked = found.above.map(p => AttributeSet(p.projectList.flatMap(_.references)))
    val abovePayload = asked.map(_ ++ AttributeSet(rest.flatMap(_.references)))

    // What nobody asks for any more goes from the lower Project, and then from the scan.
    val lowerList = found.below.map { p =>
      p.projectList.filter(e => abovePayload.forall(_.contains(e.toAttribute)))
    }
    val needed = lowerList.map(l => AttributeSet(l.flatMap(_.references))).orElse(abovePayload)
    val asks = uses(found, lowerList.toSeq.flatten, rest, consumer)
    val late = lateScan(found, conditions, joinFilters, needed, asks, settings)

    val lower = lowerList.fold[SparkPlan](late)(list => ProjectExec(retyped(list, late), late))
    val filtered = FilteredScan.filter(rest, lower)
    val plan = found.above.fold(filtered) { p =>
      if (sameColumns(p, filtered)) filtered else ProjectExec(p.projectList, filtered)
    }
    keepTags(found, plan)
    Decision.record(late, Applied(residual))
    plan
  }

  /** All that is asked of the scan's columns: what a node only passes on, the next one asks for. */
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
      joinFilters: Seq[JoinFilter],
      needed: Option[AttributeSet],
      uses: Seq[Expression],
      settings: LateBloomConf.Settings
  ): LateScan = {
    val scan = found.scan
    val kept = needed.map(_ ++ layout(scan))
    // Filter knows which columns are no longer null. The Project above it may not, and is taken at
    // its word: broadcast keys are bound to its output, and dynamic partition pruning compares them.
    val nullable = AttributeSet(found.above.toSeq.flatMap(_.output).filter(_.nullable))
    val output = FilteredScan.filter(conditions, scan).output
      .map(a => a.withNullability(a.nullable || nullable.contains(a)))
    val filteredBy = AttributeSet((conditions ++ joinFilters.map(_.key)).flatMap(_.references))
    val filterOnly =
      scan.output.filter(c => filteredBy.contains(c) && !kept.forall(_.contains(c)))
    val dropped = AttributeSet(filterOnly)
    val payload = scan.output.zip(scan.requiredSchema).filterNot(p => dropped.contains(p._1))
    val format = SelectiveFormat.of(scan.relation.fileFormat).get
    val lookups = if (format.readsEntries) Lookups.of(uses, payload.map(_._1)) else Nil
    LateScanExec(
      scan.copy(
        output = output.filterNot(dropped.contains),
        requiredSchema = StructType(payload.map(_._2)),
        dataFilters = JoinFiltersInPlan.others(scan.dataFilters)
      ),
      conditions,
      joinFilters,
      filterOnly,
      lookups,
      settings.options(format.batchRows(scan.conf))
    )
  }

  /** The columns by which Spark knows how the rows of a bucketed scan are laid out. */
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

  /** Adaptive execution finds by their tags which logical node the nodes of a plan stand for: the
    * new root must stand for what the old one stood for, since less than that is not the same rows.
    */
  private def keepTags(found: FilteredScan, plan: SparkPlan): Unit = {
    plan.copyTagsFrom(found.root)
    plan.foreach(_.copyTagsFrom(found.scan))
  }
}
