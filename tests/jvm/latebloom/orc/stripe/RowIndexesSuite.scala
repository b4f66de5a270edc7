// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe

import java.io.File
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{BytesColumnVector, LongColumnVector}
import org.apache.orc.OrcProto.ColumnEncoding
import org.apache.orc.OrcProto.Stream.Kind._
import org.apache.orc.impl.{BufferChunk, InStream, RecordReaderImpl}
import org.apache.orc.{CompressionKind, OrcFile, OrcProto, TypeDescription}
import org.scalatest.funsuite.AnyFunSuite

import latebloom.orc.OrcSurgery.Changes
import latebloom.orc.{OpenedOrc, OrcSamples, OrcSurgery}
import latebloom.read.io.RangeFetcher.WantedRange

/** Entries are those that orc-core reads. Where strides begin in a stream is counted from the
  * specification's list of positions; that enough is fetched for a stride is shown by walking over
  * compressed chunks as the specification has them.
  */
class RowIndexesSuite extends AnyFunSuite with OrcSamples {

  /** One stripe, opened by us, and what orc-core says of it. */
  private class Stripe(
      val streams: StripeStreams,
      val footer: OrcProto.StripeFooter,
      val index: OrcProto.RowIndex,
      val offset: Long,
      val isCompressed: Boolean
  ) {
    val indexes = new RowIndexes(streams)
    def encoding: ColumnEncoding = footer.getColumns(1)

    /** Streams of the column's data, in the order in which an entry lists their positions. */
    def data: Seq[StripeStream] =
      Seq(PRESENT, DATA, LENGTH, SECONDARY, DICTIONARY_DATA).flatMap(k =>
        Option(streams.stream(1, k))
      )
  }

  private def stripes(path: Path)(check: Stripe => Unit): Unit = OpenedOrc(path) { file =>
    val rows = file.reader.rows().asInstanceOf[RecordReaderImpl]
    try
      file.reader.getStripes.asScala.zipWithIndex.foreach { case (info, number) =>
        val streams = new StripeStreams(file.context, info)
        if (streams.has(1, ROW_INDEX)) {
          check(new Stripe(
            streams,
            rows.readStripeFooter(info),
            rows.readRowIndex(number, null, null).getRowGroupIndex()(1),
            info.getOffset,
            file.context.compression.isCompressed
          ))
        }
      }
    finally rows.close()
  }

  /** How many positions a stream has in an entry, by the specification. */
  private def positionsOf(kind: Kind, s: StripeStream, stripe: Stripe): Int = {
    val inChunk = if (stripe.isCompressed) 2 else 1
    val runs = s.kind match {
      case PRESENT                                 => 2 // Byte within the run, bit within the byte.
      case DATA if kind.file == "boolean"          => 2
      case DATA if kind.file == "float"            => 0
      case DATA if kind.file == "double"           => 0
      case DATA if kind.file.startsWith("decimal") => 0
      case DATA if hasText(kind) && !isDictionary(stripe) => 0
      case _                                              => 1
    }
    inChunk + runs
  }

  private def hasText(kind: Kind) =
    Seq("string", "char", "varchar", "binary").exists(kind.file.startsWith)

  private def isDictionary(stripe: Stripe): Boolean = stripe.encoding.getKind match {
    case ColumnEncoding.Kind.DICTIONARY | ColumnEncoding.Kind.DICTIONARY_V2 => true
    case _                                                                  => false
  }

  /** Streams with positions: those of a dictionary, its texts and their lengths, have none. */
  private def indexed(stripe: Stripe): Seq[StripeStream] =
    if (isDictionary(stripe)) stripe.data.filter(s => Set(PRESENT, DATA)(s.kind)) else stripe.data

  private def samples(seeds: Int)(check: (Kind, Stripe) => Unit): Unit = forSeeds(seeds) { random =>
    val kind = random.oneOf(kinds: _*)
    withClue(s"$kind: ")(stripes(write(random, kind, random.nextInt(20000)))(check(kind, _)))
  }

  private def fetchIndex(stripe: Stripe): Unit = stripe.indexes.fetch(Array(1), Array.empty)

