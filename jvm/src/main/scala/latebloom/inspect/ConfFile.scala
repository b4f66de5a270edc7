// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.latebloom.LateBloomConf

/** Writes `conf/latebloom.conf`: what attaches LateBloom, and the confs with their documentation,
  * in the form of spark-defaults.conf.
  */
object ConfFile {
  private val width = 96

  def main(args: Array[String]): Unit = Files.write(Path.of(args.head), text.getBytes(UTF_8))

  def text: String = {
    val header =
      s"""# SPDX-License-Identifier: Apache-2.0
         |# Attaches LateBloom; as it is for --properties-file, or for spark-defaults.conf:
         |#   spark-submit --jars "$$(latebloom jar)" --properties-file latebloom.conf program.py
         |# Its confs follow with their defaults. Generated: change ConfFile or LateBloomConf.scala.
         |
         |# With other extensions: all of them, with commas between.
         |spark.sql.extensions latebloom.LateBloomExtensions
         |
         |# EXPLAIN shows what was decided.
         |spark.sql.extendedExplainProviders ${classOf[LateBloomExplain].getName}
         |""".stripMargin
    val entries = LateBloomConf.describe(new SQLConf).map { c =>
      wrap(s"${c.doc} (${c.kind})").map(line =>
        s"# $line\n"
      ).mkString + s"# ${c.key} ${c.default}\n"
    }
    (header +: entries).mkString("\n")
  }

  private def wrap(text: String): Seq[String] =
    text.split(' ').foldLeft(Vector("")) { (lines, word) =>
      if (lines.last.isEmpty) Vector(word)
      else if (lines.last.length + 1 + word.length > width) lines :+ word
      else lines.init :+ s"${lines.last} $word"
    }
}
