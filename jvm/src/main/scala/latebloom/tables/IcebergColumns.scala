// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, PrimitiveType, Type}

import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.latebloom.{FileColumns, PushedFilters, RenamedFilters}
import org.apache.spark.sql.types._

import latebloom.line.Compat._
import latebloom.read.RowNumberCursor

/** The columns of an Iceberg scan, which its files have under ids. Spark's resolution by ids does
  * what Iceberg's does for a file that this class accepts; Iceberg's own reader reads all others:
  *
  *   - a file without ids, whose columns Iceberg finds by a mapping of names, or by position
  *   - one that lacks a column which is not simply null then: a required one, one with a default, a
  *     constant of the file's partition, a field of a struct
  *   - one that stores a column as another type, from before the column was widened
  *   - one that Spark wrote, which may have days and instants of the old calendar
  *
  * @param columns
  *   their fields carry the ids, where Spark looks for them
  * @param nullable
  *   the ids of the columns that a file may lack, and that are null then
  */
final private[tables] class IcebergColumns(val columns: StructType, nullable: Set[Int])
    extends FileColumns {
  import IcebergColumns._

  override def areIn(file: PartitionedFile): Boolean = IcebergFile.of(file).isOurs

  override def areIn(file: PartitionedFile, meta: FileMetaData): Boolean = {
    val constants = IcebergFile.of(file).constants
    val schema = meta.getSchema
    !meta.getKeyValueMetaData.containsKey(WrittenBySpark) &&
    schema.getFields.asScala.exists(_.getId != null) &&
    columns.forall { column =>
      find(column, schema) match {
        case Some(found) => isSame(column.dataType, found)
        case None        => nullable(idOf(column)) && !constants.contains(idOf(column))
      }
    }
  }

  override def named(pushed: PushedFilters, meta: FileMetaData): PushedFilters = {
    val found = columns.fields.flatMap(c => find(c, meta.getSchema).map(c -> _))
    val renamed = new RenamedFilters(
      StructType(found.map(_._1)),
      StructType(found.map { case (c, t) => inFile(c, t) })
    )
    PushedFilters(pushed.filters.flatMap(renamed.of(_)), pushed.keys.map(renamed.of(_)))
  }

  def ids: Set[Int] = columns.map(idOf).toSet

  /** The columns as Spark finds them by their ids alone: it looks for a column's name first, which
    * another one of the file may have. Columns that Iceberg does not know stay as they are.
    */
  def physical(asked: StructType): StructType = IcebergColumns.physical(asked, columns)
}

