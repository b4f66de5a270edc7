// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.optimizer.BuildLeft
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec

import latebloom.line.Compat._

/** A scan that can say in which order to begin its splits. */
private[latebloom] trait BestFirst {

  /** The numbers of the partitions, those with the first rows first; None if that is not known. */
  def bestFirst: Option[Seq[Int]]
}

/** Executes [[TopRows]]: each task keeps the first rows of its partition, and tells the scan the
  * worst of them; partitions that may hold the first rows of all begin first, and what they found
  * is known to the others from their start.
  *
  * @param place
  *   of a row of the child: columns as in [[RowPlace.All]]
  */
final case class TopRowsExec private[toprows] (
    wanted: Int,
    order: Seq[SortOrder],
    place: Seq[Attribute],
    bound: Option[TopOrder],
    child: SparkPlan,
    override val output: Seq[Attribute]
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def executeCollect(): Array[InternalRow] = executeQuery {
    val places = search().toSeq.map(stored)
    val bytes: Any = if (places.contains(None)) null else RowsOfFiles(places.flatten).serialize()
    Array(UnsafeProjection.create(output.map(_.dataType).toArray).apply(InternalRow(bytes)))
  }

  /** Where a row is that was found; None if its file is not known. */
  private def stored(row: InternalRow): Option[StoredRow] = {
    def long(i: Int) = when(!row.isNullAt(order.size + i))(row.getLong(order.size + i))
    when(!row.isNullAt(order.size))(row.getUTF8String(order.size).toString).map { file =>
      StoredRow(file, long(1), for (start <- long(2); length <- long(3)) yield (start, length))
    }
  }

  private def search(): FirstRows = {
    val rows = child.execute()
    val all = rows.partitions.indices
    val ordered = TopRowsExec.scanOf(child).flatMap(_.bestFirst).filter(_.size == all.size)
    val partitions = ordered.getOrElse(all)
    val cores = sparkContext.defaultParallelism
    val found = new FirstRows(wanted, TopRowsExec.ordering(order))
    val (first, rest) =
      if (bound.isEmpty || partitions.size <= 2 * cores) (partitions, Nil)
      else partitions.splitAt(cores)
    run(rows, first, found)
    if (rest.nonEmpty) run(rows, rest, found)
    found
  }

  private def run(rows: RDD[InternalRow], partitions: Seq[Int], found: FirstRows): Unit = {
    val dataType = order.head.child.dataType
    val known = for (o <- bound; row <- found.last) yield TopBound(row.get(0, dataType), o.isWhole)
    val task = new SearchTask(
      wanted,
      order.map(o => o.copy(child = BindReferences.bindReference(o.child, child.output))),
      place.map(BindReferences.bindReference[Expression](_, child.output)),
      bound,
      known
    )
    // Of a class that Spark registers with Kryo, should that be the session's serializer.
    sparkContext.runJob[InternalRow, ArrayBuffer[UnsafeRow]](
      rows,
      task.run(_, _),
      partitions,
      (_: Int, some: ArrayBuffer[UnsafeRow]) => some.foreach(found.add)
    )
  }

  override def executeTake(n: Int): Array[InternalRow] = executeCollect().take(n)

  override protected def doExecute(): RDD[InternalRow] =
    sparkContext.parallelize(executeCollect().toSeq, 1)

  override def stringArgs: Iterator[Any] = Iterator(wanted, order)

  override protected def withNewChildInternal(newChild: SparkPlan): TopRowsExec =
    copy(child = newChild)
}

private object TopRowsExec {

  /** The order of rows that begin with the values of its parts. */
  def ordering(order: Seq[SortOrder]): Ordering[InternalRow] =
    new LazilyGeneratedOrdering(order.zipWithIndex.map { case (o, i) =>
      o.copy(
        child = BoundReference(i, o.child.dataType, nullable = true),
        sameOrderExpressions = Nil
      )
    })

  /** The scan whose partitions are those of the plan. */
  @tailrec
  def scanOf(plan: SparkPlan): Option[BestFirst] = plan match {
    case scan: BestFirst             => Some(scan)
    case join: BroadcastHashJoinExec =>
      scanOf(if (join.buildSide == BuildLeft) join.right else join.left)
    case _: ProjectExec | _: FilterExec | _: ColumnarToRowExec | _: WholeStageCodegenExec |
        _: InputAdapter =>
      scanOf(plan.children.head)
    case _ => None
  }
}

/** The first of all rows that were added, in no order. */
final private class FirstRows(wanted: Int, ordering: Ordering[InternalRow]) {
  private val worstFirst = new java.util.PriorityQueue[UnsafeRow](
    wanted.min(1024) + 1,
    (a: UnsafeRow, b: UnsafeRow) => ordering.compare(b, a)
  )

  /** Adds a row, which the caller may reuse; returns whether the rows changed. */
  def add(row: UnsafeRow): Boolean = {
    val isFull = worstFirst.size == wanted
    val isFirst = !isFull || ordering.compare(row, worstFirst.peek) < 0
    if (isFirst) {
      if (isFull) worstFirst.poll()
      worstFirst.add(row.copy())
    }
    isFirst
  }

  /** The last of the rows, if there are as many as wanted. */
  def last: Option[UnsafeRow] = when(worstFirst.size == wanted)(worstFirst.peek)

  def toSeq: Seq[UnsafeRow] = worstFirst.toArray(Array.empty[UnsafeRow]).toSeq
}

/** Finds the first rows of one partition.
  *
  * @param known
  *   the bound that the partitions before left
  */
final private class SearchTask(
    wanted: Int,
    order: Seq[SortOrder],
    place: Seq[Expression],
    bound: Option[TopOrder],
    known: Option[TopBound]
) extends Serializable {

  def run(context: TaskContext, rows: Iterator[InternalRow]): ArrayBuffer[UnsafeRow] = {
    val first = order.head.child.dataType
    val shared = bound.map(SharedBounds.of(_, first))
    val attempt = context.taskAttemptId()
    shared.foreach { s =>
      known.foreach(s.learn)
      context.addTaskCompletionListener[Unit](_ => s.attemptEnds(attempt))
    }
    val found = new FirstRows(wanted, TopRowsExec.ordering(order))
    val project = UnsafeProjection.create(order.map(_.child) ++ place)
    rows.foreach { row =>
      if (found.add(project(row))) {
        for (s <- shared; worst <- found.last) s.tighten(worst.get(0, first), attempt)
      }
    }
    ArrayBuffer(found.toSeq: _*)
  }
}
