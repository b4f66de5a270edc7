// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import scala.reflect.ClassTag

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.rdd.RDD
import org.apache.spark.{Partition, SparkEnv, TaskContext, TaskContextImpl}

/** What tests look at, and do, inside of a task: here because Spark keeps it to itself. */
object TaskProbe {

  /** Bytes of execution memory on the heap that all tasks hold. */
  def heldOnHeap: Long = SparkEnv.get.memoryManager.onHeapExecutionMemoryUsed

  /** Marks the running task as killed, as Spark does when it is not to interrupt the thread; but
    * the executor does not know why it ends then.
    */
  def kill(): Unit = TaskContext.get() match {
    case task: TaskContextImpl => task.markInterrupted("on purpose")
    case other                 => throw new IllegalStateException(s"no task, but $other")
  }

  /** Takes all memory but `left` bytes until the task ends, as an operator of it would.
    *
    * @return
    *   how often it was asked to spill
    */
  def takeAllBut(left: Long): () => Int = {
    val task = TaskContext.get()
    val operator = new Operator(task)
    operator.acquireMemory(Long.MaxValue)
    operator.freeMemory(left)
    task.addTaskCompletionListener[Unit](_ => operator.freeMemory(operator.getUsed))
    () => operator.spills
  }

  /** Asks for all memory as an operator of the task would.
    *
    * @return
    *   how much it got, and how much then was held by anybody else
    */
  def takeAll(): (Long, Long) = {
    val operator = new Operator(TaskContext.get())
    val got = operator.acquireMemory(Long.MaxValue)
    val others = heldOnHeap - got
    operator.freeMemory(got)
    (got, others)
  }

  private class Operator(task: TaskContext)
      extends MemoryConsumer(task.taskMemoryManager(), MemoryMode.ON_HEAP) {
    var spills = 0

    override def spill(size: Long, trigger: MemoryConsumer): Long = {
      spills += 1
      0
    }
  }
}

/** The same elements; `atEnd` runs in each task after all listeners that the elements come with. */
class AfterTask[A: ClassTag](elements: RDD[A], atEnd: () => Unit) extends RDD[A](elements) {

  override def compute(split: Partition, task: TaskContext): Iterator[A] = {
    task.addTaskCompletionListener[Unit](_ => atEnd())
    firstParent[A].iterator(split, task)
  }

  override protected def getPartitions: Array[Partition] = firstParent[A].partitions
}