private[tables] object IcebergColumns {

  /** Spark's own writer leaves its version under this key of the footer. */
  private val WrittenBySpark = "org.apache.spark.version"

  /** The columns that a scan reads from files; Left with the name of one that only Iceberg can
    * read.
    *
    * @param read
    *   as Spark knows them
    * @param known
    *   as Iceberg knows them
    */
  def of(
      read: StructType,
      known: Seq[AnyRef],
      iceberg: IcebergClasses
  ): Either[String, IcebergColumns] = {
    val fields = read.fields.toSeq.zip(known).collect {
      case (f, k) if !IcebergMetadata.isMade(iceberg.id(k)) => f.name -> identified(f, k, iceberg)
    }
    fields.collectFirst { case (name, None) => name } match {
      case Some(name)                        => Left(name)
      case None if read.length != known.size => Left(read.fieldNames.mkString(", "))
      case None                              =>
        val nullable = known.filter(iceberg.isNullWithout).map(iceberg.id).toSet
        Right(new IcebergColumns(StructType(fields.flatMap(_._2)), nullable))
    }
  }

  private def identified(
      field: StructField,
      known: AnyRef,
      iceberg: IcebergClasses
  ): Option[StructField] = {
    val id = iceberg.id(known)
    for {
      dataType <- when(isOfFiles(id) && iceberg.name(known) == field.name)(())
        .flatMap(_ => identified(field.dataType, known, iceberg))
    } yield withId(field.copy(dataType = dataType), id)
  }

  private def isOfFiles(id: Int) =
    !IcebergMetadata.isMetadata(id) || IcebergMetadata.isLineage(id)

  private def withId(field: StructField, id: Int): StructField = field.copy(metadata =
    new MetadataBuilder().withMetadata(field.metadata)
      .putLong(ParquetUtils.FIELD_ID_METADATA_KEY, id).build()
  )

  /** The type with the ids of its fields; None if Spark's readers would read it differently. */
  private def identified(
      dataType: DataType,
      known: AnyRef,
      iceberg: IcebergClasses
  ): Option[DataType] = {
    def element(t: DataType, k: AnyRef) = identified(t, k, iceberg)
    (dataType, iceberg.typeName(known)) match {
      case (BooleanType, "BOOLEAN") | (IntegerType, "INTEGER") | (LongType, "LONG") |
          (FloatType, "FLOAT") | (DoubleType, "DOUBLE") | (DateType, "DATE") |
          (TimestampType | TimestampNTZType, "TIMESTAMP") | (StringType, "STRING") |
          (BinaryType, "BINARY" | "FIXED") | (_: DecimalType, "DECIMAL") => Some(dataType)
      case (s: StructType, "STRUCT") =>
        val inner = iceberg.inner(known)
        val fields = s.fields.toSeq.zip(inner).map { case (f, k) => identified(f, k, iceberg) }
        when(s.length == inner.size && fields.forall(_.nonEmpty))(StructType(fields.flatten))
      case (a: ArrayType, "LIST") =>
        element(a.elementType, iceberg.inner(known).head).map(e => a.copy(elementType = e))
      case (m: MapType, "MAP") =>
        for {
          k <- element(m.keyType, iceberg.inner(known).head)
          v <- element(m.valueType, iceberg.inner(known)(1))
        } yield m.copy(keyType = k, valueType = v)
      case _ => None
    }
  }

  private def physical(asked: StructType, known: StructType): StructType =
    StructType(asked.map { f =>
      known.find(_.name == f.name).fold(unlike(f)) { k =>
        val id = idOf(k)
        withId(f.copy(s"latebloom:field $id", physical(f.dataType, k.dataType)), id)
      }
    })

  /** No file may have a column by the name of one that its reader counts. */
  private def unlike(made: StructField) =
    if (RowNumberCursor.isFor(made.metadata)) made.copy(s"latebloom:${made.name}", nullable = true)
    else made

  private def physical(asked: DataType, known: DataType): DataType = (asked, known) match {
    case (s: StructType, t: StructType) => physical(s, t)
    case (a: ArrayType, b: ArrayType)   => a.copy(physical(a.elementType, b.elementType))
    case (m: MapType, n: MapType)       =>
      m.copy(physical(m.keyType, n.keyType), physical(m.valueType, n.valueType))
    case _ => asked
  }

  def idOf(field: StructField): Int =
    field.metadata.getLong(ParquetUtils.FIELD_ID_METADATA_KEY).toInt

  private def find(field: StructField, in: GroupType): Option[Type] =
    in.getFields.asScala.find(t => t.getId != null && t.getId.intValue == idOf(field))

  /** Whether a file stores the type as Iceberg writes it, with all fields of structs. */
  private def isSame(dataType: DataType, found: Type): Boolean = found match {
    case primitive: PrimitiveType =>
      !primitive.isRepetition(Type.Repetition.REPEATED) && isSame(dataType, primitive)
    case group: GroupType => isSame(dataType, group)
    case _                => false
  }

  private def isSame(dataType: DataType, found: PrimitiveType): Boolean = {
    val annotation = found.getLogicalTypeAnnotation
    val physical = found.getPrimitiveTypeName
    def instant(isAdjusted: Boolean) =
      physical == INT64 && annotation == timestampType(isAdjusted, TimeUnit.MICROS)
    dataType match {
      case BooleanType      => physical == BOOLEAN
      case IntegerType      => physical == INT32 && isPlain(annotation, intType(32, true))
      case LongType         => physical == INT64 && isPlain(annotation, intType(64, true))
      case FloatType        => physical == FLOAT
      case DoubleType       => physical == DOUBLE && annotation == null
      case DateType         => physical == INT32 && annotation == dateType
      case TimestampType    => instant(isAdjusted = true)
      case TimestampNTZType => instant(isAdjusted = false)
      case StringType       => physical == BINARY && annotation == stringType
      case BinaryType       =>
        (physical == BINARY || physical == FIXED_LEN_BYTE_ARRAY) && annotation == null
      case d: DecimalType =>
        physical != BINARY && annotation == decimalType(d.scale, d.precision)
      case _ => false
    }
  }

  private def isPlain(found: LogicalTypeAnnotation, or: LogicalTypeAnnotation) =
    found == null || found == or

  private def isSame(dataType: DataType, found: GroupType): Boolean = {
    def entries(annotation: LogicalTypeAnnotation) = when(
      found.getLogicalTypeAnnotation == annotation && found.getFieldCount == 1 &&
        found.getType(0).isRepetition(Type.Repetition.REPEATED) && !found.getType(0).isPrimitive
    )(found.getType(0).asGroupType)
    dataType match {
      case s: StructType =>
        found.getLogicalTypeAnnotation == null &&
        !found.isRepetition(Type.Repetition.REPEATED) &&
        s.forall(f => find(f, found).exists(isSame(f.dataType, _)))
      case a: ArrayType =>
        entries(listType)
          .exists(list => list.getFieldCount == 1 && isSame(a.elementType, list.getType(0)))
      case m: MapType =>
        entries(mapType).exists(map =>
          map.getFieldCount == 2 && isSame(m.keyType, map.getType(0)) &&
            isSame(m.valueType, map.getType(1))
        )
      case _ => false
    }
  }

  /** A field with the names that a file has for it and for the fields of its structs. */
  private def inFile(field: StructField, found: Type): StructField =
    StructField(
      found.getName,
      field.dataType match {
        case s: StructType =>
          StructType(s.map(f => find(f, found.asGroupType).fold(f)(inFile(f, _))))
        case other => other
      }
    )
}
