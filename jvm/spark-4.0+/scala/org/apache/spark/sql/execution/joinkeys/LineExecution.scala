// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{CompletableFuture, ExecutorService}

import org.apache.spark.SparkThrowable
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.adaptive.ResultQueryStageExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.internal.StaticSQLConf

/** Threads and errors of plan execution, which differ from line to line. */
private[joinkeys] object LineExecution {

  /** Runs `body` in one of the threads, under the calling thread's session and local properties. */
  def submit[T](session: SparkSession, threads: ExecutorService)(
      body: => T
  ): CompletableFuture[T] = SQLExecution.withThreadLocalCaptured(session, threads)(body)

  /** Thread pools that only some lines have: prefix of the thread names, size setting and pool. */
  def pools: Seq[(String, ConfigEntry[Int], ExecutorService)] = Seq(
    (
      "shuffle-exchange",
      StaticSQLConf.SHUFFLE_EXCHANGE_MAX_THREAD_THRESHOLD,
      ShuffleExchangeExec.executionContext
    ),
    (
      "ResultQueryStageExecution",
      StaticSQLConf.RESULT_QUERY_STAGE_MAX_THREAD_THRESHOLD,
      ResultQueryStageExec.executionContext
    )
  )

  /** Whether the error reports a cancelled job. */
  def isJobCancelled(error: Throwable): Boolean = error match {
    case s: SparkThrowable => s.getCondition == "SPARK_JOB_CANCELLED"
    case _                 => false
  }
}
