// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.io.Closeable
import java.time.{Instant, LocalDate}

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.orc.impl.{DataReaderProperties, OrcTail, ReaderImpl, SchemaEvolution}
import org.apache.orc.{OrcConf, OrcFile, Reader, TypeDescription}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils._
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.orc.{OrcFilters, OrcUtils}
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.util.SerializableConfiguration

import latebloom.line.Compat._
import latebloom.orc.stripe.OrcColumn
import latebloom.orc.{CheckedTails, OrcPruning, OrcSplit, StreamLengths}
import latebloom.read.io.{FileTail, MetadataCache}
import latebloom.read.task.{Counter, Counters}
import latebloom.read.{ScanSpec, SelectiveScan}

/** Opens the files of one scan as Spark's ORC format does: with the same tail, resolution of
  * columns and evolution of schemas. Created on the driver, used by tasks.
  */
final class OrcFiles private (
    spec: ScanSpec,
    dataSchema: StructType,
    partitionSchema: StructType,
    pushed: PushedFilters,
    live: LateFiles.Live,
    conf: Broadcast[SerializableConfiguration],
    settings: OrcFiles.Settings
) extends LateFiles(spec, partitionSchema, settings.offHeap) {
  import OrcFiles._

  override def configuration: Configuration = conf.value.value

  override def open(file: PartitionedFile, counters: Counters): Either[Counter, SelectiveScan] = {
    val shared = conf.value.value
    val path = file.toPath
    val Opened(reader, metadata) = opened(file, shared, counters)
    var owned: Closeable = reader
    try notOurs(reader, file).toLeft {
        // Without one if the tail was known.
        val in = Option(reader.takeFile()).getOrElse(path.getFileSystem(shared).open(path))
        owned = in
        val resolved = new Resolved(reader.getSchema, shared)
        val split = new OrcSplit(
          spec,
          reader,
          in,
          new OrcSplit.Options(
            path.toString,
            reader.getFileTail.getFileLength,
            file.start,
            if (resolved.isEmpty) file.start else file.start + file.length,
            metadata,
            OrcConf.SKIP_CORRUPT_DATA.getBoolean(shared)
          ),
          resolved.columns(reader).asJava,
          if (resolved.byName) conditions(reader).orNull else null,
          counters
        )
        owned = split
        val selective = scan(split, live(file, shared), split.payloadTypes(), file, counters)
        owned = null
        selective
      }
    finally if (owned != null) owned.close()
  }

  /** Opens a file, whose tail is read once in a process as long as the file is the same. */
  private def opened(
      file: PartitionedFile,
      shared: Configuration,
      counters: Counters
  ): Opened = {
    val path = file.toPath
    val key = LateFiles.metadataKey(spec, LateFiles.listed(file))
    val usable = key.isForAll && MetadataCache.has(key) &&
      LateFiles.isUnchanged(spec.id, file, shared)
    val known = when(usable)(Option(MetadataCache.get(key, classOf[KnownTail]))).flatten
    val options = OrcFile
      .readerOptions(shared)
      .filesystem(new CheckedTails(path.getFileSystem(shared)))
      .maxLength(OrcConf.MAX_FILE_LENGTH.getLong(shared))
    known.foreach { k =>
      counters.add(Counter.METADATA_REMEMBERED, 1)
      options.orcTail(k.tail)
    }
    val reader = OrcFile.createReader(path, options).asInstanceOf[ReaderImpl]
    val metadata = known.map(_.rest).getOrElse {
      val tail = options.getOrcTail
      val asListed = tail.getFileTail.getFileLength == file.fileSize &&
        tail.getFileModificationTime == file.modificationTime
      if (key.isForAll && asListed) {
        val made = new KnownTail(tail, FileTail.keepingOnly())
        MetadataCache.put(key, made, spec.options.metadataBytes)
        made.rest
      } else FileTail.NONE
    }
    Opened(reader, metadata)
  }

  /** The reason to leave a file to Spark's reader, if any. A stripe that is longer than the file is
    * no reason: Spark's reader would allocate the claimed length.
    */
  private def notOurs(reader: ReaderImpl, file: PartitionedFile): Option[Counter] =
    if (reader.getColumnEncryptionKeys.nonEmpty) {
      Some(Counter.FILES_ENCRYPTED)
    } else if (SchemaEvolution.checkAcidSchema(reader.getSchema)) {
      Some(Counter.FILES_ACID)
    } else {
      val length = reader.getFileTail.getFileLength
      val tooLarge = reader.getStripes.asScala.exists(s =>
        s.getNumberOfRows < 0 || s.getNumberOfRows > MaxRows ||
          s.getLength > MaxStripeBytes && s.getLength <= length
      )
      if (tooLarge) checkStreams(reader, file)
      when(tooLarge)(Counter.FILES_TOO_LARGE)
    }

  private def checkStreams(reader: ReaderImpl, file: PartitionedFile): Unit = {
    val path = file.toPath
    val source = DataReaderProperties.builder()
      .withFileSystem(path.getFileSystem(conf.value.value))
      .withPath(path)
    val end = file.start + file.length
    StreamLengths.check(reader, path.toString, source, file.start, end)
  }

  /** The columns of a file, as Spark resolves them. */
  private class Resolved(inFile: TypeDescription, shared: Configuration) {
    private val ofColumns =
      OrcUtils.requestedColumnIds(settings.caseSensitive, dataSchema, spec.columns, inFile, shared)

    /** Whether Spark treats the file as one without rows. */
    def isEmpty: Boolean = ofColumns.isEmpty

    /** Whether columns are resolved by name rather than position. */
    val byName: Boolean = ofColumns.forall(_._2)

    def columns(reader: ReaderImpl): Seq[OrcColumn] = {
      val options = reader
        .options()
        .tolerateMissingSchema(OrcConf.TOLERATE_MISSING_SCHEMA.getBoolean(shared))
      val defaults = ResolveDefaultColumns.existenceDefaultValues(spec.columns)
      val ofSpec = spec.columns.fields.zipWithIndex.map { case (field, i) =>
        column(field, ofColumns.fold(-1)(_._1(i)), defaults(i), options)
      }
      val ofLeaves = spec.leaves.asScala.map { leaf =>
        val i = spec.columns.fieldIndex(leaf.name)
        val default = narrowed(defaults(i), spec.columns.fields(i).dataType, leaf.dataType)
        column(leaf, ofColumns.fold(-1)(_._1(i)), default, options)
      }
      ofSpec.toSeq ++ ofLeaves
    }

    /** Keeps the wanted fields of a struct. */
    private def narrowed(value: Any, from: DataType, to: DataType): Any = (value, from, to) match {
      case (row: InternalRow, all: StructType, some: StructType) =>
        InternalRow.fromSeq(some.fields.toSeq.map { f =>
          val i = all.fieldIndex(f.name)
          val field = if (row.isNullAt(i)) null else row.get(i, all(i).dataType)
          narrowed(field, all(i).dataType, f.dataType)
        })
      case _ => value
    }

    /** By position, a column is read through the table's whole schema; by name, separately. */
    private def column(
        field: StructField,
        id: Int,
        default: Any,
        options: Reader.Options
    ): OrcColumn =
      if (id == -1) {
        OrcColumn.missing(field, default.asInstanceOf[AnyRef])
      } else {
        val child = if (byName) 0 else id
        val schema =
          if (byName) StructType(Seq(field))
          else StructType(dataSchema.fields.updated(id, field) ++ partitionSchema.fields)
        val read = TypeDescription.fromString(OrcUtils.getOrcSchemaString(schema))
        val kept = read.getChildren.get(child)
        val included = Array.tabulate(read.getMaximumId + 1) { c =>
          c == 0 || c >= kept.getId && c <= kept.getMaximumId
        }
        val own = options.clone().schema(read).include(included)
        OrcColumn.of(field, new SchemaEvolution(inFile, read, own), child)
      }
  }

  /** The conditions on rows that ORC can express. Leaves out a filter that ORC refuses, such as one
    * with a literal of another type than the file's.
    */
  private def conditions(reader: ReaderImpl): Option[OrcPruning.Conditions] = {
    val keys =
      if (OrcSplit.prunesByKeys(reader)) pushed.keys.flatMap(_.now).map(OrcFiles.exactly) else Nil
    val all = pushed.filters ++ keys.flatMap(k => k.bounds ++ k.listed)
    if (all.isEmpty) {
      None
    } else {
      val schema = OrcUtils.toCatalystSchema(reader.getSchema)
      def argument(filters: Seq[Filter]) = Try(OrcFilters.createFilter(schema, filters))
      def joinKeys = for {
        k <- keys if k.areComparable
        bound <- argument(k.bounds.take(1)).toOption.flatten
      } yield new OrcPruning.JoinKeys(bound.getLeaves.get(0), k.source.predicate)
      argument(all.filter(f => argument(Seq(f)).isSuccess)).toOption.flatten
        .map(new OrcPruning.Conditions(_, joinKeys.asJava))
    }
  }
}

