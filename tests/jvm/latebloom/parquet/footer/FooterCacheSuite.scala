// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.crypto.{
  ColumnEncryptionProperties,
  DecryptionPropertiesFactory,
  FileDecryptionProperties,
  FileEncryptionProperties
}
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.{HadoopInputFile, HadoopOutputFile}
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.scalatest.funsuite.AnyFunSuite

import latebloom.parquet.FooterEdit
import latebloom.read.RandomCases
import latebloom.read.io.MetadataCache

class FooterCacheSuite extends AnyFunSuite with RandomCases {
  private val conf = new Configuration()
  private val numbers = MessageTypeParser.parseMessageType("message m { required int64 n; }")

  private def withFile(
      rows: Int,
      encryption: FileEncryptionProperties = null,
      schema: MessageType = numbers
  )(use: Path => Unit): Unit = {
    val dir = Files.createTempDirectory("footers")
    val path = new Path(dir.toUri.toString, "f.parquet")
    try {
      write(path, rows, encryption, schema)
      use(path)
    } finally {
      Files.list(dir).iterator().asScala.toSeq.foreach(Files.delete)
      Files.delete(dir)
    }
  }

  private def write(
      path: Path,
      rows: Int,
      encryption: FileEncryptionProperties = null,
      schema: MessageType = numbers
  ): Unit = {
    val groups = new SimpleGroupFactory(schema)
    val made = ExampleParquetWriter
      .builder(HadoopOutputFile.fromPath(path, conf))
      .withType(schema)
      .withDictionaryEncoding(false)
      .withEncryption(encryption)
      .withRowGroupSize(1L)
      .withMinRowCountForPageSizeCheck(50)
      .withMaxRowCountForPageSizeCheck(50)
      .build()
    Using.resource(made) { writer =>
      (0 until rows).foreach(i => writer.write(row(groups.newGroup(), schema, i.toLong)))
    }
  }

  private def row(group: Group, schema: MessageType, number: Long): Group = {
    schema.getFields.asScala.foreach(f => group.add(f.getName, number))
    group
  }

  /** Gives row groups rare but legal metadata in the footer. */
  private def misplace(path: Path, random: Random): Unit =
    FooterEdit.change(new File(path.toUri)) { (footer, _) =>
      def place = random.oneOf(-1L, 0L, 4L, 100L, random.below(10000), Long.MaxValue)
      footer.getRow_groups.asScala.foreach { group =>
        val chunk = group.getColumns.get(0).getMeta_data
        random.nextInt(5) match {
          case 0 => group.setTotal_compressed_size(place)
          case 1 => group.setTotal_compressed_sizeIsSet(false)
          case 2 => chunk.setDictionary_page_offset(place)
          case 3 => chunk.setData_page_offset(place)
          case _ => group.setFile_offset(place)
        }
      }
    }

  private def status(path: Path): FileStatus = path.getFileSystem(conf).getFileStatus(path)

  private def footer(
      run: String,
      status: FileStatus,
      start: Long,
      end: Long,
      stream: HadoopInputFile => SeekableInputStream = _.newStream(),
      acrossRuns: Boolean = false
  ): ParquetMetadata = {
    val file = HadoopInputFile.fromStatus(status, conf)
    val in = stream(file)
    try {
      val key = MetadataCache.Key.of(run, status, acrossRuns)
      FooterCache.footer(key, file, in, start, end, 16 << 20).metadata
    } finally if (in != null) in.close()
  }

  private def places(footer: ParquetMetadata): Seq[Long] =
    footer.getBlocks.asScala.map(_.getStartingPos).toSeq

  private def half(file: FileStatus): Long = file.getLen / 2

  test("each row group is in one split, the one that parquet-java puts it in") {
    forSeeds(10) { random =>
      withFile(1 + random.nextInt(1000)) { path =>
        if (random.nextBoolean()) misplace(path, random)
        val file = status(path)
        val inner = Seq.fill(random.nextInt(8))(random.below(file.getLen))
        val cuts = (0L +: inner :+ file.getLen).distinct.sorted
        cuts.zip(cuts.tail).foreach { case (start, end) =>
          val options = HadoopReadOptions.builder(conf, path).withRange(start, end).build()
          val theirs = Using.resource(
            ParquetFileReader.open(HadoopInputFile.fromStatus(file, conf), options)
          )(_.getFooter)
          val ours = footer(path.toString, file, start, end)
          assert(places(ours) == places(theirs))
          assert(
            ours.getBlocks.asScala.map(_.getRowIndexOffset) ==
              theirs.getBlocks.asScala.map(_.getRowIndexOffset)
          )
          assert(ours.getFileMetaData.getSchema == numbers)
        }
      }
    }
  }

