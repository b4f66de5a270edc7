// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.util.ArrayList

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.JobConf

/** What makes many queries of few rows cheaper, and none different. */
object ShortQueries {

  /** Settings of a session. */
  val confs: Seq[(String, String)] = Seq(
    // Otherwise tasks look for classes over the network first.
    "spark.sql.artifact.isolation.enabled" -> "false",
    "spark.sql.ui.explainMode" -> "simple",
    // Buffers sized for millions of rows would dominate allocation.
    "spark.broadcast.blockSize" -> "64k",
    "spark.buffer.pageSize" -> "128k",
    "spark.broadcast.checksum" -> "false",
    "spark.broadcast.compress" -> "false",
    "spark.shuffle.compress" -> "false"
  )

  private val kept =
    Seq("fs.file.", "fs.AbstractFileSystem.", "io.", "mapreduce.fileoutputcommitter.")

  /** Forgets Hadoop's thousand default settings, which every scan broadcasts: code that asks for
    * one knows the same default, but for those that are kept.
    */
  def forgetDefaults(hadoop: Configuration): Unit = {
    // It adds resources to all configurations, and with them defaults.
    new JobConf(false)
    val keys = new ArrayList[String]
    hadoop.forEach(setting => keys.add(setting.getKey))
    keys.forEach { key =>
      if (isDefault(hadoop, key) && !kept.exists(key.startsWith)) hadoop.unset(key)
    }
  }

  private def isDefault(hadoop: Configuration, key: String) =
    Option(hadoop.getPropertySources(key)).exists(_.lastOption.exists(_.endsWith("-default.xml")))
}
