// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.latebloom.LateBloomConf

/** What people do with skip indexes. */
object SkipIndexes {

  /** Builds an index of columns, of those files of a table that the folder has no entries of, and
    * drops its entries of files that are gone or have changed.
    *
    * @param table
    *   a query that reads a table as it is, of Parquet or ORC files
    * @throws IllegalArgumentException
    *   with the reason, if it cannot have such an index
    */
  private[latebloom] def build(
      table: QueryExecution,
      columns: Seq[String],
      into: String
  ): IndexBuild.Built =
    new IndexBuild(IndexedTable.of(table, columns), new Path(into), table).run()

  /** What a folder has of each file. */
  private[latebloom] def list(session: SparkSession, folder: String): Seq[IndexMaintenance.Entry] =
    maintenance(session, folder).list()

  /** Drops the entries of the files below a path, or all; returns how many files these are. */
  private[latebloom] def drop(session: SparkSession, folder: String, below: Option[String]): Int = {
    val of = maintenance(session, folder)
    below.fold(of.dropAll())(path => of.drop(new Path(path)))
  }

  private def maintenance(session: SparkSession, folder: String) =
    new IndexMaintenance(new Path(folder), LateBloomConf.hadoopConf(session))
}
