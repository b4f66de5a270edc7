// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import java.util.{Collections, Map => JMap}

import org.apache.spark.sql.connector.catalog.{
  Identifier,
  Table => SparkTable,
  TableCatalog,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2
import org.apache.spark.sql.execution.datasources.v2.orc.OrcDataSourceV2
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetDataSourceV2
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The warehouse's tables as Spark's own sources of version 2, which its session catalog never
  * asks: `files.parquet.t` reads the folder of the table `t`.
  */
final class FileCatalog extends TableCatalog {
  private var catalog = ""
  private var warehouse = ""

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {
    catalog = name
    warehouse = options.get("warehouse")
  }

  override def name: String = catalog

  override def loadTable(table: Identifier): SparkTable = {
    val source: FileDataSourceV2 = table.namespace match {
      case Array("parquet") => new ParquetDataSourceV2
      case Array("orc")     => new OrcDataSourceV2
      case _                => throw new IllegalArgumentException(s"$table: parquet.t or orc.t")
    }
    val folder = Collections.singletonMap("path", s"$warehouse/${table.name}")
    val options = new CaseInsensitiveStringMap(folder)
    source.getTable(source.inferSchema(options), source.inferPartitioning(options), folder)
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def createTable(
      table: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): SparkTable = readOnly

  override def alterTable(table: Identifier, changes: TableChange*): SparkTable = readOnly

  override def dropTable(table: Identifier): Boolean = readOnly

  override def renameTable(from: Identifier, to: Identifier): Unit = readOnly

  private def readOnly = throw new UnsupportedOperationException("the catalog only reads")
}

object FileCatalog {

  /** Its name in SQL. */
  val name = "files"
}
