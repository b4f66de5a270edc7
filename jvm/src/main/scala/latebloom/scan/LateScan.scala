// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import java.util.UUID

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{FileSourceScanExec, ScalarSubquery}
import org.apache.spark.sql.types.{StructField, StructType}

import latebloom.compile.{CatalystPredicate, Failure, Lookups, ScanFilters}
import latebloom.decision.ShortSql
import latebloom.joinkeys.{JoinFilter, JoinFiltersInPlan, JoinKeyPredicate}
import latebloom.line.Compat._
import latebloom.read.ScanSpec
import latebloom.read.task.Counter

/** A scan of files that evaluates filters and outputs the rows that pass.
  *
  * It is a FileSourceScanExec, because much of Spark recognises a file scan by that class. What it
  * adds are product elements, so that whatever walks, transforms or compares the expressions of a
  * plan meets them too. Everything from listing files to handing out splits is Spark's: an inner
  * scan does it, over the same relation but with a [[LateFormat]] to read a file.
  *
  * @param files
  *   what it has of Spark's own node, which differs from line to line (see [[LateScanExec]]); its
  *   output are the attributes of the payload, then partition and metadata columns, and its
  *   required schema the payload: what is read of a file and is output
  * @param scanFilters
  *   what is evaluated here
  * @param joinFilters
  *   what is evaluated here of the keys of joins, once their subqueries have run
  * @param filterOnly
  *   the columns of scanFilters and joinFilters that are not output, in the scan's order
  * @param lookups
  *   of a list or map that is output, all that is asked of it; nothing where all of it is
  * @param options
  *   the confs that the scan was planned with
  */
