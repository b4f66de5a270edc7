// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.lang.reflect.{Field, InvocationTargetException, Method, Modifier}
import java.util.function.{Function => JavaFunction, LongConsumer}

import scala.util.Try

import sun.reflect.ReflectionFactory

import org.apache.spark.sql.connector.read.{InputPartition, Scan}
import org.apache.spark.sql.sources.Filter

import latebloom.line.Compat._

/** The members of Iceberg's classes that the adapter uses, found by name, for the reasons that
  * [[DeltaClasses]] has. Iceberg's scan keeps its tasks and its projection to its own package.
  *
  * Creating an instance looks all members up, so that an Iceberg which lacks one is recognised when
  * a query is planned.
  *
  * @param loader
  *   the class loader of Iceberg's classes
  */
final private[tables] class IcebergClasses(loader: ClassLoader) {
  import IcebergClasses._

  private val iceberg = "org.apache.iceberg"
  private val source = s"$iceberg.spark.source"

  private val sparkScan = load(s"$source.SparkScan")
  private val tableOf = hidden(sparkScan, "table")
  private val filtersOf =
    Try(hidden(sparkScan, "filters")).getOrElse(hidden(sparkScan, "filterExpressions"))
  private val projectionOf =
    Try(hidden(sparkScan, "projection")).getOrElse(hidden(sparkScan, "expectedSchema"))
  private val partitioned = load(s"$source.SparkPartitioningAwareScan")
  private val tasksOf = hidden(partitioned, "tasks")
  private val scanOf = hidden(partitioned, "scan")

  private val expression = load(s"$iceberg.expressions.Expression")
  private val opOf = expression.getMethod("op")
  private val convertFilter =
    load(s"$iceberg.spark.SparkFilters").getMethod("convert", classOf[Filter])
  private val scan = load(s"$iceberg.Scan")
  private val addFilter = scan.getMethod("filter", expression)
  private val planFiles = scan.getMethod("planFiles")

  private val scanTask = load(s"$iceberg.ScanTask")
  private val isFileTask = scanTask.getMethod("isFileScanTask")
  private val isDataTask = scanTask.getMethod("isDataTask")
  private val fileTask = load(s"$iceberg.FileScanTask")
  private val fileOf = load(s"$iceberg.ContentScanTask").getMethod("file")
  private val deletesOf = fileTask.getMethod("deletes")
  private val specOf = load(s"$iceberg.PartitionScanTask").getMethod("spec")
  private val partitionOf = load(s"$iceberg.PartitionScanTask").getMethod("partition")

  private val contentFile = load(s"$iceberg.ContentFile")
  private val locationOf = contentFile.getMethod("location")
  private val formatOf = contentFile.getMethod("format")
  private val contentOf = contentFile.getMethod("content")
  private val sizeOf = contentFile.getMethod("fileSizeInBytes")
  private val keyOf = contentFile.getMethod("keyMetadata")
  private val specIdOf = contentFile.getMethod("specId")
  private val firstRowIdOf = contentFile.getMethod("firstRowId")
  private val sequenceOf = contentFile.getMethod("fileSequenceNumber")

  private val partitionSpec = load(s"$iceberg.PartitionSpec")
  private val fieldsOfSpec = partitionSpec.getMethod("fields")
  private val typeOfSpec = partitionSpec.getMethod("partitionType")
  private val partitionField = load(s"$iceberg.PartitionField")
  private val sourceOf = partitionField.getMethod("sourceId")
  private val transformOf = partitionField.getMethod("transform")
  private val isIdentity = transformOf.getReturnType.getMethod("isIdentity")
  private val valueOf = load(s"$iceberg.StructLike")
    .getMethod("get", Integer.TYPE, classOf[Class[_]])

  private val schema = load(s"$iceberg.Schema")
  private val newSchema = schema.getConstructor(classOf[java.util.List[_]])
  private val columnsOf = schema.getMethod("columns")
  private val toJson = load(s"$iceberg.SchemaParser").getMethod("toJson", schema)
  private val rowPosition = load(s"$iceberg.MetadataColumns").getField("ROW_POSITION").get(null)
  private val nestedField = load(s"$iceberg.types.Types$$NestedField")
  private val idOf = nestedField.getMethod("fieldId")
  private val nameOf = nestedField.getMethod("name")
  private val typeOf = nestedField.getMethod("type")
  private val isOptional = nestedField.getMethod("isOptional")
  private val initialDefault = nestedField.getMethod("initialDefault")
  private val anyType = load(s"$iceberg.types.Type")
  private val typeId = anyType.getMethod("typeId")
  private val asNested = anyType.getMethod("asNestedType")
  private val fieldsOfType = asNested.getReturnType.getMethod("fields")

  private val table = load(s"$iceberg.Table")
  private val typeOfPartitions =
    load(s"$iceberg.Partitioning").getMethod("partitionType", table)
  private val tableLocation = table.getMethod("location")
  private val ioOf = table.getMethod("io")
  private val encryptionOf = table.getMethod("encryption")

  private val newGroup = load(s"$iceberg.BaseScanTaskGroup")
    .getConstructor(classOf[java.util.Collection[_]])
  private val inputPartition = load(s"$source.SparkInputPartition")
  private val group = field(inputPartition, Seq("taskGroup"))
  private val projection = field(inputPartition, Seq("projectionString", "expectedSchemaString"))
  private val tableOfPartition = hidden(inputPartition, "table")

  private val deleteFile = load(s"$iceberg.DeleteFile")
  private val deleteLoader = load(s"$iceberg.data.BaseDeleteLoader")
  private val newLoader = deleteLoader.getConstructor(classOf[JavaFunction[_, _]])
  private val loadPositions = deleteLoader.getMethod(
    "loadPositionDeletes",
    classOf[java.lang.Iterable[_]],
    classOf[CharSequence]
  )
  private val forEach = loadPositions.getReturnType.getMethod("forEach", classOf[LongConsumer])
  private val newInput = ioOf.getReturnType.getMethod("newInputFile", deleteFile)

  /** Iceberg's version. */
  val version: String =
    call[String](load(s"$iceberg.IcebergBuild").getMethod("version"), null)

  /** The scan's tasks, one a data file, planned once. */
  def tasks(of: Scan): Seq[AnyRef] =
    call[java.util.List[AnyRef]](tasksOf, of).asScala.toSeq

  /** Whether Iceberg filters a scan by more than that columns are not null, as for each join. */
  def isFiltered(of: Scan): Boolean = call[java.util.List[AnyRef]](filtersOf, of).asScala
    .exists(f => call[Enum[_]](opOf, f).name != "NOT_NULL")

  def table(of: Scan): AnyRef = call[AnyRef](tableOf, of)

  /** The columns that a scan reads. */
  def columns(of: Scan): Seq[AnyRef] = columns(call[AnyRef](projectionOf, of))

  private def columns(of: AnyRef): Seq[AnyRef] =
    call[java.util.List[AnyRef]](columnsOf, of).asScala.toSeq

  /** Where the files are that may have rows which meet the scan's filters and these.
    *
    * @return
    *   None if Iceberg cannot express any of the filters
    */
  def locations(of: Scan, filters: Seq[Filter]): Option[Set[String]] = {
    val known = filters.flatMap(f => Option(call[AnyRef](convertFilter, null, f)))
    when(known.nonEmpty) {
      val filtered = known.foldLeft(call[AnyRef](scanOf, of))(call[AnyRef](addFilter, _, _))
      val planned = call[java.lang.Iterable[AnyRef] with java.io.Closeable](planFiles, filtered)
      try planned.asScala.map(t => location(file(t))).toSet
      finally planned.close()
    }
  }

  /** Whether a task reads the rows of one data file. */
  def readsFile(task: AnyRef): Boolean =
    fileTask.isInstance(task) && call[Boolean](isFileTask, task) && !call[Boolean](isDataTask, task)

  def file(task: AnyRef): AnyRef = call[AnyRef](fileOf, task)

  def deletes(task: AnyRef): Seq[AnyRef] =
    call[java.util.List[AnyRef]](deletesOf, task).asScala.toSeq

  def location(file: AnyRef): String = call[String](locationOf, file)

  /** `PARQUET`, `ORC`, `AVRO` or `PUFFIN`. */
  def format(file: AnyRef): String = call[Enum[_]](formatOf, file).name

  /** `DATA`, `POSITION_DELETES` or `EQUALITY_DELETES`. */
  def content(file: AnyRef): String = call[Enum[_]](contentOf, file).name

  def bytes(file: AnyRef): Long = call[Long](sizeOf, file)

  def isEncrypted(file: AnyRef): Boolean = call[AnyRef](keyOf, file) != null

  def specId(file: AnyRef): Int = call[Int](specIdOf, file)

  /** The row id of the file's first row, if it has one by its metadata, or null. */
  def firstRowId(file: AnyRef): Any = call[Any](firstRowIdOf, file)

  /** The number of the change that added the file, or null. */
  def sequenceNumber(file: AnyRef): Any = call[Any](sequenceOf, file)

  /** The fields of all partition specs of a scan's table, of which its metadata column is made. */
  def partitionColumns(of: Scan): Seq[AnyRef] =
    fields(call[AnyRef](typeOfPartitions, null, table(of)))

  /** The values of a task's partition, by the ids of its spec's fields. */
  def partition(task: AnyRef): Map[Int, Any] = {
    val partition = call[AnyRef](partitionOf, task)
    fields(call[AnyRef](typeOfSpec, call[AnyRef](specOf, task))).zipWithIndex.map { case (f, i) =>
      id(f) -> call[Any](valueOf, partition, Int.box(i), classOf[Object])
    }.toMap
  }

  /** The identity transforms of a task's partition spec: the id of the column, and its value. */
  def constants(task: AnyRef): Seq[(Int, Any)] = {
    val fields = call[java.util.List[AnyRef]](fieldsOfSpec, call[AnyRef](specOf, task)).asScala
    lazy val partition = call[AnyRef](partitionOf, task)
    fields.zipWithIndex.toSeq.collect {
      case (f, i) if call[Boolean](isIdentity, call[AnyRef](transformOf, f)) =>
        call[Int](sourceOf, f) -> call[Any](valueOf, partition, Int.box(i), classOf[Object])
    }
  }

  def id(field: AnyRef): Int = call[Int](idOf, field)

  def name(field: AnyRef): String = call[String](nameOf, field)

  /** Whether a file may lack the column, which is null in its rows then. */
  def isNullWithout(field: AnyRef): Boolean =
    call[Boolean](isOptional, field) && call[AnyRef](initialDefault, field) == null

  /** The name of a column's type, such as `INTEGER`. */
  def typeName(field: AnyRef): String = call[Enum[_]](typeId, call[AnyRef](typeOf, field)).name

  /** The fields of a struct, the element of a list, the key and the value of a map. */
  def inner(field: AnyRef): Seq[AnyRef] =
    fields(call[AnyRef](asNested, call[AnyRef](typeOf, field)))

  private def fields(nested: AnyRef): Seq[AnyRef] =
    call[java.util.List[AnyRef]](fieldsOfType, nested).asScala.toSeq

  def location(of: Scan): String = call[String](tableLocation, table(of))

  /** The class that opens the files of a scan's table. */
  def fileIO(of: Scan): String = call[AnyRef](ioOf, table(of)).getClass.getName

  def isEncrypted(of: Scan): Boolean =
    call[AnyRef](encryptionOf, table(of)).getClass.getSimpleName != "PlaintextEncryptionManager"

  /** Sets the tasks of an input partition; of one that nobody else has. */
  def setTasks(partition: InputPartition, tasks: Seq[AnyRef]): Unit =
    group.set(partition, newGroup.newInstance(tasks.asJava).asInstanceOf[AnyRef])

  /** Lets an input partition read the numbers of rows in their files after all other columns. */
  def addRowPosition(partition: InputPartition, of: Scan): Unit = {
    val all = new java.util.ArrayList[AnyRef](columns(of).asJava)
    all.add(rowPosition)
    projection.set(
      partition,
      call[String](toJson, null, newSchema.newInstance(all).asInstanceOf[AnyRef])
    )
  }

  /** The rows that a task's position deletes list, in ascending order, read by Iceberg.
    *
    * @param partition
    *   of the task's scan
    */
  def deletedRows(partition: InputPartition, task: AnyRef): Array[Long] = {
    val io = call[AnyRef](ioOf, call[AnyRef](tableOfPartition, partition))
    val open: JavaFunction[AnyRef, AnyRef] = file => call[AnyRef](newInput, io, file)
    val found = call[AnyRef](
      loadPositions,
      newLoader.newInstance(open).asInstanceOf[AnyRef],
      deletes(task).asJava,
      location(file(task))
    )
    val rows = Array.newBuilder[Long]
    val add: LongConsumer = row => rows += row
    call[Unit](forEach, found, add)
    rows.result()
  }

  /** A copy of a scan, whose files Spark can select without changing those of the original. */
  def copy(of: Scan): Scan = {
    val copied = ReflectionFactory.getReflectionFactory
      .newConstructorForSerialization(of.getClass, classOf[Object].getDeclaredConstructor())
      .newInstance()
    Iterator.iterate[Class[_]](of.getClass)(_.getSuperclass).takeWhile(_ != null)
      .flatMap(_.getDeclaredFields)
      .filterNot(f => Modifier.isStatic(f.getModifiers))
      .foreach { f =>
        f.setAccessible(true)
        f.set(
          copied,
          f.get(of) match {
            case list: java.util.ArrayList[_] => new java.util.ArrayList[Any](list)
            case other                        => other
          }
        )
      }
    copied.asInstanceOf[Scan]
  }

  private def load(name: String): Class[_] = Class.forName(name, true, loader)
}

private[tables] object IcebergClasses {

  /** Calls a method, and throws its own exceptions. */
  private def call[A](method: Method, on: AnyRef, arguments: AnyRef*): A =
    try method.invoke(on, arguments: _*).asInstanceOf[A]
    catch { case e: InvocationTargetException => throw e.getCause }

  private def hidden(of: Class[_], name: String): Method = {
    val method = of.getDeclaredMethod(name)
    method.setAccessible(true)
    method
  }

  /** The field with the first of the names that the class has. */
  private def field(of: Class[_], names: Seq[String]): Field = {
    val found = names.flatMap(n => Try(of.getDeclaredField(n)).toOption).headOption
      .getOrElse(throw new NoSuchFieldException(s"${of.getName}.${names.mkString(" or ")}"))
    found.setAccessible(true)
    found
  }

  private val known = new ClassValue[IcebergClasses] {
    override def computeValue(any: Class[_]): IcebergClasses =
      new IcebergClasses(any.getClassLoader)
  }

  /** The members, by way of any class of Iceberg.
    *
    * @throws ReflectiveOperationException
    *   if one is missing; so do LinkageError and IllegalArgumentException say
    */
  def beside(any: Class[_]): IcebergClasses = known.get(any)
}
