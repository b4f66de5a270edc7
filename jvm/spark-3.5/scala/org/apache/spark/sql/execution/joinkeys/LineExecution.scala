// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.concurrent.{CompletableFuture, ExecutorService}

import org.apache.spark.SparkException
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.SQLExecution

/** Threads and errors of plan execution, which differ from line to line. */
private[joinkeys] object LineExecution {

  /** Runs `body` in one of the threads, under the calling thread's session and local properties. */
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

  /** Thread pools that only some lines have: none in this line. */
  def pools: Seq[(String, ConfigEntry[Int], ExecutorService)] = Nil

  private val jobCancelled = """(?s)Job \d+ cancelled.*"""

  /** Whether the error reports a cancelled job. It has no error class in this line. */
  def isJobCancelled(error: Throwable): Boolean = error match {
    case s: SparkException => s.getErrorClass == null && s.getMessage.matches(jobCancelled)
    case _                 => false
  }
}
