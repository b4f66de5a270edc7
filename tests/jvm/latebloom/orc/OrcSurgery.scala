// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.{ByteArrayOutputStream, File}
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.orc.OrcProto

/** Rewrites an uncompressed ORC file with other metadata, or streams. */
object OrcSurgery {

  /** Changes to the parts of a file. */
  case class Changes(
      metadata: OrcProto.Metadata.Builder => Unit = _ => (),
      footer: OrcProto.Footer.Builder => Unit = _ => (),
      postscript: OrcProto.PostScript.Builder => Unit = _ => (),
      stripe: OrcProto.StripeInformation.Builder => Unit = _ => (),
      stripeFooter: OrcProto.StripeFooter.Builder => Unit = _ => (),
      index: (Int, OrcProto.RowIndex.Builder) => Unit = (_, _) => (),
      data: (OrcProto.StreamOrBuilder, Array[Byte]) => Array[Byte] = (_, bytes) => bytes
  )

  def rewrite(file: File, changes: Changes): Unit =
    Files.write(file.toPath, rewritten(Files.readAllBytes(file.toPath), changes))

  /** Changes only the postscript. */
  def claim(file: File)(change: OrcProto.PostScript.Builder => Unit): Unit = {
    val bytes = Files.readAllBytes(file.toPath)
    val from = bytes.length - 1 - (bytes.last & 0xff)
    val postscript = OrcProto.PostScript.parseFrom(bytes.slice(from, bytes.length - 1)).toBuilder
    change(postscript)
    val end = postscript.build().toByteArray
    Files.write(file.toPath, (bytes.take(from) ++ end) :+ end.length.toByte)
  }

  private def rewritten(bytes: Array[Byte], changes: Changes): Array[Byte] = {
    def slice(from: Long, n: Long) = bytes.slice(from.toInt, (from + n).toInt)
    val length = bytes.length - 1L
    val postscriptLength = bytes.last & 0xff
    val postscript =
      OrcProto.PostScript.parseFrom(slice(length - postscriptLength, postscriptLength)).toBuilder
    require(postscript.getCompression == OrcProto.CompressionKind.NONE)
    val footerAt = length - postscriptLength - postscript.getFooterLength
    val footer =
      OrcProto.Footer.parseFrom(slice(footerAt, postscript.getFooterLength)).toBuilder
    val metadataAt = footerAt - postscript.getMetadataLength
    val metadata =
      OrcProto.Metadata.parseFrom(slice(metadataAt, postscript.getMetadataLength)).toBuilder

    val out = new ByteArrayOutputStream
    out.write(slice(0, footer.getHeaderLength))
    for (info <- footer.getStripesBuilderList.asScala) {
      val footerOffset = info.getOffset + info.getIndexLength + info.getDataLength
      val stripeFooter =
        OrcProto.StripeFooter.parseFrom(slice(footerOffset, info.getFooterLength)).toBuilder
      var at = info.getOffset
      info.setOffset(out.size)
      for (stream <- stripeFooter.getStreamsBuilderList.asScala) {
        val old = slice(at, stream.getLength)
        at += stream.getLength
        if (stream.getKind == OrcProto.Stream.Kind.ROW_INDEX) {
          val index = OrcProto.RowIndex.parseFrom(old).toBuilder
          changes.index(stream.getColumn, index)
          val changed = index.build().toByteArray
          stream.setLength(changed.length)
          info.setIndexLength(info.getIndexLength + changed.length - old.length)
          out.write(changed)
        } else {
          val changed = changes.data(stream, old)
          stream.setLength(changed.length)
          info.setDataLength(info.getDataLength + changed.length - old.length)
          out.write(changed)
        }
      }
      changes.stripeFooter(stripeFooter)
      val changed = stripeFooter.build().toByteArray
      info.setFooterLength(changed.length)
      out.write(changed)
      changes.stripe(info)
    }
    changes.metadata(metadata)
    footer.setContentLength(out.size)
    changes.footer(footer)
    changes.postscript(postscript)
    val tail = Seq(metadata.build().toByteArray, footer.build().toByteArray)
    tail.foreach(out.write)
    postscript.setMetadataLength(tail(0).length).setFooterLength(tail(1).length)
    val end = postscript.build().toByteArray
    out.write(end)
    out.write(end.length)
    out.toByteArray
  }
}
