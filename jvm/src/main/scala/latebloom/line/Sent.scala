// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import java.io.{ObjectInputStream, ObjectOutputStream}
import java.nio.ByteBuffer

import org.apache.spark.SparkConf
import org.apache.spark.serializer.JavaSerializer

/** What a driver sends to its tasks, so that only its own build takes it.
  *
  * Its serialised form is the build that wrote it, then the value as bytes, and no build may change
  * that. Another build refuses it before it looks for a class that it may lack. An executor without
  * LateBloom misses this class, and no more: Java reads whatever belongs to an object whose class
  * is missing, and would stumble over collections of Scala's in it.
  */
@SerialVersionUID(1L)
final class Sent[A](@transient private var value: A) extends Serializable {

  def get: A = value

  private def writeObject(out: ObjectOutputStream): Unit = {
    // Without the class, Java expects fields, be there none, before other data.
    out.defaultWriteObject()
    out.writeUTF(Build.id)
    val written = Sent.serializer.newInstance().serialize[Any](value)
    val bytes = new Array[Byte](written.remaining)
    written.get(bytes)
    out.writeObject(bytes)
  }

  private def readObject(in: ObjectInputStream): Unit = {
    in.defaultReadObject()
    Build.require(in.readUTF())
    val bytes = ByteBuffer.wrap(in.readObject().asInstanceOf[Array[Byte]])
    val loader = Thread.currentThread.getContextClassLoader
    value = Sent.serializer.newInstance().deserialize[Any](bytes, loader).asInstanceOf[A]
  }
}

private object Sent {

  /** As Spark serialises functions, whatever it serialises rows with. */
  private val serializer = new JavaSerializer(new SparkConf(false))
}
