// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom.ui

import org.apache.spark.sql.execution.ui.{SQLAppStatusStore, SQLExecutionUIData}
import org.apache.spark.ui.{SparkUI, SparkUITab}

/** The tab LateBloom of the Spark UI: what each query's scans did, and why others are Spark's. */
final private[ui] class LateBloomTab(val reports: StoredReports, val ui: SparkUI)
    extends SparkUITab(ui, "latebloom") {
  override val name = "LateBloom"

  attachPage(new QueriesPage(this))
  attachPage(new QueryPage(this))
  ui.attachTab(this)

  private val queries = new SQLAppStatusStore(ui.store.store)

  /** What Spark knows of a query; None of one that it has forgotten. */
  def query(id: Long): Option[SQLExecutionUIData] = queries.execution(id)

  /** LateBloom's confs that are not at their defaults when the application starts. */
  def confs: Seq[(String, String)] =
    ui.store.environmentInfo().sparkProperties.filter(_._1.startsWith(LateBloomTab.Confs)).toSeq
}

private[ui] object LateBloomTab {
  val Confs = "spark.latebloom."
}
