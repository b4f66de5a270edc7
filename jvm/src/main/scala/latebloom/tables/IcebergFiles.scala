// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.hadoop.fs.{FileStatus, Path}

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeMap,
  AttributeReference,
  AttributeSet,
  BoundReference,
  Expression,
  GenericInternalRow,
  Predicate
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory, Scan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  FileStatusWithMetadata,
  LogicalRelation,
  PartitionDirectory,
  PartitionedFile
}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._

import latebloom.tables.IcebergValues.{Sparks, asSparks}

/** What Iceberg says of a data file, for the tasks that read it.
  *
  * @param task
  *   Iceberg's own task, which reads the whole file
  * @param isOurs
  *   whether LateBloom may read it
  * @param constants
  *   the ids of columns whose value is the file's partition's, unless Spark has it from there
  */
final private[tables] case class IcebergFile(task: AnyRef, isOurs: Boolean, constants: Seq[Int])

private[tables] object IcebergFile {

  /** The constant of a file that holds this. */
  val Key = "latebloom.iceberg"

  def of(file: PartitionedFile): IcebergFile =
    file.otherConstantMetadataColumnValues(Key).asInstanceOf[IcebergFile]
}

/** The data files that Iceberg has planned for a scan. They stay the same, although Iceberg's own
  * scan may select some of them when it runs.
  *
  * @param plannedBy
  *   the node of the scan in Spark's plan
  * @param columns
  *   those that the scan reads
  */
