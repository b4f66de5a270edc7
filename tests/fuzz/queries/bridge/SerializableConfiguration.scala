// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.util

import java.io.{ObjectInputStream, ObjectOutputStream}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

/** Stands in front of Spark's own, which is sent with every scan: Hadoop compresses the origin of
  * each entry by itself, which takes a fifth of the time that short queries take. Here entries have
  * no origin.
  */
class SerializableConfiguration(@transient var value: Configuration) extends Serializable {
  private def writeObject(out: ObjectOutputStream): Unit = {
    out.defaultWriteObject()
    val entries = value.iterator().asScala.toSeq
    out.writeInt(entries.size)
    entries.foreach { e =>
      out.writeObject(e.getKey)
      out.writeObject(e.getValue)
    }
  }

  private def readObject(in: ObjectInputStream): Unit = {
    in.defaultReadObject()
    value = new Configuration(false)
    for (_ <- 0 until in.readInt()) {
      value.set(in.readObject().asInstanceOf[String], in.readObject().asInstanceOf[String])
    }
  }
}

object SerializableConfiguration {
  def broadcast(context: SparkContext, conf: Configuration): Broadcast[SerializableConfiguration] =
    context.broadcast(new SerializableConfiguration(conf))

  def broadcast(context: SparkContext): Broadcast[SerializableConfiguration] =
    broadcast(context, context.hadoopConfiguration)
}
