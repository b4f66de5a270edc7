// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.TaskSchedulerImpl

/** How long a scan waits for the keys of its joins. Waiting costs the time of cores that have
  * nothing else to do. While all cores work, most of them for the keys, a scan that began would
  * take them from that work: such time counts little, but it does, since the cores may work for
  * other queries, which the scan would not have to wait for.
  *
  * @param cores
  *   how many cores have no task now, and how many have one
  * @param coreNanos
  *   most idle time, in nanoseconds of one core
  */
final class Patience(cores: () => Patience.Cores, coreNanos: Double) {
  private var waited = 0.0
  private var seen = System.nanoTime()

  /** Whether the scan has waited long enough. To be asked often while it waits. */
  def isSpent: Boolean = synchronized {
    val now = System.nanoTime()
    val Patience.Cores(idle, busy) = cores()
    waited += (idle + busy * Patience.BusyShare) * (now - seen)
    seen = now
    waited >= coreNanos
  }
}

object Patience {
  final case class Cores(idle: Int, busy: Int)

  /** What an instant of a busy core counts: the scan could not have had it, or only instead of the
    * keys.
    */
  private val BusyShare = 1.0 / 256

  def endless: Patience = new Patience(() => Cores(0, 0), Double.PositiveInfinity)

  /** @param coreSeconds most idle time, in seconds of one core */
  def of(context: SparkContext, coreSeconds: Double): Patience =
    new Patience(() => cores(context), coreSeconds * 1e9)

  private def cores(context: SparkContext): Cores = context.taskScheduler match {
    case scheduler: TaskSchedulerImpl =>
      val all = context.maxNumConcurrentTasks(context.resourceProfileManager.defaultResourceProfile)
      val busy = scheduler.runningTasksByExecutors.values.sum
      Cores((all - busy).max(0), busy)
    case _ => Cores(1, 0)
  }
}
