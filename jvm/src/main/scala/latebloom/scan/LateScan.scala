// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import java.util.UUID

import scala.collection.immutable.ListMap

import org.apache.hadoop.fs.Path
import org.json4s.JsonAST.{JArray, JField, JObject}
import org.json4s.jackson.JsonMethods.parse

import org.apache.spark.rdd.{PartitionPruningRDD, RDD}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileScanRDD,
  FileStatusWithMetadata,
  PartitionDirectory
}
import org.apache.spark.sql.execution.joinkeys.Patience
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{
  ExecSubqueryExpression,
  FileSourceScanExec,
  SQLExecution,
  ScalarSubquery,
  SparkPlan
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.latebloom.{
  FileBounds,
  KeysToPush,
  LateBloomConf,
  ListedFiles,
  TaskCounters
}
import org.apache.spark.sql.types.{DataType, StructField, StructType}

import latebloom.cache.{PredicateCache, Survivors}
import latebloom.compile.{CatalystPredicate, Failure, Lookups, ScanFilters}
import latebloom.decision.ShortSql
import latebloom.index.IndexedFiles
import latebloom.joinkeys.{FileKeys, JoinFilter, JoinFiltersInPlan, JoinKeyPredicate}
import latebloom.line.Compat._
import latebloom.line.ExtendedFileScan
import latebloom.read.ScanSpec
import latebloom.read.task.Counter
import latebloom.statistics.{ScanSizes, SizeRecorder}
import latebloom.tables.TableFormat
import latebloom.toprows._

/** A scan of files that evaluates filters and outputs the rows that pass.
  *
  * It is a FileSourceScanExec, because much of Spark recognises a file scan by that class. Its
  * additions are product elements, so that code that walks, transforms or compares a plan's
  * expressions includes them. Spark does everything from listing files to assigning splits: an
  * inner scan does it, over the same relation but with a [[LateFormat]] to read a file.
  *
  * @param files
  *   the parameters of Spark's own node, which differ from line to line (see [[ExtendedFileScan]]);
  *   its output are the attributes of the payload, then partition and metadata columns, and its
  *   required schema the payload: columns that are read from files and output
  * @param scanFilters
  *   conditions that this scan evaluates
  * @param joinFilters
  *   filters by the keys of joins that this scan evaluates, once their subqueries have run
  * @param topRows
  *   what a search for the first rows of an order knows of the rows that it needs
  * @param filterOnly
  *   columns of scanFilters and joinFilters that are not output, in the scan's order
  * @param lookups
  *   all uses of an output list or map; empty if the plan uses it whole
  * @param options
  *   the confs at planning time
  */
final class LateScan private[latebloom] (
    files: FileSourceScanExec,
    val scanFilters: Seq[Expression],
    val joinFilters: Seq[JoinFilter],
    val topRows: Seq[TopRowsCondition],
    val filterOnly: Seq[Attribute],
    val lookups: Seq[Expression],
    val options: ScanSpec.Options
) extends ExtendedFileScan(files)
    with BestFirst
    with RemembersSurvivors
    with SkipsByIndex {
  outer =>

  JoinFiltersInPlan.held(joinFilters)

  override val nodeName: String =
    s"${LateScan.Name} $relation ${tableIdentifier.map(_.unquotedString).getOrElse("")}"

  override val nodeNamePrefix: String = ""

  override def productArity: Int = super.productArity + 5

  override def productElement(n: Int): Any = n - super.productArity match {
    case 0 => scanFilters
    case 1 => joinFilters
    case 2 => topRows
    case 3 => filterOnly
    case 4 => lookups
    case _ => super.productElement(n)
  }

  override def productIterator: Iterator[Any] = Iterator.tabulate(productArity)(productElement)

  /** Spark would call a constructor with the elements: its own node has one, of as many as the line
    * has.
    */
  override def makeCopy(elements: Array[AnyRef]): SparkPlan = {
    val (own, added) = elements.splitAt(super.productArity)
    val copy = CurrentOrigin.withOrigin(origin)(inSession {
      new LateScan(
        plain.makeCopy(own).asInstanceOf[FileSourceScanExec],
        added(0).asInstanceOf[Seq[Expression]],
        added(1).asInstanceOf[Seq[JoinFilter]],
        added(2).asInstanceOf[Seq[TopRowsCondition]],
        added(3).asInstanceOf[Seq[Attribute]],
        added(4).asInstanceOf[Seq[Expression]],
        options
      )
    })
    copy.copyTagsFrom(this)
    copy
  }

  /** A node has the session that is active where it is made. */
  private def inSession[A](make: => A): A = {
    val active = SparkSession.getActiveSession
    if (session == null || active.contains(session)) make
    else {
      SparkSession.setActiveSession(session)
      try make
      finally active.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession)
    }
  }

  override def clone(): SparkPlan = makeCopy(mapProductIterator(_.asInstanceOf[AnyRef]))

  /** As Spark writes its own node, with what this one adds. */
  override protected def jsonFields: List[JField] = {
    // Without what all nodes begin with: their class, and how many children they have.
    val own = parse(plain.toJSON).apply(0).asInstanceOf[JObject].obj.drop(2)
    val added = Seq(
      "scanFilters" -> scanFilters,
      "joinFilters" -> joinFilters,
      "topRows" -> topRows,
      "filterOnly" -> filterOnly,
      "lookups" -> lookups
    ).map { case (name, values) => name -> JArray(values.map(v => parse(v.toJSON)).toList) }
    own ++ added
  }

  override def canEqual(other: Any): Boolean = other.isInstanceOf[LateScan]

  override def equals(other: Any): Boolean = other match {
    case that: LateScan =>
      (this eq that) || (super.equals(that) && scanFilters == that.scanFilters &&
        joinFilters == that.joinFilters && topRows == that.topRows &&
        filterOnly == that.filterOnly && lookups == that.lookups &&
        options.distinct == that.options.distinct)
    case _ => false
  }

  override def hashCode(): Int =
    (super.hashCode(), scanFilters, joinFilters, topRows, filterOnly, lookups).##

  override protected def of(scan: FileSourceScanExec): FileSourceScanExec =
    new LateScan(scan, scanFilters, joinFilters, topRows, filterOnly, lookups, options)

  override def producedAttributes: AttributeSet = outputSet ++ AttributeSet(filterOnly)

  /** Filter-only columns keep their names: scans that filter by different columns are different. */
  override def doCanonicalize(): FileSourceScanExec = {
    val hidden = filterOnly.sortBy(_.name)
    val columns = output ++ hidden
    new LateScan(
      super.doCanonicalize().copy(dataFilters =
        QueryPlan.normalizePredicates(dataFilters, columns)
      ),
      QueryPlan.normalizePredicates(scanFilters, columns),
      joinFilters.map(QueryPlan.normalizeExpressions(_, columns)),
      topRows.map(QueryPlan.normalizeExpressions(_, columns)),
      hidden.zipWithIndex.map { case (a, i) =>
        AttributeReference(a.name, a.dataType)(ExprId(output.size + i))
      },
      lookups.map(QueryPlan.normalizeExpressions(_, columns)).sortBy(_.toString),
      options
    )
  }

  /** The columns read from files: the payload, then the filter-only columns. */
  private[latebloom] def read: Seq[Attribute] = output.take(requiredSchema.length) ++ filterOnly

  /** The conditions in the readers' form. */
  @transient private[latebloom] lazy val filters: ScanFilters =
    ScanFilters.compile(scanFilters, Nil, read)

  /** Names of the filter columns, in reading order. */
  def filterColumns: Seq[String] = filters.filters.flatMap(_.columns).distinct

  /** The conditions as SQL, in order of evaluation, with the level of those that need more than a
    * kernel.
    */
  def filterTexts: Seq[String] = filters.filters.map { f =>
    if (f.level == ScanFilters.Kernel) f.filter.text else s"${f.filter.text} [${f.level.name}]"
  }

  /** The payload for people: columns, or the parts that are read of a column. */
  def payload: Seq[String] = requiredSchema.fieldNames.toSeq.zip(output).flatMap { case (name, a) =>
    val asked = lookups.filter(_.references.contains(a))
    if (asked.isEmpty) Seq(name) else asked.map(ShortSql(_))
  }

  /** The conditions once the subqueries in them have run. */
  @transient private lazy val conditions: Seq[Expression] = scanFilters.map(withValues)

  /** A condition with the values of the subqueries in it, which have run. */
  private def withValues(condition: Expression): Expression = condition.transform {
    case s: ScalarSubquery => Literal.create(s.eval(InternalRow.empty), s.dataType)
  }

  /** The join filters, without those that have too many keys. */
  @transient private lazy val joinKeys: Seq[JoinKeyPredicate] =
    if (joinFilters.isEmpty) Nil
    else {
      val times = LateBloomConf.settings(conf).join.patience
      val patience = Patience.of(sparkContext, times * mostSaved)
      joinFilters.flatMap(JoinKeyPredicate.of(_, sparkContext, patience))
    }

  /** Those that may leave out rows of a file that is read. */
  private def rowKeys: Seq[JoinKeyPredicate] = joinKeys.filterNot(_.onlyFiles)

  /** The bounds of searches that look through this scan. */
  private def bounds: Seq[BoundPredicate] = topRows.collect { case w: WithinBound => w }
    .flatMap(BoundPredicate.of)

  /** The rows that a search has found, if all of their files are among those of this scan: a table
    * may have been written to between the two listings.
    */
  @transient private lazy val wanted: Option[WantedRows] = {
    val found = topRows.collectFirst { case AmongTopRows(_, s: ExecSubqueryExpression, _) => s }
    for {
      subquery <- found
      bytes <- Option(subquery.eval(InternalRow.empty).asInstanceOf[Array[Byte]])
      listed = directories(dynamicallySelectedPartitions).flatMap(_.files).map(_.getPath)
      rows <- WantedRows.among(listed, RowsOfFiles.deserialize(bytes), relation.fileFormat)
    } yield rows
  }

  /** Seconds of a core that the join filters can save this scan, or one that waits for its keys; at
    * least what it takes to begin a job, which the keys need too.
    */
  private def mostSaved: Double = {
    val bytes = joinFilters.map(_.bytesBehind).max.max(filesSize)
    (reading(bytes) * (1 - ScanHistory.passing(joinsInHistory))).max(LateScan.JobStart)
  }

  /** Seconds of a core to read this scan's columns of files of so many bytes. */
  private def reading(bytes: Long): Double = {
    def width(types: Seq[DataType]) = types.map(_.defaultSize.toDouble).sum
    val share = width(read.map(_.dataType)) / width(relation.dataSchema.map(_.dataType)).max(1)
    bytes * share.min(1) / ScanHistory.speed
  }

  /** Bytes of the files, before keys exclude some. */
  private def filesSize: Long = {
    dynamicallySelectedPartitions // counts them
    driverMetrics.get("filesSize").fold(0L)(_.value)
  }

  private def joinsInHistory: String =
    (relation.location.rootPaths ++ joinFilters.map(_.text)).mkString("\n")

  /** All filters of rows, once the subqueries have run. */
  @transient private lazy val compiled: ScanFilters =
    ScanFilters.compile(conditions, rowKeys.filterNot(_.isOf(partitions)) ++ bounds, read)

  /** The work of the files' readers, available once the subqueries have run. */
  @transient lazy val spec: ScanSpec = {
    val hidden = filterOnly.map(a => StructField(a.name, a.dataType, a.nullable, a.metadata))
    val work = new ScanSpec(
      UUID.randomUUID().toString,
      StructType(requiredSchema ++ hidden),
      requiredSchema.length,
      compiled.leaves.asJava,
      Lookups.kept(lookups, output.take(requiredSchema.length)).asJava,
      new ScanSpec.Filters(
        compiled.filters.map(_.filter).asJava,
        compiled.anyOrder,
        // Of rows before any filter: the output of a filtered column is never null, its input is.
        CatalystPredicate(
          conditions.reduceOption(And).getOrElse(Literal.TrueLiteral),
          read.map(_.withNullability(true))
        )
      ),
      options
    )
    begun = Some(work)
    work
  }

  /** Starts to gather the keys, by another scan's subquery, too. */
  override protected def prepareSubqueries(): Unit = {
    super.prepareSubqueries()
    joinFilters.foreach(_.start())
  }

  @transient private var waited = false

  /** Waits for the subqueries in conditions. Keys are waited for when they are used, and only as
    * long as that pays.
    */
  override protected def waitForSubqueries(): Unit = synchronized {
    if (!waited) {
      for {
        condition <- expressions if !isGathered(condition)
        subquery <- condition.collect { case s: ExecSubqueryExpression => s }
      } subquery.updateResult()
      waited = true
    }
  }

  private def isGathered(condition: Expression) = condition match {
    case join: JoinFilter => join.isGathered
    case _                => false
  }

  @transient private lazy val totals: ScanTotals = ScanTotals.of(sparkContext)

  /** The work once it has begun. */
  @transient @volatile private var begun: Option[ScanSpec] = None

  /** What each filter has done so far; empty before the query runs. */
  def filterOutcomes: Seq[FilterOutcome] = begun.toSeq.flatMap(totals.filterOutcomes)

  /** What was read so far of each column; empty before the query runs. */
  def columnOutcomes: Seq[ColumnOutcome] = begun.toSeq.flatMap(totals.columnOutcomes)

  @transient private lazy val counters: Map[String, SQLMetric] = Counter.values.map { c =>
    c.key -> (c.kind match {
      case Counter.Kind.COUNT => SQLMetrics.createMetric(sparkContext, c.label)
      case Counter.Kind.BYTES | Counter.Kind.PEAK_BYTES =>
        SQLMetrics.createSizeMetric(sparkContext, c.label)
      case Counter.Kind.NANOS => SQLMetrics.createNanoTimingMetric(sparkContext, c.label)
    })
  }.toMap

  override def metrics: Map[String, SQLMetric] = ordered

  /** In the order of the funnel, in which the Spark UI lists them: files, what is left out and read
    * of them, the rows that are returned.
    */
  @transient private lazy val ordered: Map[String, SQLMetric] = {
    val (returned, files) = super.metrics.toSeq.sortBy(_._1).partition(_._1 == "numOutputRows")
    ListMap(files ++ Counter.values.map(c => c.key -> counters(c.key)) ++ returned: _*)
  }

  /** Lists, prunes and splits the files exactly as Spark does, once for both scans. */
  @transient private lazy val inner: FileSourceScanExec = innerScan(format.late(work))

  private def work: ScanWork = workFor(rowKeys.flatMap(_.pushed(read)) ++ bounds.map(_.pushed))
    .copy(
      files = fileKeys(rowKeys),
      known = KnownRows(wanted, survivors, indexed),
      totals = totals.recording(sizes)
    )

  /** The work on files all of which are read.
    *
    * @param keys
    *   the keys of joins on columns, for statistics
    */
  private[latebloom] def workFor(keys: Seq[KeysToPush]): ScanWork =
    ScanWork(
      spec,
      keys,
      Nil,
      KnownRows(None, None, None),
      None,
      new TaskCounters(counters),
      totals
    )

  @transient private lazy val fileConditions =
    new FileConditions(relation, settingsOfReaders, read, spec.columns)

  /** What earlier scans found of the survivors. */
  @transient private lazy val survivors: Option[Survivors] = survivorsOf(
    spec.id,
    fileConditions,
    compiled.filters.map(_.origin),
    dataFilters.map(withValues),
    directories(dynamicallySelectedPartitions).flatMap(_.files)
  )

  /** Counts the rows for later plans, unless more than the conditions decides which are returned.
    */
  @transient private lazy val sizes: Option[SizeRecorder] = {
    val all = joinFilters.isEmpty && topRows.isEmpty && !options.isLimited && !options.distinct
    for {
      _ <- when(all && LateBloomConf.settings(conf).statistics.enabled)(())
      condition <- fileConditions((conditions ++ dataFilters.map(withValues)).distinct, Nil)
      listed = directories(dynamicallySelectedPartitions).flatMap(_.files)
      files <- ScanSizes.Files.of(FileConditions.states(listed))
    } yield SizeRecorder(condition, files, requiredSchema, sparkContext)
  }

  /** What a skip index knows of the files. */
  @transient private lazy val indexed: Option[IndexedFiles] = indexedOf(
    spec,
    read,
    (conditions ++ dataFilters.map(withValues)).distinct,
    rowKeys.filterNot(_.isOf(partitions)),
    directories(dynamicallySelectedPartitions).flatMap(_.files)
  )

  /** What the keys say of files before they are opened. */
  private def fileKeys(of: Seq[JoinKeyPredicate]): Seq[FileKeys] = {
    val buckets = for {
      spec <- relation.bucketSpec
      Seq(name) <- when(conf.bucketingEnabled)(spec.bucketColumnNames)
      column <- read.find(_.name == name)
    } yield FileKeys.Buckets(column, spec.numBuckets)
    of.flatMap(_.ofFiles(partitions, buckets))
  }

  /** The partition columns, in their order. */
  private def partitions: Seq[Attribute] = {
    val found = relation.partitionSchema.map(c => output.find(_.name == c.name))
    if (found.forall(_.nonEmpty)) found.flatten else Nil
  }

  /** Lists the files as Spark does, with the filters in the words of the table. */
  @transient override lazy val selectedPartitions: Listing = {
    def asListed(filters: Seq[Expression]) =
      format.table.fold(filters)(_.asListed(relation.location, filters))
    val listing = plain.copy(
      partitionFilters = asListed(partitionFilters),
      dataFilters = asListed(dataFilters)
    )
    new ExtendedFileScan(listing) {
      override protected def of(scan: FileSourceScanExec): FileSourceScanExec = scan
      override lazy val driverMetrics: Map[String, SQLMetric] = outer.driverMetrics
      override def metrics: Map[String, SQLMetric] = outer.metrics
    }.selectedPartitions
  }

  /** The files that have no rows with the keys by the statistics of their table, if it is worth
    * asking it.
    */
  @transient private lazy val excludedByTable: Option[Path => Boolean] = for {
    table <- format.table if table.prunes(relation.location)
    conditions <- Some(joinKeys.flatMap(_.conditions)) if conditions.nonEmpty
    columns = AttributeSet(conditions.flatMap(_.references)).toSeq.map(_.name).sorted
    about = (relation.location.rootPaths ++ columns).mkString("\n")
    if asksTable(about)
  } yield excludedBy(table, conditions, about)

  /** Whether the files are worth a question. */
  private def asksTable(about: String): Boolean = {
    val least = LateBloomConf.settings(conf).join.relistBytes
    val opening = driverMetrics.get("numFiles").fold(0L)(_.value) * LateScan.Opening
    least == 0 || filesSize >= least && TableAsks.pays(about, reading(filesSize) + opening)
  }

  private def excludedBy(
      table: TableFormat,
      conditions: Seq[Expression],
      about: String
  ): Path => Boolean = {
    def known(filters: Seq[Expression]) =
      filters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))
    val listed = directories(dynamicallySelectedPartitions).flatMap(_.files)
    val start = System.nanoTime()
    val excludes = withJavaTime(table.excludes(
      relation.location,
      known(partitionFilters),
      known(dataFilters),
      conditions
    ))
    val seconds = (System.nanoTime() - start) / 1e9 * sparkContext.defaultParallelism.min(8)
    val excluded = listed.filter(f => excludes(f.getPath)).map(_.getLen).sum
    TableAsks.answered(about, seconds, excluded.toDouble / filesSize.max(1))
    excludes
  }

  /** The files that may have rows with the keys, as far as they are known by now. */
  private def notExcluded(listing: Listing): Listing = {
    val keys = fileKeys(joinKeys)
    def isExcluded(partition: InternalRow, file: FileStatusWithMetadata) =
      wanted.exists(_.exclude(file.getPath)) ||
        keys.exists(_.exclude(partition, file.getPath.getName)) ||
        excludedByTable.exists(_(file.getPath))
    def hasNoSurvivor(partition: InternalRow, file: FileStatusWithMetadata) =
      survivors.exists(_.exclude(file.getPath, file.getLen))
    val few = keys.nonEmpty || excludedByTable.nonEmpty || wanted.nonEmpty
    val (byKeys, excluded) = if (few) without(listing, isExcluded) else (listing, 0)
    val (left, remembered) =
      if (survivors.exists(_.knowsFiles)) without(byKeys, hasNoSurvivor) else (byKeys, 0)
    if (excluded > 0) countOnDriver(Counter.FILES_EXCLUDED, excluded)
    if (remembered > 0) {
      countOnDriver(Counter.SPLITS_REMEMBERED, remembered)
      PredicateCache.saved(remembered, 0)
    }
    left
  }

  /** The listing without some files, and how many these are. */
  private def without(
      listing: Listing,
      isLeftOut: (InternalRow, FileStatusWithMetadata) => Boolean
  ): (Listing, Int) = {
    val all = directories(listing)
    val kept = all.map(d => d.copy(files = d.files.filterNot(isLeftOut(d.values, _))))
    val leftOut = all.map(_.files.size).sum - kept.map(_.files.size).sum
    if (leftOut == 0) (listing, 0) else (listingOf(kept.filter(_.files.nonEmpty)), leftOut)
  }

  private def countOnDriver(counter: Counter, n: Long): Unit = {
    val metric = counters(counter.key)
    metric.add(n)
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, Seq(metric))
  }

  private def listingOf(directories: Seq[PartitionDirectory]): Listing = plain.copy(
    relation = relation.copy(location = new ListedFiles(relation.location, directories))(
      relation.sparkSession
    ),
    partitionFilters = Nil,
    dataFilters = Nil
  ).selectedPartitions

  /** Spark's scan of the same files, read as this format: listed, pruned and split once for both.
    */
  private def innerScan(format: FileFormat): FileSourceScanExec =
    new ExtendedFileScan(
      plain.copy(relation = relation.copy(fileFormat = format)(relation.sparkSession))
    ) {
      override protected def of(scan: FileSourceScanExec): FileSourceScanExec = scan
      override lazy val driverMetrics: Map[String, SQLMetric] = outer.driverMetrics
      override def metrics: Map[String, SQLMetric] = outer.metrics
      @transient override lazy val selectedPartitions: Listing = outer.selectedPartitions
      @transient override protected lazy val dynamicallySelectedPartitions: Listing =
        notExcluded(outer.dynamicallySelectedPartitions)
    }

  override def bestFirst: Option[Seq[Int]] =
    bounds.headOption.flatMap { b =>
      val column = spec.column(spec.columns.indexWhere(_.name == b.column.get.name))
      val inFiles = format.table.fold(column.name)(_.nameInFiles(column))
      val order = FileBounds.Order(inFiles, b.isDescending, b.isNullsFirst)
      val hadoopConf = relation.sparkSession.sessionState.newHadoopConfWithOptions(relation.options)
      inner.inputRDD match {
        case rows: FileScanRDD =>
          val files = rows.filePartitions.map(_.files.toSeq)
          FileBounds.bestFirst(files, order, format.firstValues(order, hadoopConf))
        case _ => None
      }
    }

  /** The format that reads the files. */
  def format: SelectiveFormat = SelectiveFormat.of(relation.fileFormat).get

  override lazy val inputRDD: RDD[InternalRow] = {
    val rows = read(inner)
    rows match {
      case files: FileScanRDD =>
        sizes.foreach(_.expect(files.filePartitions.map(_.files.length).sum))
      case _ =>
    }
    rows
  }

  /** The counts and extremes of the rows of each split. */
  private[scan] def aggregated(aggregation: Aggregation): RDD[InternalRow] = executeQuery {
    read(innerScan(format.late(work.copy(aggregation = Some(aggregation)))))
  }

  private def read(by: => FileSourceScanExec): RDD[InternalRow] =
    if (joinKeys.exists(_.none) && !bucketedScan) {
      sparkContext.emptyRDD
    } else {
      ScanHistory.add(joinsInHistory, metrics)
      val rows = withRows(withJavaTime(by.inputRDD))
      if (conditions.exists(Failure.mayFail)) rows.mapPartitions(new ConditionErrors(_)) else rows
    }

  /** Without the tasks that would find none of the rows that a search has found. */
  private def withRows(rows: RDD[InternalRow]): RDD[InternalRow] = (rows, wanted) match {
    case (files: FileScanRDD, Some(few)) if !bucketedScan =>
      val partitions = files.filePartitions
      def isEmpty(i: Int) = partitions(i).files.forall(few.exclude)
      val (empty, others) = partitions.indices.partition(isEmpty)
      if (empty.isEmpty) rows
      else {
        countOnDriver(Counter.SPLITS_NOT_BEST, empty.map(partitions(_).files.length).sum)
        PartitionPruningRDD.create(rows, others.toSet)
      }
    case _ => rows
  }

  /** Spark pushes days and instants down as values of `java.sql` if the session asks for such.
    * These lack the days 1582-10-05 to 1582-10-14, and days that a time zone skipped, so that a
    * condition on one of them would become one on another day.
    */
  private def withJavaTime[A](body: => A): A =
    if (conf.datetimeJava8ApiEnabled) body
    else {
      val exact = conf.clone()
      exact.setConf(SQLConf.DATETIME_JAVA8API_ENABLED, true)
      SQLConf.withExistingConf(exact)(body)
    }

  /** Returns rows, for a plan that takes no batches. */
  override protected def doExecute(): RDD[InternalRow] = {
    val counter = longMetric("numOutputRows")
    val types = schema
    executed.mapPartitions(new UnsafeRows(_, types, counter))
  }

  override lazy val metadata: Map[String, String] = {
    def list(values: Seq[String]) = values.mkString("[", ", ", "]")
    val joins = when(joinFilters.nonEmpty)("JoinFilters" -> list(joinFilters.map(_.text)))
    val top = when(topRows.nonEmpty)("TopRows" -> list(topRows.map(_.text)))
    val limit = when(options.isLimited)("Limit" -> s"${options.wantedRows}")
    val distinct = when(options.distinct)("Rows" -> "distinct")
    val live = when(format.table.exists(_.deletesRows))("DeletedRows" -> "left out")
    innerScan(relation.fileFormat).metadata ++ joins ++ top ++ limit ++ distinct ++ live ++ Map(
      "FilterColumns" -> list(filterColumns),
      "ScanFilters" -> list(filterTexts),
      "Payload" -> list(payload)
    )
  }
}

private[latebloom] object LateScan {

  /** What the names of its nodes begin with. */
  val Name = "LateScan"

  /** Seconds of a core. */
  private val JobStart = 0.1

  /** Seconds of a core to open a file and read its footer. */
  private val Opening = 0.005
}
