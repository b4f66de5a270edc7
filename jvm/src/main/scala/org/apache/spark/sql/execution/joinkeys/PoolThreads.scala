// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{ExecutorService, Future, Semaphore, TimeUnit, TimeoutException}

import scala.annotation.tailrec

import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.execution.SubqueryExec
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec
import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}

import latebloom.line.Compat.when

/** Waits for the keys of join filters beside the threads of Spark's pools, which are limited.
  *
  * A scan may be executed in a thread of such a pool: the small side of a broadcast join in the one
  * that makes broadcasts. Its keys may have to come from another broadcast, for which the pool may
  * have no thread left, since all of them wait: for keys, or, by Spark itself, for a subquery,
  * which waits for keys. Nobody would ever end. So a scan waits only while every pool has a thread
  * for what is put into its queue. It puts a probe there each time that it has waited a little:
  * once the probe was executed, so was, or is, all that was queued before it, the broadcast that
  * the keys need among it. A scan whose probe still lies in a queue does without the keys, whatever
  * thread it is in, as somebody may wait for it in turn.
  *
  * At most half of a pool's threads wait at all, so that few queries come that far. And Spark
  * limits the time that a broadcast may take: a scan below one waits for no more than a quarter of
  * it, so that waiting does not fail a query that would have been in time.
  */
private[joinkeys] object PoolThreads {

  // How long a probe may lie in a queue. A pool with a free thread takes it at once.
  private val shortest = TimeUnit.MILLISECONDS.toNanos(250)
  private val longest = TimeUnit.SECONDS.toNanos(8)

  /** @param prefix
    *   what Spark calls the pool's threads
    * @param size
    *   how many it allows: fixed for the life of the process
    */
  final private class Pool(
      val prefix: String,
      size: ConfigEntry[Int],
      executor: ExecutorService,
      val limited: Boolean = false
  ) {
    val waiting = new Semaphore(SQLConf.get.getConf(size) / 2)

    def probe(): Future[_] = executor.submit((() => ()): Runnable)
  }

  private lazy val pools = Seq(
    new Pool(
      "broadcast-exchange",
      StaticSQLConf.BROADCAST_EXCHANGE_MAX_THREAD_THRESHOLD,
      BroadcastExchangeExec.executionContext,
      limited = true
    ),
    new Pool(
      "subquery",
      StaticSQLConf.SUBQUERY_MAX_THREAD_THRESHOLD,
      SubqueryExec.executionContext
    )
  ) ++ LineExecution.pools.map { case (prefix, size, executor) =>
    new Pool(prefix, size, executor)
  }

  /** What `future` gives; None if this thread must not wait for it, or not for so long. */
  def await[A](future: Future[A], conf: SQLConf): Option[A] =
    if (future.isDone) {
      Some(future.get())
    } else {
      pools.find(p => Thread.currentThread.getName.startsWith(p.prefix)) match {
        case None                                    => whileServed(future, None)
        case Some(pool) if pool.waiting.tryAcquire() =>
          try {
            val most = TimeUnit.SECONDS.toNanos(conf.broadcastTimeout) / 4
            whileServed(future, when(pool.limited)(System.nanoTime() + most))
          } finally pool.waiting.release()
        case Some(_) => None
      }
    }

  /** Waits, at first without a probe, as most keys come soon, then for longer each time: each probe
    * is a thread that idles for a minute.
    */
  private def whileServed[A](future: Future[A], deadline: Option[Long]): Option[A] = {
    @tailrec def wait(nanos: Long, probes: Seq[Future[_]]): Option[A] = {
      val left = deadline.fold(nanos)(d => (d - System.nanoTime()).min(nanos))
      within(future, left) match {
        case None if left == nanos && probes.forall(_.isDone) =>
          wait((nanos * 2).min(longest), pools.map(_.probe()))
        case result =>
          probes.foreach(_.cancel(false))
          result
      }
    }
    wait(shortest, Nil)
  }

  private def within[A](future: Future[A], nanos: Long): Option[A] =
    try Some(future.get(nanos, TimeUnit.NANOSECONDS))
    catch { case _: TimeoutException => None }
}
