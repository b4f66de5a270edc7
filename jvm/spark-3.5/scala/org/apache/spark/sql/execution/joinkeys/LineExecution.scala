// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{CompletableFuture, ExecutorService}

import org.apache.spark.SparkException
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.SQLExecution

/** How plans of this line are executed. */
private[joinkeys] object LineExecution {

  /** Runs `body` in one of the threads, with what this one has of the session. */
  def submit[T](session: SparkSession, threads: ExecutorService)(
      body: => T
  ): CompletableFuture[T] = {
    val result = new CompletableFuture[T]
    SQLExecution.withThreadLocalCaptured(session, threads) {
      try result.complete(body)
      catch { case e: Throwable => result.completeExceptionally(e) }
    }
    result
  }

  /** Pools that not all lines have: this one has none of them. */
  def pools: Seq[(String, ConfigEntry[Int], ExecutorService)] = Nil

  private val jobCancelled = """(?s)Job \d+ cancelled.*"""

  /** Whether the error is that somebody cancelled a job: in this line it has no name. */
  def isJobCancelled(error: Throwable): Boolean = error match {
    case s: SparkException => s.getErrorClass == null && s.getMessage.matches(jobCancelled)
    case _                 => false
  }
}
