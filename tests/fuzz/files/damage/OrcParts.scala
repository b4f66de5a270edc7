// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.orc.impl.{BufferChunk, InStream, OrcCodecPool}
import org.apache.orc.protobuf.Message
import org.apache.orc.{CompressionKind, OrcProto}

/** Locates the parts of an ORC file, and writes the file with some of them replaced. */
final class OrcParts private (data: Array[Byte]) {
  import OrcParts._

  private val psLength = data.last & 0xff
  private val psStart = data.length - 1 - psLength

  val postscript: OrcProto.PostScript =
    OrcProto.PostScript.parseFrom(data.slice(psStart, psStart + psLength))

  require(postscript.getCompressionBlockSize <= MaxChunk)

  private val footerStart = psStart - postscript.getFooterLength.toInt
  private val metadataStart = footerStart - postscript.getMetadataLength.toInt

  val footer: OrcProto.Footer = OrcProto.Footer.parseFrom(plain(data.slice(footerStart, psStart)))

  /** The stripes' statistics. Parsed on use, and may fail: readers can do without them. */
  lazy val metadata: OrcProto.Metadata =
    OrcProto.Metadata.parseFrom(plain(data.slice(metadataStart, footerStart)))

  /** The name of the top-level column that each type id belongs to. */
  private lazy val names: Map[Int, String] = {
    val root = footer.getTypes(0)
    def within(id: Int): Seq[Int] = {
      val children = footer.getTypes(id).getSubtypesList.asScala.toSeq.map(_.intValue)
      require(children.forall(_ > id), "types in a circle")
      id +: children.flatMap(within)
    }
    root.getSubtypesList.asScala.toSeq
      .zip(root.getFieldNamesList.asScala)
      .flatMap { case (id, name) => within(id).map(_ -> name) }
      .toMap
  }

  lazy val stripes: Seq[Stripe] = footer.getStripesList.asScala.toSeq.map { info =>
    val footerStart = (info.getOffset + info.getIndexLength + info.getDataLength).toInt
    val end = footerStart + info.getFooterLength.toInt
    val parsed = OrcProto.StripeFooter.parseFrom(plain(data.slice(footerStart, end)))
    var at = info.getOffset.toInt
    val streams = parsed.getStreamsList.asScala.toSeq.map { s =>
      val start = at
      at += s.getLength.toInt
      Stream(s, names.getOrElse(s.getColumn, ""), start, at)
    }
    Stripe(info, parsed, streams, footerStart, end)
  }

  /** The regions of the file's tail. */
  def tail: Seq[Bytes.Region] = Seq(
    Bytes.Region("the stripes' statistics", metadataStart, footerStart),
    Bytes.Region("the footer", footerStart, psStart),
    Bytes.Region("the postscript", psStart, data.length)
  )

  private def kind = CompressionKind.valueOf(postscript.getCompression.name)

  /** Decompresses the chunks of a stream or a message. */
  def plain(bytes: Array[Byte]): Array[Byte] =
    if (bytes.isEmpty || kind == CompressionKind.NONE) bytes
    else {
      val codec = OrcCodecPool.getCodec(kind)
      val options =
        InStream.options().withCodec(codec).withBufferSize(postscript.getCompressionBlockSize.toInt)
      val chunk = new BufferChunk(ByteBuffer.wrap(bytes), 0)
      val in = InStream.create("", chunk, 0, bytes.length.toLong, options)
      try in.readAllBytes()
      finally {
        in.close()
        OrcCodecPool.returnCodec(kind, codec)
      }
    }

  /** The number of compression chunks in the bytes. */
  def chunks(bytes: Array[Byte]): Int =
    if (kind == CompressionKind.NONE) 1
    else {
      Iterator.iterate(0) { at =>
        at + 3 + ((bytes(
          at
        ) & 0xff | (bytes(at + 1) & 0xff) << 8 | (bytes(at + 2) & 0xff) << 16) >> 1)
      }.takeWhile(_ < bytes.length).size
    }

  /** Frames bytes in compression chunks that are marked as uncompressed. */
  def framed(bytes: Array[Byte]): Array[Byte] =
    if (kind == CompressionKind.NONE) bytes
    else {
      val out = new ByteArrayOutputStream
      bytes.grouped(postscript.getCompressionBlockSize.toInt.max(1)).foreach { chunk =>
        val head = chunk.length << 1 | 1
        Seq(head, head >> 8, head >> 16).foreach(out.write)
        out.write(chunk)
      }
      out.toByteArray
    }