final private[latebloom] class IcebergFiles private[tables] (
    val plannedBy: DataSourceV2ScanRelation,
    val columns: IcebergColumns,
    iceberg: IcebergClasses
) extends FileIndex {
  import IcebergFiles._

  private def scan: Scan = plannedBy.scan

  /** The metadata columns that the scan reads. */
  private[tables] val metadata = new IcebergMetadata(plannedBy, iceberg)

  private val planned: Seq[Planned] = {
    val ofColumns = columns.ids
    iceberg.tasks(scan).map { task =>
      val constants = iceberg.constants(task).filter(c => ofColumns.contains(c._1)).toMap
      val ours = isOurs(task) && metadata.areIn(task)
      Planned(task, constants, metadata.values(task, ours), ours)
    }
  }

  /** Columns with the same transform, identity, in all partition specs of the files. */
  private val identities: Seq[StructField] = columns.columns.filter { c =>
    val id = IcebergColumns.idOf(c)
    planned.nonEmpty && planned.forall(_.constants.get(id).exists(asSparks(c.dataType, _).nonEmpty))
  }

  /** These columns, and the metadata that all rows of a file have in common. */
  override val partitionSchema: StructType = StructType(identities ++ metadata.constants)

  /** The columns that are read from files, or counted. */
  def dataSchema: StructType = StructType(
    metadata.output.filterNot(a => partitionSchema.fieldNames.contains(a.name))
      .map(a => StructField(a.name, a.dataType, a.nullable, a.metadata))
  )

  /** A metadata column of whose values Spark has no form. */
  def unknown: Option[String] = metadata.constants.zipWithIndex.collectFirst {
    case (c, i) if planned.exists(_.metadata(i).isEmpty) => c.name
  }

  private lazy val directories: Seq[PartitionDirectory] = {
    val ofPartition = identities.map(IcebergColumns.idOf)
    def values(p: Planned): Seq[Any] =
      identities.map(c => asSparks(c.dataType, p.constants(IcebergColumns.idOf(c))).get.value) ++
        p.metadata.map(_.get.value)
    // Zeros of both signs are equal, and stay apart.
    def exact(value: Any): Any = value match {
      case d: Double               => java.lang.Double.doubleToLongBits(d)
      case f: Float                => java.lang.Float.floatToIntBits(f)
      case row: GenericInternalRow => row.values.toSeq.map(exact)
      case other                   => other
    }
    planned.groupBy(values(_).map(exact)).values.toSeq.map { files =>
      val row = values(files.head)
      PartitionDirectory(
        new GenericInternalRow(row.toArray[Any]),
        files.map { p =>
          val told = IcebergFile(p.task, p.isOurs, (p.constants -- ofPartition).keys.toSeq)
          FileStatusWithMetadata(status(p), Map(IcebergFile.Key -> told))
        }
      )
    }
  }

  private def status(p: Planned) = {
    val file = iceberg.file(p.task)
    new FileStatus(iceberg.bytes(file), false, 0, 0, 0, new Path(iceberg.location(file)))
  }

  private def isOurs(task: AnyRef): Boolean = iceberg.readsFile(task) && {
    val file = iceberg.file(task)
    val path = iceberg.location(file)
    iceberg.format(file) == "PARQUET" && !iceberg.isEncrypted(file) &&
    // Hadoop may see another path in some texts.
    new Path(path).toString == path.replaceFirst("^file:///", "file:/") &&
    iceberg.deletes(task).forall { d =>
      iceberg.content(d) == "POSITION_DELETES" && !iceberg.isEncrypted(d)
    }
  }

  /** Whether LateBloom may read any of the files. */
  def hasOurs: Boolean = planned.exists(_.isOurs)

  /** Whether rows of any of the files that LateBloom may read are deleted. */
  lazy val deletesRows: Boolean =
    planned.exists(p => p.isOurs && iceberg.deletes(p.task).nonEmpty)

  /** Whether Iceberg has left out files by conditions of the query. */
  def isFiltered: Boolean = iceberg.isFiltered(scan)

  private lazy val unsplit = planned.filterNot(_.isOurs).map(status(_).getPath).toSet

  /** Whether tasks may share a file. Iceberg's reader gets it whole. */
  def isSplitable(path: Path): Boolean = !unsplit(path)

  /** The plan with Iceberg's own scan of the files.
    *
    * @param relation
    *   what the plan has in its place
    * @param isPruned
    *   whether Spark prunes the files when it runs. It would do so for all scans in the plan that
    *   Iceberg has planned as one: those of a join filter's keys as well.
    */
  def ownScan(plan: LogicalPlan, relation: LogicalRelation, isPruned: Boolean): LogicalPlan = {
    val of = if (isPruned) iceberg.copy(scan) else scan
    val asked = metadata.asked(relation.output)
    val hidden = AttributeSet(relation.output) -- asked
    val columns = AttributeMap(plannedBy.output.zip(asked))
    val groups = plannedBy.keyGroupedPartitioning.map(_.map(_.transform { case a: Attribute =>
      columns.getOrElse(a, a)
    }))
    metadata.whole(plan, hidden).transform {
      case r: LogicalRelation if r eq relation =>
        plannedBy.copy(scan = of, output = asked, keyGroupedPartitioning = groups)
    }
  }

  override def rootPaths: Seq[Path] = Seq(new Path(iceberg.location(scan)))

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] =
    partitionFilters.reduceOption(And).fold(directories) { filter =>
      val bound = Predicate.createInterpreted(filter.transform { case a: AttributeReference =>
        val i = partitionSchema.fieldNames.indexWhere(_.equalsIgnoreCase(a.name))
        BoundReference(i, partitionSchema(i).dataType, nullable = true)
      })
      bound.initialize(0)
      directories.filter(d => bound.eval(d.values))
    }

  /** Says of a file whether Iceberg would leave it out with these filters, too. */
  def excludes(filters: Seq[Filter]): Path => Boolean =
    iceberg.locations(scan, filters) match {
      case Some(kept) =>
        val paths = kept.map(new Path(_))
        path => !paths(path)
      case None => _ => false
    }

  override def inputFiles: Array[String] =
    directories.flatMap(_.files).map(_.getPath.toString).toArray

  override def refresh(): Unit = ()

  override lazy val sizeInBytes: Long = planned.map(p => iceberg.bytes(iceberg.file(p.task))).sum

  /** What Iceberg's readers in tasks need, without any file. */
  private[tables] lazy val partition: InputPartition = withoutFiles()

  /** The same, to read the numbers of rows in their files as well, after all columns. */
  private[tables] lazy val partitionWithPosition: InputPartition = {
    val one = withoutFiles()
    iceberg.addRowPosition(one, scan)
    one
  }

  /** Makes one that nobody else has. */
  private def withoutFiles(): InputPartition = {
    val one = scan.toBatch.planInputPartitions().head
    iceberg.setTasks(one, Nil)
    one
  }

  private[tables] def readers: PartitionReaderFactory = scan.toBatch.createReaderFactory()

  override def equals(other: Any): Boolean = other match {
    case that: IcebergFiles => (this eq that) || scan == that.scan
    case _                  => false
  }

  override def hashCode(): Int = scan.hashCode
}

private[tables] object IcebergFiles {

  /** @param constants
    *   the values of columns that are partitioned by identity, by ids
    * @param metadata
    *   the values of metadata columns
    */
  final private case class Planned(
      task: AnyRef,
      constants: Map[Int, Any],
      metadata: Seq[Option[Sparks]],
      isOurs: Boolean
  )
}
