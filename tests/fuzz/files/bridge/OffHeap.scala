// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.unsafe

import java.lang.invoke.MethodHandles
import java.util.concurrent.ConcurrentSkipListMap

import scala.collection.mutable

import org.apache.xbean.asm9.Opcodes._
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor}
import sun.misc.Unsafe

/** Checks each access to memory outside the heap that goes through Spark's `Platform`: off-heap
  * vectors do not check their indexes, so that a damaged file overwrites memory, and the JVM ends
  * much later or not at all. Here because a class can be defined from its own package only.
  */
object OffHeap {

  /** Start to end of the allocated memory. */
  private val allocated = new ConcurrentSkipListMap[Long, Long]

  private val found = mutable.Buffer.empty[Throwable]

  /** Defines `Platform` with the checks, before anything else loads it. */
  def check(): Unit = {
    val name = "org/apache/spark/unsafe/Platform.class"
    val in = getClass.getClassLoader.getResourceAsStream(name)
    val reader =
      try new ClassReader(in)
      finally in.close()
    val writer = new ClassWriter(ClassWriter.COMPUTE_MAXS)
    reader.accept(new Checked(writer), 0)
    MethodHandles.lookup().defineClass(writer.toByteArray)
  }

  /** The accesses outside of allocated memory since the last call. */
  def outside(): Seq[Throwable] = found.synchronized {
    val all = found.toSeq
    found.clear()
    all
  }

  // ---- called by Platform

  /** @throws IndexOutOfBoundsException if memory outside the heap is not allocated */
  def accessed(base: Object, address: Long, length: Long): Unit =
    if (base == null && length > 0) {
      val below = allocated.floorEntry(address)
      if (below == null || address + length > below.getValue) {
        val e = new IndexOutOfBoundsException(s"$length bytes at $address, outside of the memory")
        found.synchronized { if (found.size < 16) found += e }
        throw e
      }
    }

  def allocate(unsafe: Unsafe, length: Long): Long = {
    val address = unsafe.allocateMemory(length)
    if (address != 0) allocated.put(address, address + length)
    address
  }

  def free(unsafe: Unsafe, address: Long): Unit = {
    allocated.remove(address)
    unsafe.freeMemory(address)
  }

  private val Sizes = Map(
    "Boolean" -> 1,
    "Byte" -> 1,
    "Short" -> 2,
    "Int" -> 4,
    "Float" -> 4,
    "Long" -> 8,
    "Double" -> 8
  )

  private val Access = "(get|put)(\\w+)".r

  final private class Checked(writer: ClassWriter) extends ClassVisitor(ASM9, writer) {
    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        exceptions: Array[String]
    ): MethodVisitor = {
      val to = super.visitMethod(access, name, descriptor, signature, exceptions)
      new MethodVisitor(ASM9, to) {
        override def visitCode(): Unit = {
          super.visitCode()
          (name, descriptor) match {
            case (Access(_, kind), d)
                if d.startsWith("(Ljava/lang/Object;J") && Sizes.contains(kind) =>
              accessed(Some(0), 1)(super.visitLdcInsn(Long.box(Sizes(kind))))
            case ("setMemory", "(Ljava/lang/Object;JJB)V") =>
              accessed(Some(0), 1)(super.visitVarInsn(LLOAD, 3))
            case ("setMemory", "(JBJ)V") => accessed(None, 0)(super.visitVarInsn(LLOAD, 3))
            case ("copyMemory", _)       =>
              accessed(Some(0), 1)(super.visitVarInsn(LLOAD, 6))
              accessed(Some(3), 4)(super.visitVarInsn(LLOAD, 6))
            case _ =>
          }
        }

        override def visitMethodInsn(
            opcode: Int,
            owner: String,
            name: String,
            descriptor: String,
            isInterface: Boolean
        ): Unit = (owner, name) match {
          case ("sun/misc/Unsafe", "allocateMemory") => call("allocate", "(Lsun/misc/Unsafe;J)J")
          case ("sun/misc/Unsafe", "freeMemory")     => call("free", "(Lsun/misc/Unsafe;J)V")
          case _ => super.visitMethodInsn(opcode, owner, name, descriptor, isInterface)
        }

        /** @param base the variable of the array; None for memory outside the heap */
        private def accessed(base: Option[Int], address: Int)(length: => Unit): Unit = {
          base.fold(super.visitInsn(ACONST_NULL))(super.visitVarInsn(ALOAD, _))
          super.visitVarInsn(LLOAD, address)
          length
          call("accessed", "(Ljava/lang/Object;JJ)V")
        }

        private def call(name: String, descriptor: String): Unit =
          super.visitMethodInsn(
            INVOKESTATIC,
            "org/apache/spark/unsafe/OffHeap",
            name,
            descriptor,
            false
          )
      }
    }
  }
}
