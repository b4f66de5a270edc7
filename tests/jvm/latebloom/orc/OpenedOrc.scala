// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument
import org.apache.orc.impl.{ReaderImpl, SchemaEvolution}
import org.apache.orc.{OrcFile, StripeInformation, TypeDescription}

import org.apache.spark.sql.execution.datasources.orc.OrcUtils

import latebloom.orc.stripe.{OrcColumn, RowIndexes, SplitContext, StripeStreams}
import latebloom.read.ScanSpecs
import latebloom.read.io.FileTail
import latebloom.read.selection.Selection
import latebloom.read.task.Counters

/** An ORC file as a scan has it that reads all of its columns. */
class OpenedOrc private (split: OrcSplit, val reader: ReaderImpl) {
  def context: SplitContext = split.context

  /** Whether statistics could rule anything out. */
  def mayPrune: Boolean = split.pruning != null

  def pruned(stripe: StripeInformation): Selection = {
    val streams = new StripeStreams(context, stripe)
    split.pruning.rows(streams, new RowIndexes(streams))
  }
}

object OpenedOrc {
  def apply[A](path: Path, sarg: SearchArgument = null)(use: OpenedOrc => A): A = {
    val conf = new Configuration(false)
    val reader =
      OrcFile.createReader(path, OrcFile.readerOptions(conf)).asInstanceOf[ReaderImpl]
    val schema = OrcUtils.toCatalystSchema(reader.getSchema)
    val columns = schema.fields.zip(reader.getSchema.getChildren.asScala).map { case (field, of) =>
      val read = TypeDescription.createStruct().addField(field.name, of.clone())
      val included = Array.fill(read.getMaximumId + 1)(true)
      val options = reader.options().schema(read).include(included)
      OrcColumn.of(field, new SchemaEvolution(reader.getSchema, read, options), 0)
    }
    val length = reader.getFileTail.getFileLength
    val split = new OrcSplit(
      ScanSpecs.withoutFilters(path.toString, schema, schema.length, 1024),
      reader,
      reader.takeFile(),
      new OrcSplit.Options(path.toString, length, 0, length, FileTail.NONE, false),
      columns.toSeq.asJava,
      Option(sarg).map(new OrcPruning.Conditions(_, Seq.empty.asJava)).orNull,
      new Counters
    )
    try use(new OpenedOrc(split, reader))
    finally split.close()
  }
}