  test("a footer that is longer than the fetched tail is the same") {
    forSeeds(10) { random =>
      val columns = random.oneOf(1, 20, 400)
      val wide = MessageTypeParser.parseMessageType(
        (1 to columns).map(c => s"required int64 number_$c;").mkString("message m { ", " ", "}")
      )
      withFile(1 + random.nextInt(500), schema = wide) { path =>
        val file = status(path)
        val theirs = Using.resource(
          ParquetFileReader.open(HadoopInputFile.fromStatus(file, conf))
        )(_.getFooter)
        val ours = footer(path.toString, file, random.nextInt(2), file.getLen)
        // As text both say everything but where the object lies.
        assert(ParquetMetadata.toJSON(ours) == ParquetMetadata.toJSON(theirs))
      }
    }
  }

  test("a run reads a file's footer once") {
    withFile(1000) { path =>
      val file = status(path)
      val first = footer("a", file, 0, half(file))
      // Without a stream it could only fail.
      val second = footer("a", file, half(file), file.getLen, _ => null)
      assert(places(first).nonEmpty && places(second).nonEmpty)
      intercept[NullPointerException](footer("b", file, 0, half(file), _ => null))
    }
  }

  test("all runs share the footer of a file that has rested") {
    withFile(1000) { path =>
      def read(run: String, start: Long, end: Long, mayRead: Boolean) = {
        val stream: HadoopInputFile => SeekableInputStream =
          if (mayRead) _.newStream() else _ => null
        places(footer(run, status(path), start, end, stream, acrossRuns = true))
      }
      val length = status(path).getLen
      val fresh = read("e", 0, length, mayRead = true)
      intercept[NullPointerException](read("f", 0, length, mayRead = false))
      path.getFileSystem(conf).setTimes(path, System.currentTimeMillis() - 60000, -1)
      assert(read("g", 0, length, mayRead = true) == fresh)
      assert(read("h", 0, length, mayRead = false) == fresh, "the whole file")
      val cut = length / 2
      val parts = Seq(0L -> cut, cut -> length).map { case (start, end) =>
        read("i", start, end, mayRead = true)
      }
      assert(parts.flatten == fresh && parts.forall(_.nonEmpty))
      assert(read("j", 0, cut, mayRead = false) == parts.head)
    }
  }

  test("a file with an unreadable encrypted column is split like any other") {
    val column = ColumnEncryptionProperties.builder("n").withKey(Array.fill[Byte](16)(1)).build()
    val encryption = FileEncryptionProperties
      .builder(FooterKey.KEY)
      .withEncryptedColumns(java.util.Map.of(column.getPath, column))
      .build()
    withFile(1000, encryption) { path =>
      conf.set("parquet.crypto.factory.class", classOf[FooterKey].getName)
      try {
        val file = status(path)
        val cut = file.getLen / 10
        val splits = Seq(0L -> cut, cut -> file.getLen)
        val blocks = splits.map { case (start, end) =>
          footer("d", file, start, end).getBlocks.size
        }
        assert(blocks.sum == 20 && blocks.min > 0)
      } finally conf.unset("parquet.crypto.factory.class")
    }
  }

  test("the footer of a rewritten file is read again") {
    withFile(1000) { path =>
      val before = status(path)
      footer("c", before, 0, half(before))
      path.getFileSystem(conf).delete(path, false)
      write(path, 2000)
      val after = status(path)
      assert(places(footer("c", after, 1, after.getLen)).size > 10)

      // Of the same length, at another time.
      path.getFileSystem(conf).setTimes(path, after.getModificationTime + 1000, -1)
      intercept[NullPointerException](footer("c", status(path), 1, after.getLen, _ => null))
    }
  }
}

/** Decrypts footers, but no column with its own key. */
class FooterKey extends DecryptionPropertiesFactory {
  override def getFileDecryptionProperties(
      conf: Configuration,
      file: Path
  ): FileDecryptionProperties =
    FileDecryptionProperties.builder().withFooterKey(FooterKey.KEY).build()
}

object FooterKey {
  val KEY: Array[Byte] = Array.fill[Byte](16)(7)
}
