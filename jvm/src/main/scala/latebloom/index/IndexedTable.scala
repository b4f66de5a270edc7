// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, SubqueryAlias, View}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.{FileFormat, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.types.{CharType, StructField}

import latebloom.compile.JoinKeys
import latebloom.index.sidecar.IndexedColumn
import latebloom.line.Compat._

/** A table of files, or files in a folder, of which an index can be built.
  *
  * @param attributes
  *   the columns to index
  * @param source
  *   how files are read, see [[IndexSource]]
  */
final private[index] class IndexedTable private (
    val relation: LogicalRelation,
    val files: HadoopFsRelation,
    val attributes: Seq[Attribute],
    val source: String
) {
  val columns: Seq[IndexedColumn] =
    attributes.map(a => new IndexedColumn(a.name, IndexSource.field(IndexedTable.column(a))))
}

private[index] object IndexedTable {

  /** The table that a query reads as it is.
    *
    * @throws IllegalArgumentException
    *   with the reason, if it cannot have an index of these columns
    */
  def of(query: QueryExecution, columns: Seq[String]): IndexedTable = {
    val relation = only(query.analyzed).orElse(only(query.optimizedPlan)).getOrElse(refuse(
      "a skip index is built of a table, or of files in a folder, and not of a query: give the " +
        "table's name, or spark.read.parquet(...) or spark.read.orc(...)"
    ))
    val files = relation.relation.asInstanceOf[HadoopFsRelation]
    if (IndexSource.formatOf(files.fileFormat).isEmpty) refuse(
      s"a skip index is built of plain Parquet or ORC files, and not of ${files.fileFormat}: Delta " +
        "Lake and Iceberg keep statistics of their files themselves"
    )
    val session = query.sparkSession
    val conf = session.sessionState.conf
    val lenient = Seq("ignoreCorruptFiles", "ignoreMissingFiles")
    lenient.foreach { name =>
      val option = files.options.collectFirst { case (k, v) if k.equalsIgnoreCase(name) => v }
      val value = option.getOrElse(conf.getConfString(s"spark.sql.files.$name", "false"))
      if (value.toLowerCase(Locale.ROOT) != "false") refuse(
        s"with $name set an index could lack the rows of a file: unset spark.sql.files.$name"
      )
    }
    if (files.schema.exists(_.name.equalsIgnoreCase(FileFormat.METADATA_NAME))) refuse(
      s"the table has a column named ${FileFormat.METADATA_NAME}, as Spark names what it knows of files"
    )
    if (columns.isEmpty) refuse("name at least one column to index")
    val found = columns.map(attribute(_, relation, files, conf.resolver)).distinct
    new IndexedTable(
      relation,
      files,
      found,
      IndexSource(files, conf, session.sessionState.newHadoopConf())
    )
  }

  private def attribute(
      name: String,
      relation: LogicalRelation,
      files: HadoopFsRelation,
      isSame: (String, String) => Boolean
  ): Attribute = {
    val found = relation.output.filter(a => isSame(a.name, name)) match {
      case Seq(one) => one
      case Seq()    =>
        val has = relation.output.map(_.name).mkString(", ")
        refuse(
          s"the table has no column $name: it has $has" +
            (if (name.contains('.')) "; fields of structs have no index" else "")
        )
      case _ => refuse(s"the table has several columns $name")
    }
    if (files.partitionSchema.exists(f => isSame(f.name, found.name))) refuse(
      s"$name is a partition column: Spark prunes by it without an index"
    )
    // Spark has removed the type of CHAR from the relation's own columns.
    def isChar(f: StructField) = isSame(f.name, found.name) &&
      CharVarcharUtils.getRawType(f.metadata).exists(_.isInstanceOf[CharType])
    if ((files.schema ++ relation.catalogTable.toSeq.flatMap(_.schema)).exists(isChar)) refuse(
      s"$name is of type CHAR, whose values Spark pads when it reads them"
    )
    if (JoinKeys.domain(found.dataType).isEmpty) refuse(
      s"$name is of type ${found.dataType.sql}: a skip index is of numbers, booleans, dates, " +
        "times, intervals, binary, and strings of the collation UTF8_BINARY"
    )
    found
  }

  /** The relation of files that a plan consists of, but for names. */
  private def only(plan: LogicalPlan): Option[LogicalRelation] = plan match {
    case r: LogicalRelation      => when(r.relation.isInstanceOf[HadoopFsRelation])(r)
    case SubqueryAlias(_, child) => only(child)
    case v: View                 => only(v.child)
    case p: Project              => only(p.child)
    case _                       => None
  }

  def column(a: Attribute): StructField = StructField(a.name, a.dataType, a.nullable, a.metadata)

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(why)
}
