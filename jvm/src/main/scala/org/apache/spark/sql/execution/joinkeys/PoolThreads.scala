// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{Future, Semaphore, TimeUnit, TimeoutException}

import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}

/** Waits for the keys of join filters in the threads of Spark's pools, which are limited.
  *
  * A scan may be executed in one of them: the small side of a broadcast join in the pool that makes
  * broadcasts. Its keys may have to come from another broadcast, which has no thread if all of the
  * pool's wait for keys; they would wait for ever. So at most half of a pool's threads wait at a
  * time, and a scan that would be one more does without the keys. At least one thread of each pool
  * thus never waits for us, whatever is queued behind is executed, and with it what the others wait
  * for.
  *
  * Spark limits the time that a broadcast may take. A scan below one waits for no more than a
  * quarter of it, so that waiting does not fail a query that would have been in time.
  */
private[joinkeys] object PoolThreads {

  final private class Pool(val prefix: String, threads: Int, val limited: Boolean) {
    val waiting = new Semaphore(threads / 2)
  }

  // What Spark calls the threads, and how many it allows: fixed for the life of the process.
  private lazy val pools = {
    def threads(entry: org.apache.spark.internal.config.ConfigEntry[Int]) =
      SQLConf.get.getConf(entry)
    Seq(
      new Pool(
        "broadcast-exchange",
        threads(StaticSQLConf.BROADCAST_EXCHANGE_MAX_THREAD_THRESHOLD),
        limited = true
      ),
      new Pool(
        "shuffle-exchange",
        threads(StaticSQLConf.SHUFFLE_EXCHANGE_MAX_THREAD_THRESHOLD),
        limited = false
      ),
      new Pool("subquery", threads(StaticSQLConf.SUBQUERY_MAX_THREAD_THRESHOLD), limited = false),
      new Pool(
        "ResultQueryStageExecution",
        threads(StaticSQLConf.RESULT_QUERY_STAGE_MAX_THREAD_THRESHOLD),
        limited = false
      )
    )
  }

  /** What `future` gives; None if this thread must not wait for it, or not for so long. */
  def await[A](future: Future[A], conf: SQLConf): Option[A] =
    pools.find(p => Thread.currentThread.getName.startsWith(p.prefix)) match {
      case _ if future.isDone => Some(future.get())
      case None               => Some(future.get())
      case Some(pool)         =>
        if (pool.waiting.tryAcquire()) {
          try
            if (pool.limited) within(future, conf.broadcastTimeout) else Some(future.get())
          finally pool.waiting.release()
        } else {
          None
        }
    }

  private def within[A](future: Future[A], broadcastSeconds: Long): Option[A] =
    try Some(future.get(TimeUnit.SECONDS.toMillis(broadcastSeconds) / 4, TimeUnit.MILLISECONDS))
    catch { case _: TimeoutException => None }
}
