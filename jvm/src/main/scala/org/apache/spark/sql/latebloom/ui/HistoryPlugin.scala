// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom.ui

import scala.util.Properties

import org.apache.spark.scheduler.SparkListener
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.SparkUI
import org.apache.spark.{SPARK_VERSION, SparkConf}

import latebloom.line.SparkLine

/** The tab LateBloom in Spark's history server, which finds this class if the jar is on its class
  * path. The applications need not have the jar's version.
  */
class HistoryPlugin extends AppHistoryServerPlugin {
  private val supported = SparkLine.isSupported(SPARK_VERSION, Properties.versionNumberString)

  override def createListeners(conf: SparkConf, store: ElementTrackingStore): Seq[SparkListener] =
    if (supported) Seq(new QueryReports.Keeper(store)) else Nil

  override def setupUI(ui: SparkUI): Unit = {
    val reports = new StoredReports(ui.store.store)
    if (supported && reports.nonEmpty) new LateBloomTab(reports, ui)
  }
}
