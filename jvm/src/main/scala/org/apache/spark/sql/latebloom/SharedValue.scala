// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.lang.ref.SoftReference
import java.util.UUID

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.util.Utils

import latebloom.read.task.RecentlyUsed

/** A value that the driver sends to each executor once, and that all tasks there share.
  *
  * A broadcast of the value itself would be serialised as the session says, which may be by Kryo:
  * that ignores how a class serialises itself, and refuses classes that nobody registered if
  * `spark.kryo.registrationRequired` is set. A broadcast of bytes is the same for all.
  */
final class SharedValue[A <: AnyRef] private (
    id: String,
    bytes: Broadcast[Array[Byte]],
    @transient private val onDriver: A
) extends Serializable {

  def value: A = if (onDriver != null) onDriver else SharedValue.value(id, bytes)
}

object SharedValue {

  /** Values of scans that run at one time in an executor; another one is deserialised again. */
  private val Most = 256

  private val values = RecentlyUsed.map[String, SoftReference[AnyRef]](Most)

  def apply[A <: AnyRef](value: A, context: SparkContext): SharedValue[A] =
    new SharedValue(UUID.randomUUID().toString, bytes(value, context), value)

  /** A value to broadcast, for [[value]]. */
  private[sql] def bytes(value: AnyRef, context: SparkContext): Broadcast[Array[Byte]] =
    context.broadcast(Utils.serialize(value))

  /** The value of this name that was sent as bytes, deserialised once for all tasks. */
  private[sql] def value[A <: AnyRef](id: String, bytes: Broadcast[Array[Byte]]): A = {
    def known = Option(values.get(id)).flatMap(v => Option(v.get))
    val found = known.getOrElse {
      // Fetched before the lock, so that no task waits for the bytes of another value.
      val sent = bytes.value
      synchronized {
        known.getOrElse {
          val made = Utils.deserialize[AnyRef](sent, Thread.currentThread.getContextClassLoader)
          values.put(id, new SoftReference(made))
          made
        }
      }
    }
    found.asInstanceOf[A]
  }
}
