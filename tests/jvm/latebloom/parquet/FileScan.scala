// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile

import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.vectorized.ColumnVector

import latebloom.line.FooterReaders
import latebloom.parquet.types.Calendars
import latebloom.read.io.FileTail
import latebloom.read.selection.LiveRows
import latebloom.read.task.Counters
import latebloom.read.{ScanSpec, SelectiveScan}

/** The scan of one Parquet file, without a session. */
object FileScan {

  /** The payload of all rows that pass, each value as `valueAt` gives it.
    *
    * @param schema
    *   the file's columns as Spark holds them; those that the file lacks are left out
    * @param prepare
    *   what is done to the open file first
    */
  def rows(
      path: Path,
      spec: ScanSpec,
      schema: StructType,
      counters: Counters,
      offHeap: Boolean,
      prepare: ParquetFileReader => Unit = _ => ()
  )(valueAt: (ColumnVector, Int, DataType) => Any): Seq[Seq[Any]] = {
    val scan = open(path, spec, schema, counters, offHeap, prepare)
    val types = spec.columns.map(_.dataType)
    val out = ArrayBuffer.empty[Seq[Any]]
    try {
      var batch = scan.next()
      while (batch != null) {
        assert(batch.numRows > 0 && batch.numRows <= spec.options.batchRows)
        for (r <- 0 until batch.numRows) {
          out += (0 until spec.payload).map(c => valueAt(batch.column(c), r, types(c)))
        }
        batch = scan.next()
      }
    } finally scan.close()
    out.toSeq
  }

  private def open(
      path: Path,
      spec: ScanSpec,
      schema: StructType,
      counters: Counters,
      offHeap: Boolean,
      prepare: ParquetFileReader => Unit
  ): SelectiveScan = {
    val conf = new Configuration()
    val input = HadoopInputFile.fromPath(path, conf)
    val options = HadoopReadOptions.builder(conf, path).usePageChecksumVerification().build()
    val in = input.newStream()
    val reader = FooterReaders.open(
      input,
      ParquetFileReader.readFooter(input, options, in),
      options,
      in
    )
    prepare(reader)
    val fileSchema = reader.getFileMetaData.getSchema
    val present = StructType(schema.filter(f => fileSchema.containsField(f.name)))
    val byName = new ParquetToSparkSchemaConverter(caseSensitive = true)
      .convertParquetColumn(fileSchema, Some(present))
      .children
      .map(c => c.path.head -> c)
      .toMap
    val split = new ParquetSplit(
      spec,
      new ParquetSplit.OpenFile(reader, options, in, FileTail.NONE, input.getLength),
      spec.columns.map(f => byName(f.name)).asJava,
      null,
      Calendars.CORRECTED,
      new SparkReader.Context(
        input,
        reader.getFooter,
        conf,
        Calendars.CORRECTED,
        offHeap,
        spec.options.batchRows
      ),
      counters
    )
    new SelectiveScan(
      split,
      LiveRows.ALL,
      spec,
      split.payloadTypes(),
      Array.empty,
      offHeap,
      counters
    )
  }
}