  test("entries are those that orc-core reads, once they are fetched") {
    samples(40) { (_, stripe) =>
      assert(stripe.indexes.entries(1) == null && !stripe.indexes.hasAll(Array(1)))
      fetchIndex(stripe)
      val expected = stripe.index.getEntryList
      assert(stripe.indexes.entries(1) == expected)
      assert(stripe.indexes.hasAll(Array(1)))
      assert(!stripe.indexes.hasAll(Array.empty[Int]))
      (1 until expected.size).foreach { s =>
        val positions = expected.get(s).getPositionsList.asScala.map(_.longValue)
        val ours = stripe.indexes.position(1, s)
        assert(Seq.fill(positions.size)(ours.getNext) == positions)
        assert(stripe.indexes.positions(Array(1), s)(0) == null)
      }
    }
  }

  test("a stride begins in a stream where the specification's list of positions says") {
    var strides = 0
    samples(60) { (kind, stripe) =>
      fetchIndex(stripe)
      indexed(stripe).foldLeft(0) { (at, s) =>
        stripe.index.getEntryList.asScala.zipWithIndex.drop(1).foreach { case (entry, stride) =>
          strides += 1
          assert(stripe.indexes.start(s, stride) == entry.getPositions(at), s"${s.kind} $stride")
        }
        indexed(stripe).foreach(each => assert(stripe.indexes.start(each, 0) == 0))
        at + positionsOf(kind, s, stripe)
      }
    }
    assert(strides > 150)
  }

  /** Most bytes of a run of numbers, as the specification bounds it: 512 of 8 bytes and patches. */
  private val LongestRun = 4 * 1024

  /** Where the chunks of a compressed stream begin, and how many bytes each is when decompressed.
    */
  private def chunks(stripe: Stripe, s: StripeStream): Seq[(Int, Int)] = {
    val bytes = whole(stripe, s)
    val options = stripe.streams.split.compression
    def from(at: Int): List[(Int, Int)] =
      if (at >= bytes.length) Nil
      else {
        val header = (0 to 2).map(i => (bytes(at + i) & 0xff) << 8 * i).sum
        val length = header >>> 1
        val chunk = ByteBuffer.wrap(bytes, at, 3 + length).slice()
        val in = InStream.create("chunk", new BufferChunk(chunk, 0), 0, 3L + length, options)
        val out = new Array[Byte](options.getBufferSize + 1)
        val n = Iterator.continually(in.read(out, 0, out.length)).takeWhile(_ > 0).sum
        (at -> n) :: from(at + 3 + length)
      }
    from(0)
  }

  /** All bytes of a stream, as they lie in the file. */
  private def whole(stripe: Stripe, s: StripeStream): Array[Byte] = {
    var bytes = Array.emptyByteArray
    val at = stripe.footer.getStreamsList.asScala.takeWhile(other =>
      other.getColumn != s.column || other.getKind != s.kind
    ).map(_.getLength).sum
    val range = new WantedRange(
      stripe.offset + at,
      s.length,
      (array, start, n) => bytes = array.slice(start, start + n)
    )
    stripe.streams.split.fetcher.fetch(Seq(range).asJava)
    bytes
  }

  test("what is fetched for a stride reaches behind the run of values that goes on after it") {
    var saved, all = 0L
    samples(60) { (_, stripe) =>
      fetchIndex(stripe)
      val strides = stripe.index.getEntryCount
      indexed(stripe).filter(_.length > 0).foreach { s =>
        lazy val ofChunks = chunks(stripe, s)
        assert(stripe.indexes.end(s, strides) == s.length)
        (1 until strides).foreach { stride =>
          val (start, end) = (stripe.indexes.start(s, stride), stripe.indexes.end(s, stride))
          assert(end >= start && end <= s.length)
          saved += s.length - end
          all += s.length
          if (stripe.isCompressed) {
            // Whole chunks behind the one that the stride begins in, as far as a run may go on.
            val later = ofChunks.filter(_._1 > start)
            val needed = later.scanLeft(0)(_ + _._2).takeWhile(_ < LongestRun).size
            val last = later.drop(needed).headOption.fold(s.length)(_._1)
            assert(end >= last, s"${s.kind} $stride: $end of ${s.length}, needs $last")
          } else {
            assert(end >= math.min(s.length, start + LongestRun))
          }
        }
      }
    }
    assert(saved > all / 10)
  }

