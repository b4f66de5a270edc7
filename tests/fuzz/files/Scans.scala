// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.joinkeys.Patience
import org.apache.spark.sql.latebloom.FileTask
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.{KeyCollector, KeyDomain, KeyLimits}
import latebloom.joinkeys.{GatheredKeys, JoinFilter, JoinKeyPredicate}
import latebloom.rules.LateScans
import latebloom.scan.LateScan

/** One side of the comparison: a plan over one file, made once. Each run is a task in the calling
  * thread, over the splits of any file in its place.
  *
  * @param comparable
  *   predicates of the rows that both sides must return
  */
final class Scans private (session: SparkSession, plan: SparkPlan, comparable: Seq[Expression]) {
  private val scan = plan.collectFirst { case s: FileSourceScanExec => s }.get

  private val task = {
    val format = scan match {
      case late: LateScan =>
        val keys = late.joinFilters
          .flatMap(JoinKeyPredicate.of(_, session.sparkContext, Patience.endless))
          .flatMap(_.pushed(late.read))
        late.format.late(late.workFor(keys))
      case spark => spark.relation.fileFormat
    }
    new FileTask(session, FileTask.reader(scan, format), scan.schema)
  }

  def isLate: Boolean = scan.isInstanceOf[LateScan]

  override def toString: String = plan.toString

  /** Returns each row with its count, or None if there are more than `most` rows, or the error; and
    * the bytes of execution memory that were not released.
    */
  def run(
      splits: Seq[FileTask.Split],
      most: Int
  ): (Either[Throwable, Option[Map[UnsafeRow, Int]]], Long) =
    task.run(splits) { read =>
      val rows = mutable.HashMap.empty[UnsafeRow, Int]
      val copied = InterpretedUnsafeProjection.createProjection(plan.output.zipWithIndex.map {
        case (a, i) => BoundReference(i, a.dataType, nullable = true)
      })
      var n = 0
      val wanted = filtered(comparable, plan.output, above(plan, read))
      while (n <= most && wanted.hasNext) {
        rows.updateWith(copied(wanted.next()).copy())(c => Some(c.getOrElse(0) + 1))
        n += 1
      }
      Option.when(n <= most)(rows.toMap)
    }

  /** The results of the operators above the scan. */
  private def above(node: SparkPlan, read: Iterator[InternalRow]): Iterator[InternalRow] =
    node match {
      case ProjectExec(list, child) =>
        val project =
          InterpretedUnsafeProjection.createProjection(BindReferences.bindReferences(
            list,
            child.output
          ))
        above(child, read).map(project)
      case FilterExec(condition, child) =>
        val conjuncts = WithoutJoinFilters.split(condition)
        filtered(conjuncts, child.output, above(child, read))
      case s if s eq scan => read
      case other          => throw new IllegalStateException(s"unexpected node: $other")
    }

  private def filtered(
      conjuncts: Seq[Expression],
      input: Seq[Attribute],
      rows: Iterator[InternalRow]
  ): Iterator[InternalRow] =
    if (conjuncts.isEmpty) rows
    else {
      val bound = BindReferences.bindReference(conjuncts.reduce(And(_, _)), AttributeSeq(input))
      val predicate = InterpretedPredicate(bound)
      predicate.initialize(0)
      rows.filter(predicate.eval)
    }
}

/** Splits a condition into conjuncts and drops join filters, whose evaluation is optional. */
private object WithoutJoinFilters extends PredicateHelper {
  def split(condition: Expression): Seq[Expression] =
    splitConjunctivePredicates(condition).filterNot(_.isInstanceOf[JoinFilter])
}

object Scans {

  /** Plans the query for Spark's reader and ours; None if LateBloom leaves the scan to Spark. */
  def of(session: SparkSession, seed: Seed, query: FileQuery): Option[(Scans, Scans)] = {
    val frame = seed.table(session).where(query.condition).selectExpr(query.output: _*)
    val planned = frame.queryExecution.sparkPlan
    val spark = query.keys.fold(planned)(withJoinFilter(planned, _))
    val late = LateScans(spark)
    val found = late.collectFirst { case s: LateScan => s }
    // A join filter may pass any row: only the rows that the join would keep are comparable.
    val comparable = query.keys.map { case (column, values) =>
      val name = column.sql.replace("`", "")
      In(
        spark.output.find(_.name == name).get,
        values.map(Literal(_, column.dataType))
      )
    }.toSeq
    found.map { _ =>
      (new Scans(session, planned, comparable), new Scans(session, late, comparable))
    }
  }

