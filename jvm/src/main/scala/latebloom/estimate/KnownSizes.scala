// SPDX-License-Identifier: Apache-2.0
package latebloom.estimate

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  PlanExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

import latebloom.cache.CachedCondition
import latebloom.scan.{FileConditions, SelectiveFormat}
import latebloom.statistics.{ScanSize, ScanSizes}

/** Looks up what scans have counted, for the filters of one plan. */
final private[estimate] class KnownSizes(conf: SQLConf) extends PredicateHelper {

  private var session = Option.empty[String]

  /** What is known of a Filter over files: of the part of its condition that needs no subquery. */
  def of(filter: Filter, files: HadoopFsRelation): Option[ScanSize] = {
    val columns = filter.child.output
    val partitions = AttributeSet(columns.filter(isPartition(_, files)))
    val known = splitConjunctivePredicates(filter.condition)
      .filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))
    val (ofPartitions, others) =
      known.partition(c => c.references.nonEmpty && c.references.subsetOf(partitions))
    val ofFiles = others.filter(_.references.intersect(partitions).isEmpty)
    val asked = columns.filter(AttributeSet(ofFiles.flatMap(_.references)).contains)
    val read = StructType(asked.map(a => StructField(a.name, a.dataType, a.nullable, a.metadata)))
    new FileConditions(files, sessionOf(files), asked, read)(ofFiles, Nil)
      .flatMap(ScanSizes.get(_, listed(files, ofPartitions, ofFiles)))
  }

  private def isPartition(column: Attribute, files: HadoopFsRelation) =
    files.partitionSchema.exists(_.name == column.name)

  private def sessionOf(files: HadoopFsRelation): String = session.getOrElse {
    val found =
      CachedCondition.Source.session(conf, files.sparkSession.sparkContext.hadoopConfiguration)
    session = Some(found)
    found
  }

  /** The files that a scan lists. */
  private def listed(
      files: HadoopFsRelation,
      ofPartitions: Seq[Expression],
      ofFiles: Seq[Expression]
  ): Option[ScanSizes.Files] = {
    def asListed(filters: Seq[Expression]) = SelectiveFormat.of(files.fileFormat)
      .flatMap(_.table).fold(filters)(_.asListed(files.location, filters))
    val found = files.location.listFiles(asListed(ofPartitions), asListed(ofFiles))
    ScanSizes.Files.of(FileConditions.states(found.flatMap(_.files)))
  }
}
