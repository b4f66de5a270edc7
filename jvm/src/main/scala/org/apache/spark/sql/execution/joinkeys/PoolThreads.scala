// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{ExecutorService, Future, Semaphore, TimeUnit, TimeoutException}

import scala.annotation.tailrec

import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.execution.SubqueryExec
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec
import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}

import latebloom.line.Compat.when

/** Waits for the keys of join filters without blocking Spark's limited thread pools.
  *
  * A scan may run in a thread of such a pool: the small side of a broadcast join runs in the pool
  * for broadcasts. Its keys may need another broadcast, while all threads of the pool wait: for
  * keys, or, in Spark itself, for a subquery that waits for keys. That would be a deadlock. So a
  * scan waits only while every pool serves its queue. After each interval it queues a probe: once
  * the probe has run, everything queued before it has started, including the broadcast that the
  * keys need. A scan whose probe is still queued continues without the keys, in whatever thread it
  * is, since another thread may wait for it.
  *
  * At most half of a pool's threads may wait at all, so that few queries get that far. Spark also
  * limits the time of a broadcast: a scan below one waits for at most a quarter of that time, so
  * that waiting does not fail a query that would otherwise finish in time.
  *
  * A scan that has [[Patience]] waits no longer than that, in whatever thread.
  */
private[joinkeys] object PoolThreads {

  // The longest time that a probe may stay queued at first. A free thread takes it at once.
  private val shortest = TimeUnit.MILLISECONDS.toNanos(250)
  private val longest = TimeUnit.SECONDS.toNanos(8)

  // How often patience is asked.
  private val instant = TimeUnit.MILLISECONDS.toNanos(10)

  /** @param prefix
    *   prefix of the names of the pool's threads
    * @param size
    *   most threads: fixed for the life of the process
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

  /** The result of `future`; None if this thread must not wait for it, or not that long. */
  def await[A](future: Future[A], conf: SQLConf, patience: Patience): Option[A] =
    if (future.isDone) {
      Some(future.get())
    } else {
      pools.find(p => Thread.currentThread.getName.startsWith(p.prefix)) match {
        case None                                    => whileServed(future, patience, None)
        case Some(pool) if pool.waiting.tryAcquire() =>
          try {
            val most = TimeUnit.SECONDS.toNanos(conf.broadcastTimeout) / 4
            whileServed(future, patience, when(pool.limited)(System.nanoTime() + most))
          } finally pool.waiting.release()
        case Some(_) => None
      }
    }

  /** Waits first without a probe, as most keys arrive soon, then in growing intervals: each probe
    * may start a thread that idles for a minute.
    */
  private def whileServed[A](
      future: Future[A],
      patience: Patience,
      deadline: Option[Long]
  ): Option[A] = {
    @tailrec def wait(nanos: Long, probes: Seq[Future[_]]): Option[A] = {
      val left = deadline.fold(nanos)(d => (d - System.nanoTime()).min(nanos))
      within(future, System.nanoTime() + left, patience) match {
        case None if left == nanos && probes.forall(_.isDone) && !patience.isSpent =>
          wait((nanos * 2).min(longest), pools.map(_.probe()))
        case result =>
          probes.foreach(_.cancel(false))
          result
      }
    }
    wait(shortest, Nil)
  }

  @tailrec private def within[A](future: Future[A], end: Long, patience: Patience): Option[A] = {
    val left = end - System.nanoTime()
    if (future.isDone) Some(future.get())
    else if (left <= 0 || patience.isSpent) None
    else {
      try future.get(left.min(instant), TimeUnit.NANOSECONDS)
      catch { case _: TimeoutException => () }
      within(future, end, patience)
    }
  }
}
