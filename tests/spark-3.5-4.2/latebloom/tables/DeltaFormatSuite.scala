// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.delta.DeltaParquetFileFormat
import org.apache.spark.sql.delta.actions.Protocol
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, FilePartition}
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

import latebloom.line.Compat._

/** What the adapter knows of Delta, without a scan of ours. */
class DeltaFormatSuite extends DeltaTest {

  test("an unknown feature of the protocol is named") {
    withTable("t") {
      table("t")()
      val format = new DeltaParquetFileFormat(
        Protocol(3, 7, Some(Set("columnMapping", "geospatial")), Some(Set("geospatial"))),
        log("t").update().metadata
      )
      val why = TableFormat.of(format).get.left.toOption.get
      assert(why.code == "delta-feature" && why.args("features") == "geospatial")
    }
  }

  /** Loads Delta's classes anew, without some. */
  final private class Without(missing: String)
      extends ClassLoader(classOf[DeltaFormatSuite].getClassLoader) {
    override def loadClass(name: String, resolve: Boolean): Class[_] = synchronized {
      if (name.contains(missing)) throw new ClassNotFoundException(name)
      else if (name.startsWith("org.apache.spark.sql.delta.") || name.startsWith("io.delta.")) {
        Option(findLoadedClass(name)).getOrElse {
          val in = getParent.getResourceAsStream(name.replace('.', '/') + ".class")
          val bytes = in.readAllBytes()
          in.close()
          defineClass(name, bytes, 0, bytes.length)
        }
      } else super.loadClass(name, resolve)
    }
  }

  Seq("DeletionVectorStore", "RoaringBitmapArray").foreach { missing =>
    test(s"a Delta without $missing is declined") {
      val of = new Without(missing).loadClass(classOf[DeltaParquetFileFormat].getName, true)
      // Nothing is asked of the instance.
      val unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe")
      unsafe.setAccessible(true)
      val instance = unsafe.get(null).asInstanceOf[sun.misc.Unsafe].allocateInstance(of)
      val why = TableFormat.of(instance.asInstanceOf[ParquetFileFormat]).get.left.toOption.get
      assert(why.code == "delta-not-known" && why.reason.contains(missing))
    }
  }

  for (
    (batches, index) <-
      combinations(true -> "true", true -> "false", false -> "true", false -> "false")
  )
    test(s"Delta's own reader gives live rows; batches $batches, Spark's row index $index") {
      withTable("t") {
        withSQLConf("spark.databricks.delta.deletionVectors.useMetadataRowIndex" -> index) {
          table("t")("delta.enableDeletionVectors" -> "true", "delta.columnMapping.mode" -> "name")
          spark.sql("DELETE FROM t WHERE id % 10 = 3 OR id BETWEEN 1000 AND 1500")
          val plan = off(spark.table("t").queryExecution.executedPlan)
          val scan = nodes(plan) { case s: FileSourceScanExec => s }.head
          val relation = scan.relation
          val table_ = TableFormat.of(relation.fileFormat).get.toOption.get
          assert(table_.deletesRows)
          val read = table_.reader(
            new StructType().add("id", LongType),
            table_.own.buildReaderWithPartitionValues(
              spark,
              relation.dataSchema,
              relation.partitionSchema,
              _,
              Nil,
              Map(FileFormat.OPTION_RETURNING_BATCH -> batches.toString),
              spark.sessionState.newHadoopConf()
            )
          )
          val files = scan.inputRDDs().head.partitions.toSeq
            .flatMap(_.asInstanceOf[FilePartition].files)
          val ids = files.flatMap { file =>
            val rows = read(file)
            val got = rows.asInstanceOf[Iterator[Any]].flatMap {
              case batch: ColumnarBatch => batch.rowIterator.asScala.map(_.getLong(0))
              case row: InternalRow     => Iterator(row.getLong(0))
            }.toVector
            rows.asInstanceOf[Closeable].close()
            got
          }
          assert(ids.sorted == (0L until 4000L).filter(i => i % 10 != 3 && (i < 1000 || i > 1500)))
        }
      }
    }
}