object OrcFiles {

  /** A reader, and what is known of the file's metadata beside the tail. */
  final private case class Opened(reader: ReaderImpl, metadata: FileTail)

  /** How many times more memory a parsed tail takes, about. */
  private val Parsed = 8

  /** The tail of a file, and what was fetched later of its metadata. */
  final private class KnownTail(of: OrcTail, val rest: FileTail) extends MetadataCache.Metadata {

    /** One for each reader, which keeps a state of its own. */
    def tail: OrcTail =
      new OrcTail(of.getFileTail, of.getTailBuffer, of.getFileModificationTime)

    override def bytes: Long =
      Parsed.toLong * of.getSerializedTail.remaining + rest.heapBytes
  }

  private val MaxStripeBytes = 1L << 30

  /** The last run of values may extend past the last row; its indexes are ints. */
  private val MaxRows = Int.MaxValue - 1024

  final private case class Settings(caseSensitive: Boolean, offHeap: Boolean)

  /** @param live
    *   the rows of each file that the scan may read
    * @param hadoopConf
    *   prepared by Spark's ORC format; broadcast to the tasks
    */
  def apply(
      session: SparkSession,
      spec: ScanSpec,
      dataSchema: StructType,
      partitionSchema: StructType,
      pushed: PushedFilters,
      live: LateFiles.Live,
      hadoopConf: Configuration
  ): OrcFiles = {
    val sql = session.sessionState.conf
    val usable =
      if (!sql.orcFilterPushDown) PushedFilters(Nil, Nil)
      else PushedFilters(pushed.filters.flatMap(withoutNulls), pushed.keys)
    new OrcFiles(
      spec,
      dataSchema,
      partitionSchema,
      usable,
      live,
      session.sparkContext.broadcast(new SerializableConfiguration(hadoopConf)),
      Settings(sql.caseSensitiveAnalysis, sql.offHeapColumnVectorEnabled)
    )
  }

