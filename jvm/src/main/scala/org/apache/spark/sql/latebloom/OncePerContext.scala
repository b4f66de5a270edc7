// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.util.{Collections, WeakHashMap}

import org.apache.spark.SparkContext

/** Does something once for each context, which it does not keep from being collected. */
final class OncePerContext {
  private val known = Collections.newSetFromMap(new WeakHashMap[SparkContext, java.lang.Boolean])

  /** Runs `body`, unless it has run for this context or the context has stopped. */
  def apply(context: SparkContext)(body: => Unit): Unit = synchronized {
    if (!context.isStopped && known.add(context)) body
  }
}