  /** Spark's reader, pruning also by the join filter's keys: by their range, and by each of them.
    */
  def pruned(session: SparkSession, seed: Seed, query: FileQuery): Seq[Scans] =
    query.keys.toSeq.flatMap { case (column, values) =>
      val sorted = values.sorted(TypeUtils.getInterpretedOrdering(column.dataType))
      val range = s"${column.sql} >= ${column.literal(sorted.head)} AND " +
        s"${column.sql} <= ${column.literal(sorted.last)}"
      // Parquet compares more than ten values of an IN by their range.
      val each = values.map(v => s"${column.sql} = ${column.literal(v)}").mkString("(", " OR ", ")")
      Seq(range, each).flatMap { keys =>
        of(session, seed, query.copy(condition = s"(${query.condition}) AND $keys")).map(_._1)
      }
    }

  /** Spark's reader with less pruning: without page indexes, and without any statistics. */
  def unpruned(session: SparkSession, seed: Seed, query: FileQuery): Seq[Scans] =
    Seq(
      "parquet.filter.columnindex.enabled",
      "spark.sql.parquet.filterPushdown",
      "spark.sql.orc.filterPushdown"
    ).filter(_.contains(seed.format))
      .flatMap(key => withConf(session, key, "false")(of(session, seed, query).map(_._1)))

  /** Spark's reader with other batch sizes. */
  def rebatched(session: SparkSession, seed: Seed, query: FileQuery): Seq[Scans] =
    Seq("3", "4096").flatMap { rows =>
      val key = s"spark.sql.${seed.format}.columnarReaderBatchSize"
      withConf(session, key, rows)(of(session, seed, query).map(_._1))
    }

  /** Spark's reader of struct fields: pairs of a field alone, and the same field read together with
    * its whole struct or with the other fields that the query names.
    */
  def fields(session: SparkSession, seed: Seed, query: FileQuery): Seq[(Scans, Scans)] = {
    val named = query.columns(seed.schema)
    val fields = seed.values.map(_.sql).filter(_.contains("."))
    def planned(columns: Seq[String]) =
      seed.table(session).selectExpr(columns: _*).queryExecution.sparkPlan
    def alone(sql: String) = new Scans(session, planned(Seq(s"$sql as field")), Nil)
    val withStruct =
      fields.filter(sql => named(sql.takeWhile(_ != '.').replace("`", ""))).map { sql =>
        val pruning = "spark.sql.optimizer.nestedSchemaPruning.enabled"
        (alone(sql), withConf(session, pruning, "false")(alone(sql)))
      }
    val texts = query.condition +: query.output
    val ofQuery = fields.filter(sql => texts.exists(_.contains(sql)))
    val withOthers = if (ofQuery.size < 2) Nil
    else {
      val plan = planned(ofQuery.zipWithIndex.map { case (sql, i) => s"$sql as field$i" })
      ofQuery.zip(plan.output).map { case (sql, field) =>
        (alone(sql), new Scans(session, ProjectExec(Seq(field), plan), Nil))
      }
    }
    withStruct ++ withOthers
  }

  /** Spark's reader of each column that the query names, one by one, without a condition. */
  def columns(session: SparkSession, seed: Seed, query: FileQuery): Seq[Scans] =
    query.columns(seed.schema).toSeq.sorted.map { name =>
      val plan = seed.table(session).selectExpr(s"`$name`").queryExecution.sparkPlan
      new Scans(session, plan, Nil)
    }

  private def withConf[A](session: SparkSession, key: String, value: String)(body: => A): A = {
    val before = session.conf.getOption(key)
    session.conf.set(key, value)
    try body
    finally before.fold(session.conf.unset(key))(session.conf.set(key, _))
  }

  private def withJoinFilter(plan: SparkPlan, keys: (Seed.Column, Seq[Any])): SparkPlan =
    plan.transformUp { case FilterExec(condition, child) =>
      val name = keys._1.sql.replace("`", "")
      child.output.find(_.name == name).fold[SparkPlan](FilterExec(condition, child)) { key =>
        val filter = JoinFilter(
          key,
          Literal(serialized(keys._1.dataType, keys._2), BinaryType),
          JoinFilter.Origin("keys", JoinFilter.Rescan),
          new GatheredKeys(keys),
          onlyFiles = false,
          bytesBehind = 0
        )
        FilterExec(And(condition, filter), child)
      }
    }

  private def serialized(dataType: DataType, values: Seq[Any]): Array[Byte] = dataType match {
    case StringType =>
      val keys = new KeyCollector(KeyDomain.BYTES, KeyLimits.DEFAULT)
      values.foreach { v =>
        val bytes = v.asInstanceOf[UTF8String].getBytes
        keys.add(bytes, 0, bytes.length)
      }
      keys.finish().get.serialize()
    case _ =>
      val keys = new KeyCollector(KeyDomain.LONGS, KeyLimits.DEFAULT)
      values.foreach(v => keys.add(v.asInstanceOf[Number].longValue))
      keys.finish().get.serialize()
  }
}