  /** Without the filters that ORC's literals, of `java.sql`, cannot express: the JVM's time zone
    * may lack the day or the time.
    */
  private def exactly(keys: PushedKeys): PushedKeys =
    keys.copy(bounds = keys.bounds.filter(isExact), listed = keys.listed.filter(isExact))

  private def isExact(filter: Filter): Boolean =
    filter match {
      case GreaterThanOrEqual(_, value) => isExact(value)
      case LessThanOrEqual(_, value)    => isExact(value)
      case GreaterThan(_, value)        => isExact(value)
      case LessThan(_, value)           => isExact(value)
      case Or(IsNull(_), compared)      => isExact(compared)
      case In(_, values)                => values.forall(isExact)
      case _                            => false
    }

  private def isExact(value: Any): Boolean =
    value match {
      case day: LocalDate => fromJavaDate(toJavaDate(localDateToDays(day))) == localDateToDays(day)
      case time: Instant  =>
        val micros = instantToMicros(time)
        fromJavaTimestamp(toJavaTimestamp(micros)) == micros
      case _ => true
    }

  /** No value equals a null in a list, but ORC's search arguments fail on one. */
  private def withoutNulls(filter: Filter): Option[Filter] = filter match {
    case In(name, values) =>
      when(values.exists(_ != null))(In(name, values.filter(_ != null)))
    case And(left, right) =>
      for (l <- withoutNulls(left); r <- withoutNulls(right)) yield And(l, r)
    case Or(left, right) =>
      for (l <- withoutNulls(left); r <- withoutNulls(right)) yield Or(l, r)
    case Not(child) => withoutNulls(child).map(Not(_))
    case other      => Some(other)
  }
}
