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

/** How plans of this line are executed. */
private[joinkeys] object LineExecution {

  /** Runs `body` in one of the threads, with what this one has of the session. */
  def submit[T](session: SparkSession, threads: ExecutorService)(
      body: => T
  ): CompletableFuture[T] = SQLExecution.withThreadLocalCaptured(session, threads)(body)

  /** Pools that not all lines have: what their threads are called, how many, and the pool. */
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

  /** Whether the error is that somebody cancelled a job. */
  def isJobCancelled(error: Throwable): Boolean = error match {
    case s: SparkThrowable => s.getCondition == "SPARK_JOB_CANCELLED"
    case _                 => false
  }
}