abstract class LateScan(
    files: FileSourceScanExec,
    val scanFilters: Seq[Expression],
    val joinFilters: Seq[JoinFilter],
    val filterOnly: Seq[Attribute],
    val lookups: Seq[Expression],
    val options: ScanSpec.Options
) extends ExtendedFileScan(files) {

  JoinFiltersInPlan.held(joinFilters)

  override val nodeName: String =
    s"LateScan $relation ${tableIdentifier.map(_.unquotedString).getOrElse("")}"

  override val nodeNamePrefix: String = ""

  override def productArity: Int = super.productArity + 4

  override def productElement(n: Int): Any = n - super.productArity match {
    case 0 => scanFilters
    case 1 => joinFilters
    case 2 => filterOnly
    case 3 => lookups
    case _ => super.productElement(n)
  }

  override def productIterator: Iterator[Any] = Iterator.tabulate(productArity)(productElement)

  override protected def otherCopyArgs: Seq[AnyRef] = Seq(options)

  override def canEqual(other: Any): Boolean = other.isInstanceOf[LateScan]

  override def equals(other: Any): Boolean = other match {
    case that: LateScan =>
      (this eq that) || (super.equals(that) && scanFilters == that.scanFilters &&
        joinFilters == that.joinFilters && filterOnly == that.filterOnly && lookups == that.lookups)
    case _ => false
  }

  override def hashCode(): Int =
    (super.hashCode(), scanFilters, joinFilters, filterOnly, lookups).##

  final override protected def of(scan: FileSourceScanExec): FileSourceScanExec =
    LateScanExec(scan, scanFilters, joinFilters, filterOnly, lookups, options)

  override def producedAttributes: AttributeSet = outputSet ++ AttributeSet(filterOnly)

  /** Filter-only columns keep their names: two scans that differ only in which column they filter
    * by are not the same.
    */
  override def doCanonicalize(): FileSourceScanExec = {
    val hidden = filterOnly.sortBy(_.name)
    val columns = output ++ hidden
    LateScanExec(
      super.doCanonicalize().copy(dataFilters =
        QueryPlan.normalizePredicates(dataFilters, columns)
      ),
      QueryPlan.normalizePredicates(scanFilters, columns),
      joinFilters.map(QueryPlan.normalizeExpressions(_, columns)),
      hidden.zipWithIndex.map { case (a, i) =>
        AttributeReference(a.name, a.dataType)(ExprId(output.size + i))
      },
      lookups.map(QueryPlan.normalizeExpressions(_, columns)).sortBy(_.toString),
      options
    )
  }

  /** What is read of a file: the payload, then what is only filtered by. */
  private def read: Seq[Attribute] = output.take(requiredSchema.length) ++ filterOnly

  /** The conditions as they are evaluated. */
  @transient private[latebloom] lazy val filters: ScanFilters =
    ScanFilters.compile(scanFilters, Nil, read)

  /** Names of the columns that are filtered by, in the order in which they are read. */
  def filterColumns: Seq[String] = filters.filters.flatMap(_.columns).distinct

  /** The conditions as SQL, in the order in which they are evaluated; what takes more than a kernel
    * says so.
    */
  def filterTexts: Seq[String] = filters.filters.map { f =>
    if (f.level == ScanFilters.Kernel) f.filter.text else s"${f.filter.text} [${f.level.name}]"
  }

  /** The payload as people read it: columns, and what is read of those that are not read whole. */
  def payload: Seq[String] = requiredSchema.fieldNames.toSeq.zip(output).flatMap { case (name, a) =>
    val asked = lookups.filter(_.references.contains(a))
    if (asked.isEmpty) Seq(name) else asked.map(ShortSql(_))
  }

  /** The conditions once the subqueries in them have run. */
  @transient private lazy val conditions: Seq[Expression] = scanFilters.map(_.transform {
    case s: ScalarSubquery => Literal.create(s.eval(InternalRow.empty), s.dataType)
  })

  /** What the join filters turned out to be, without those that have too many keys. */
  @transient private lazy val joinKeys: Seq[JoinKeyPredicate] =
    joinFilters.flatMap(JoinKeyPredicate.of(_, sparkContext))

  /** What the readers of the files are told. To be asked once the subqueries have run. */
  @transient lazy val spec: ScanSpec = {
    val filters = ScanFilters.compile(conditions, joinKeys, read)
    val hidden = filterOnly.map(a => StructField(a.name, a.dataType, a.nullable, a.metadata))
    new ScanSpec(
      UUID.randomUUID().toString,
      StructType(requiredSchema ++ hidden),
      requiredSchema.length,
      filters.leaves.asJava,
      Lookups.kept(lookups, output.take(requiredSchema.length)).asJava,
      new ScanSpec.Filters(
        filters.filters.map(_.filter).asJava,
        filters.anyOrder,
        CatalystPredicate(conditions.reduceOption(And).getOrElse(Literal.TrueLiteral), read)
      ),
      options
    )
  }

  /** Keys that a subquery in another scan gathers are waited for when they are asked for. */
  override protected def prepareSubqueries(): Unit = {
    super.prepareSubqueries()
    joinFilters.foreach(_.start())
  }

  @transient private lazy val counters: Map[String, SQLMetric] = Counter.values.map { c =>
    c.key -> (c.kind match {
      case Counter.Kind.COUNT => SQLMetrics.createMetric(sparkContext, c.label)
      case Counter.Kind.BYTES | Counter.Kind.PEAK_BYTES =>
        SQLMetrics.createSizeMetric(sparkContext, c.label)
      case Counter.Kind.NANOS => SQLMetrics.createNanoTimingMetric(sparkContext, c.label)
    })
  }.toMap

  override def metrics: Map[String, SQLMetric] = super.metrics ++ counters

  /** Lists, prunes and splits the files exactly as Spark does, once for both scans. */
  @transient private lazy val inner: FileSourceScanExec =
    innerScan(format.late(spec, joinKeys.flatMap(_.range), counters))

  /** What reads the files. */
  def format: SelectiveFormat = SelectiveFormat.of(relation.fileFormat).get

  override lazy val inputRDD: RDD[InternalRow] =
    if (joinKeys.exists(_.none) && !bucketedScan) {
      sparkContext.emptyRDD
    } else if (conditions.exists(Failure.mayFail)) {
      inner.inputRDD.mapPartitions(new ConditionErrors(_))
    } else {
      inner.inputRDD
    }

  /** Of rows, where what is above takes no batches. */
  override protected def doExecute(): RDD[InternalRow] = {
    val counter = longMetric("numOutputRows")
    val types = schema
    executed.mapPartitions(new UnsafeRows(_, types, counter))
  }

  override lazy val metadata: Map[String, String] = {
    def list(values: Seq[String]) = values.mkString("[", ", ", "]")
    val joins = when(joinFilters.nonEmpty)("JoinFilters" -> list(joinFilters.map(_.text)))
    innerScan(relation.fileFormat).metadata ++ joins ++ Map(
      "FilterColumns" -> list(filterColumns),
      "ScanFilters" -> list(filterTexts),
      "Payload" -> list(payload)
    )
  }
}
