// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.nio.ByteBuffer

import org.apache.hadoop.fs.{FileStatus, Path}

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  BoundReference,
  Expression,
  GenericInternalRow,
  Predicate
}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory, Scan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  FileStatusWithMetadata,
  PartitionDirectory,
  PartitionedFile
}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

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

  private val planned: Seq[Planned] = {
    val ofColumns = columns.ids
    iceberg.tasks(scan).map { task =>
      val constants = iceberg.constants(task).filter(c => ofColumns.contains(c._1)).toMap
      Planned(task, constants, isOurs(task))
    }
  }

  /** Columns with the same transform, identity, in all partition specs of the files. */
  override val partitionSchema: StructType = StructType(columns.columns.filter { c =>
    val id = IcebergColumns.idOf(c)
    planned.nonEmpty && planned.forall(_.constants.get(id).exists(asSparks(c.dataType, _).nonEmpty))
  })

  /** The columns that are read from files. */
  def dataSchema: StructType =
    StructType(plannedBy.schema.filterNot(f => partitionSchema.fieldNames.contains(f.name)))

  private lazy val directories: Seq[PartitionDirectory] = {
    val ofPartition = partitionSchema.map(IcebergColumns.idOf)
    def values(p: Planned) = partitionSchema
      .map(c => asSparks(c.dataType, p.constants(IcebergColumns.idOf(c))).get.value)
    // Zeros of both signs are equal, and stay apart.
    def exact(value: Any): Any = value match {
      case d: Double => java.lang.Double.doubleToLongBits(d)
      case f: Float  => java.lang.Float.floatToIntBits(f)
      case other     => other
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

  /** Iceberg's own scan of the files.
    *
    * @param output
    *   the columns of the relation that the plan has in its place
    * @param isPruned
    *   whether Spark prunes the files when it runs. It would do so for all scans in the plan that
    *   Iceberg has planned as one: those of a join filter's keys as well.
    */
  def ownScan(output: Seq[AttributeReference], isPruned: Boolean): DataSourceV2ScanRelation = {
    val of = if (isPruned) iceberg.copy(scan) else scan
    plannedBy.copy(scan = of, output = output)
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

  final private case class Planned(task: AnyRef, constants: Map[Int, Any], isOurs: Boolean)

  /** Spark's form of a value, which may be null. */
  final private case class Sparks(value: Any)

  /** Spark's form of a partition's value; None if it has none. */
  private def asSparks(dataType: DataType, value: Any): Option[Sparks] =
    if (value == null) Some(Sparks(null))
    else Option(dataType match {
      case BooleanType            => value match { case b: java.lang.Boolean => b; case _ => null }
      case IntegerType | DateType => number(value)(_.intValue)
      case LongType | TimestampType | TimestampNTZType => number(value)(_.longValue)
      case FloatType                                   => number(value)(_.floatValue)
      case DoubleType                                  => number(value)(_.doubleValue)
      case StringType                                  => value match {
          case text: CharSequence => UTF8String.fromString(text.toString)
          case _                  => null
        }
      case d: DecimalType => value match {
          case n: java.math.BigDecimal => Decimal(n, d.precision, d.scale)
          case _                       => null
        }
      case BinaryType => value match {
          case bytes: ByteBuffer =>
            val copied = new Array[Byte](bytes.remaining)
            bytes.duplicate().get(copied)
            copied
          case _ => null
        }
      case _ => null
    }).map(Sparks(_))

  private def number(value: Any)(as: Number => Any): Any = value match {
    case n: Number => as(n)
    case _         => null
  }
}
