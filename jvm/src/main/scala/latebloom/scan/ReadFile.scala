// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import java.io.{ObjectInputStream, ObjectOutputStream}
import java.nio.ByteBuffer

import scala.runtime.AbstractFunction1

import org.apache.spark.SparkConf
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

import latebloom.line.Build

/** How a scan's tasks read a file. All of LateBloom that an executor gets with a scan hangs on it.
  *
  * Its serialised form is the build that wrote it, then the function as bytes, and no build may
  * change that. Another build refuses it before it looks for a class that it may lack. An executor
  * without LateBloom misses this class, and no more: Java reads whatever belongs to an object whose
  * class is missing, and would stumble over collections of Scala's in it.
  */
@SerialVersionUID(1L)
final private[scan] class ReadFile(
    @transient private var read: PartitionedFile => Iterator[InternalRow]
) extends AbstractFunction1[PartitionedFile, Iterator[InternalRow]]
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] = read(file)

  private def writeObject(out: ObjectOutputStream): Unit = {
    // Without the class, Java expects fields, be there none, before other data.
    out.defaultWriteObject()
    out.writeUTF(Build.id)
    val written = ReadFile.serializer.newInstance().serialize(read)
    val bytes = new Array[Byte](written.remaining)
    written.get(bytes)
    out.writeObject(bytes)
  }

  private def readObject(in: ObjectInputStream): Unit = {
    in.defaultReadObject()
    Build.require(in.readUTF())
    val bytes = ByteBuffer.wrap(in.readObject().asInstanceOf[Array[Byte]])
    val loader = Thread.currentThread.getContextClassLoader
    read = ReadFile.serializer.newInstance().deserialize(bytes, loader)
  }
}

private object ReadFile {

  /** As Spark serialises functions, whatever it serialises rows with. */
  private val serializer = new JavaSerializer(new SparkConf(false))
}