  // ---- indexes that are no use

  /** A file of two columns with ten strides. */
  private def withFile(changes: Changes)(body: Path => Unit): Unit = {
    val path = newPath()
    val schema = TypeDescription.fromString("struct<id:bigint,word:string>")
    val options = OrcFile.writerOptions(conf).setSchema(schema).rowIndexStride(1000)
      .compress(CompressionKind.NONE)
    val writer = OrcFile.createWriter(path, options)
    val batch = schema.createRowBatch(10000)
    batch.size = 10000
    (0 until batch.size).foreach { r =>
      batch.cols(0).asInstanceOf[LongColumnVector].vector(r) = r * 31L % 997
      batch.cols(1).asInstanceOf[BytesColumnVector].setVal(r, s"w$r".getBytes)
    }
    writer.addRowBatch(batch)
    writer.close()
    val file = new File(path.toUri)
    assert(new File(file.getParentFile, ".f.orc.crc").delete())
    OrcSurgery.rewrite(file, changes)
    body(path)
  }

  /** Whether an index counts as there once it is changed. */
  private def counts(change: OrcProto.RowIndex.Builder => Unit): Boolean = {
    var found = false
    withFile(Changes(index = (column, index) => if (column == 1) change(index))) { path =>
      OpenedOrc(path) { opened =>
        val stripe = new StripeStreams(opened.context, opened.reader.getStripes.get(0))
        val indexes = new RowIndexes(stripe)
        indexes.fetch(Array(1, 2), Array.empty)
        assert(indexes.hasAll(Array(2)))
        found = indexes.entries(1) != null
        assert(indexes.hasAll(Array(1)) == found && indexes.hasAll(Array(1, 2)) == found)
      }
    }
    found
  }

  test(
    "an index counts as there only if each stride has an entry and they go on, within the stream"
  ) {
    assert(counts(_ => ()))
    assert(counts(_.getEntryBuilderList.asScala.foreach(_.clearStatistics())))
    // The first stride begins where the stream does, whatever its entry says.
    assert(counts(_.getEntryBuilder(0).setPositions(0, 99)))
    assert(!counts(_.removeEntry(9)))
    assert(!counts(index => index.addEntry(index.getEntry(9))))
    assert(!counts(index => (0 until 70000).foreach(_ => index.addEntry(index.getEntry(3)))))
    assert(!counts(_.getEntryBuilderList.asScala.foreach(_.clearPositions())))
    assert(!counts(_.getEntryBuilder(4).setPositions(0, -1L)))
    assert(!counts(_.getEntryBuilder(9).setPositions(0, Long.MaxValue)))
    assert(!counts(_.getEntryBuilder(9).setPositions(0, 1L << 32)))
    assert(!counts(_.getEntryBuilder(5).setPositions(0, 0)))
  }

  test("an index of bytes that are none counts as none, and so does one that is not there") {
    forSeeds(30) { random =>
      withFile(Changes()) { path =>
        OpenedOrc(path) { opened =>
          val stripe = new StripeStreams(opened.context, opened.reader.getStripes.get(0))
          val s = stripe.stream(1, ROW_INDEX)
          val ranges = new java.util.ArrayList[WantedRange]
          s.want(0, s.length, ranges)
          val bytes = new Array[Byte](s.length)
          random.nextBytes(bytes)
          ranges.forEach(_.receiver.accept(bytes, 0, bytes.length))
          assert(new RowIndexes(stripe).entries(1) == null)
        }
      }
    }
    val none = Changes(stripeFooter = _.getStreamsBuilderList.asScala.foreach { s =>
      if (s.getKind == ROW_INDEX && s.getColumn == 1) s.setColumn(0)
    })
    withFile(none) { path =>
      OpenedOrc(path) { opened =>
        val indexes =
          new RowIndexes(new StripeStreams(opened.context, opened.reader.getStripes.get(0)))
        indexes.fetch(Array(1), Array(1))
        assert(indexes.entries(1) == null && indexes.blooms(1) == null)
      }
    }
  }
}
