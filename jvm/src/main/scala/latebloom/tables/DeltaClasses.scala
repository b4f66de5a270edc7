// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.lang.reflect.{InvocationTargetException, Method}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

/** The members of Delta's classes that the adapter uses, found by name.
  *
  * LateBloom is not compiled against Delta: one jar of ours meets several releases of Delta on a
  * line of Spark, and none on another; and where the jars are attached in different ways, the class
  * loader that has our classes does not see Delta's, while the plan's own objects lead to theirs.
  *
  * Creating an instance looks all members up, so that a Delta which lacks one is recognised when a
  * query is planned.
  *
  * @param loader
  *   the class loader of Delta's classes
  */
final private[tables] class DeltaClasses(loader: ClassLoader) {
  import DeltaClasses._

  private val delta = "org.apache.spark.sql.delta"

  private val format = load(s"$delta.DeltaParquetFileFormat")
  private val protocol = load(s"$delta.actions.Protocol")
  private val descriptor = load(s"$delta.actions.DeletionVectorDescriptor")
  private val storedBitmap = load(s"$delta.deletionvectors.StoredBitmap")
  private val bitmap = load(s"$delta.deletionvectors.RoaringBitmapArray")
  private val vectorStore = load(s"$delta.storage.dv.DeletionVectorStore")

  private val prepareSchemaForRead = format.getMethod("prepareSchemaForRead", classOf[StructType])
  private val columnMappingMode = format.getMethod("columnMappingMode")
  private val modeName = columnMappingMode.getReturnType.getMethod("name")
  private val protocolOf = format.getMethod("protocol")
  private val tablePathOf = format.getMethod("tablePath")
  private val isOptimized = format.getMethod("optimizationsEnabled")
  private val readerFeaturesOf = protocol.getMethod("readerFeatures")

  private val listed = load(s"$delta.files.TahoeBatchFileIndex")
  private val snapshot = load(s"$delta.Snapshot")
  private val snapshotOf = listed.getMethod("snapshot")
  private val absolutePath = listed.getMethod("absolutePath", classOf[String])
  private val filesForScan =
    snapshot.getMethod("filesForScan", classOf[Seq[Expression]], classOf[Boolean])
  private val filesOf = filesForScan.getReturnType.getMethod("files")
  private val pathOf = load(s"$delta.actions.AddFile").getMethod("path")

  private val preparedScan =
    load(s"$delta.stats.PreparedDeltaFileIndex").getMethod("preparedScan")
  private val allFilters = preparedScan.getReturnType.getMethod("allFilters")

  private val descriptors = new Companion(s"$delta.actions.DeletionVectorDescriptor")
  private val decode = descriptors.method("deserializeFromBase64", classOf[String])
  private val cardinality = descriptor.getMethod("cardinality")
  private val bitmaps = new Companion(s"$delta.deletionvectors.StoredBitmap")
  private val stored = bitmaps.method("create", descriptor, classOf[Path])
  private val stores = new Companion(s"$delta.storage.dv.DeletionVectorStore")
  private val storeOf = stores.method("createInstance", classOf[Configuration])
  private val loadBitmap = storedBitmap.getMethod("load", vectorStore)
  private val rowsOf = bitmap.getMethod("toArray")
  require(rowsOf.getReturnType == classOf[Array[Long]], s"$rowsOf has another type")

  /** Delta's version. */
  val version: String = {
    val io = new Companion("io.delta.package")
    call[String](io.method("VERSION"), io.instance)
  }

  /** The names of the types of the parameters of Delta's file format. */
  val formatParameters: Seq[String] =
    format.getConstructors.toSeq.flatMap(_.getParameterTypes.map(_.getSimpleName))

  def physicalSchema(format: AnyRef, logical: StructType): StructType =
    call[StructType](prepareSchemaForRead, format, logical)

  /** `none`, `name` or `id`. */
  def columnMapping(format: AnyRef): String =
    call[String](modeName, call[AnyRef](columnMappingMode, format))

  /** Where the table's deletion vectors are, if the scan applies them. */
  def tablePath(format: AnyRef): Option[String] = call[Option[String]](tablePathOf, format)

  /** Whether a scan with deletion vectors takes the numbers of rows from Spark's reader. */
  def takesRowIndex(format: AnyRef): Boolean =
    call[java.lang.Boolean](isOptimized, format).booleanValue

  /** The features that a reader of the table must know. */
  def readerFeatures(format: AnyRef): Set[String] =
    call[Option[Set[String]]](readerFeaturesOf, call[AnyRef](protocolOf, format))
      .getOrElse(Set.empty)

  /** The rows that a deletion vector lists, in ascending order, read and checked by Delta.
    *
    * @param encoded
    *   the vector's descriptor
    */
  def deletionVector(encoded: String, tablePath: String, conf: Configuration): Array[Long] = {
    val vector = call[AnyRef](decode, descriptors.instance, encoded)
    if (call[java.lang.Long](cardinality, vector) == 0L) {
      Array.empty
    } else {
      val found = call[AnyRef](stored, bitmaps.instance, vector, new Path(tablePath))
      val read = call[AnyRef](loadBitmap, found, call[AnyRef](storeOf, stores.instance, conf))
      call[Array[Long]](rowsOf, read)
    }
  }

  /** The filters that the files of a file index were selected by.
    *
    * @param index
    *   a `PreparedDeltaFileIndex`
    */
  def preparedFilters(index: AnyRef): Seq[Expression] =
    call[Iterable[Expression]](allFilters, call[AnyRef](preparedScan, index)).toSeq

  /** The files of a file index's snapshot that may have rows which meet the conditions, by Delta's
    * statistics; none if the index has not a whole snapshot.
    *
    * @param index
    *   a `TahoeBatchFileIndex`
    */
  def filesOfSnapshot(index: AnyRef, conditions: Seq[Expression]): Set[Path] = {
    val of = call[AnyRef](snapshotOf, index)
    if (!snapshot.isInstance(of)) Set.empty
    else {
      val scan = call[AnyRef](filesForScan, of, conditions, java.lang.Boolean.FALSE)
      call[Seq[AnyRef]](filesOf, scan)
        .map(file => call[Path](absolutePath, index, call[String](pathOf, file))).toSet
    }
  }

  private def load(name: String): Class[_] = Class.forName(name, true, loader)

  /** A Scala object. */
  private class Companion(name: String) {
    private val ofObject = load(name + "$")
    val instance: AnyRef = ofObject.getField("MODULE$").get(null)
    def method(name: String, parameters: Class[_]*): Method =
      ofObject.getMethod(name, parameters: _*)
  }
}

private[tables] object DeltaClasses {

  /** Calls a method, and throws its own exceptions. */
  private def call[A](method: Method, on: AnyRef, arguments: AnyRef*): A =
    try method.invoke(on, arguments: _*).asInstanceOf[A]
    catch { case e: InvocationTargetException => throw e.getCause }

  private val known = new ClassValue[DeltaClasses] {
    override def computeValue(any: Class[_]): DeltaClasses = new DeltaClasses(any.getClassLoader)
  }

  /** The members, by way of any class of Delta.
    *
    * @throws ReflectiveOperationException
    *   if one is missing; so do LinkageError and IllegalArgumentException say
    */
  def beside(any: Class[_]): DeltaClasses = known.get(any)
}