  /** The file with a stream's bytes replaced. */
  def withStream(stripe: Stripe, index: Int, bytes: Array[Byte]): Array[Byte] = {
    val stream = stripe.streams(index)
    val changed = stripe.footer.toBuilder
    changed.getStreamsBuilder(index).setLength(bytes.length.toLong)
    val isIndex = stream.start < stripe.info.getOffset + stripe.info.getIndexLength
    val body = data.slice(stripe.info.getOffset.toInt, stream.start) ++ bytes ++
      data.slice(stream.end, stripe.footerStart)
    val more = bytes.length - (stream.end - stream.start)
    withStripe(stripe, body, if (isIndex) more else 0, changed)
  }

  /** The file without row indexes, so that no reader can seek to a row within a stripe. */
  def withoutIndexes: Array[Byte] =
    stripes.indices.foldLeft(data) { (bytes, i) =>
      val parts = new OrcParts(bytes)
      val changed = parts.stripes(i).footer.toBuilder
      changed.getStreamsBuilderList.asScala
        .filter(_.getKind == OrcProto.Stream.Kind.ROW_INDEX)
        .foreach(_.setKind(OrcProto.Stream.Kind.BLOOM_FILTER))
      parts.withStripeFooter(parts.stripes(i), changed)
    }

  /** The file with a stripe's footer replaced. */
  def withStripeFooter(stripe: Stripe, footer: Message.Builder): Array[Byte] =
    withStripe(stripe, data.slice(stripe.info.getOffset.toInt, stripe.footerStart), 0, footer)

  /** The file with a stripe replaced.
    *
    * @param body
    *   the bytes of its indexes and data
    * @param moreIndex
    *   by how many bytes its indexes grow
    */
  private def withStripe(
      stripe: Stripe,
      body: Array[Byte],
      moreIndex: Int,
      stripeFooter: Message.Builder
  ): Array[Byte] = {
    val written = framed(stripeFooter.buildPartial().toByteArray)
    val changed = footer.toBuilder
    val moved = body.length + written.length - (stripe.end - stripe.info.getOffset.toInt)
    changed.getStripesBuilderList.asScala.foreach { info =>
      if (info.getOffset == stripe.info.getOffset) {
        val index = info.getIndexLength + moreIndex
        info.setIndexLength(index).setDataLength(body.length - index)
        info.setFooterLength(written.length.toLong)
      } else if (info.getOffset > stripe.info.getOffset) {
        info.setOffset(info.getOffset + moved)
      }
    }
    changed.setContentLength(changed.getContentLength + moved)
    val before = data.take(stripe.info.getOffset.toInt) ++ body ++ written
    assemble(
      before ++ data.slice(stripe.end, metadataStart),
      data.slice(metadataStart, footerStart),
      framed(changed.buildPartial().toByteArray),
      postscript
    )
  }

  def withFooter(changed: Message.Builder): Array[Byte] = assemble(
    data.take(metadataStart),
    data.slice(metadataStart, footerStart),
    framed(changed.buildPartial().toByteArray),
    postscript
  )

  def withMetadata(changed: Message.Builder): Array[Byte] = assemble(
    data.take(metadataStart),
    framed(changed.buildPartial().toByteArray),
    data.slice(footerStart, psStart),
    postscript
  )

  def withPostscript(changed: Message.Builder): Array[Byte] = {
    val written = changed.buildPartial().toByteArray
    data.take(psStart) ++ written :+ written.length.toByte
  }

  private def assemble(
      before: Array[Byte],
      metadata: Array[Byte],
      footer: Array[Byte],
      postscript: OrcProto.PostScript
  ): Array[Byte] = {
    val end = postscript.toBuilder
      .setMetadataLength(metadata.length.toLong)
      .setFooterLength(footer.length.toLong)
      .buildPartial()
      .toByteArray
    before ++ metadata ++ footer ++ end :+ end.length.toByte
  }
}

object OrcParts {
  private val MaxChunk = 1 << 20

  /** A stream of a stripe.
    *
    * @param column
    *   the name of its top-level column; empty for the root
    * @param start
    *   offset of its first byte in the file
    * @param end
    *   offset after its last byte
    */
  final case class Stream(info: OrcProto.Stream, column: String, start: Int, end: Int) {
    def region: Bytes.Region = Bytes.Region(s"the ${info.getKind} of $column", start, end)
  }

  final case class Stripe(
      info: OrcProto.StripeInformation,
      footer: OrcProto.StripeFooter,
      streams: Seq[Stream],
      footerStart: Int,
      end: Int
  )

  /** Parses a file; None if its tail or a stripe footer cannot be parsed. */
  def of(data: Array[Byte]): Option[OrcParts] = Try {
    val parts = new OrcParts(data)
    parts.stripes
    parts
  }.toOption

  /** The writer's number and version; None for a file whose tail cannot be parsed. */
  def writer(data: Array[Byte]): Option[(Int, Int)] = Try {
    val parts = new OrcParts(data)
    (parts.footer.getWriter, parts.postscript.getWriterVersion)
  }.toOption
}
