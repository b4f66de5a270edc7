// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

/** The settings of a query, the same off and on. */
object Confs {

  /** Fixed settings: without them LateBloom would decline the tiny tables. */
  val always: Seq[(String, String)] = Seq(
    "spark.latebloom.join.minScanBytes" -> "0",
    "spark.sql.mapKeyDedupPolicy" -> "LAST_WIN",
    "spark.sql.crossJoin.enabled" -> "true",
    // GROUP BY a literal groups by its value.
    "spark.sql.groupByOrdinal" -> "false",
    // The plan checks of Spark's own tests take as long as planning itself.
    "spark.sql.planChangeValidation" -> "false",
    "spark.sql.lightweightPlanChangeValidation" -> "false"
  )

  /** Whether literals of days and instants are values of `java.time`. */
  val javaTime = "spark.sql.datetime.java8API.enabled"

  /** Each conf with its values, the most usual one first. */
  private val varied: Seq[(String, Seq[(Int, String)])] = Seq(
    "spark.sql.ansi.enabled" -> Seq(7 -> "true", 3 -> "false"),
    "spark.sql.adaptive.enabled" -> Seq(3 -> "true", 7 -> "false"),
    "spark.sql.autoBroadcastJoinThreshold" -> Seq(7 -> "10m", 4 -> "-1", 1 -> "3k"),
    "spark.sql.shuffle.partitions" -> Seq(9 -> "1", 1 -> "2"),
    // Compiling a query's code takes longer than running it.
    "spark.sql.codegen.wholeStage" -> Seq(1 -> "true", 19 -> "false"),
    "spark.sql.codegen.factoryMode" -> Seq(1 -> "FALLBACK", 11 -> "NO_CODEGEN"),
    "spark.sql.join.preferSortMergeJoin" -> Seq(7 -> "true", 3 -> "false"),
    "spark.sql.exchange.reuse" -> Seq(8 -> "true", 2 -> "false"),
    "spark.sql.execution.reuseSubquery" -> Seq(9 -> "true", 1 -> "false"),
    "spark.latebloom.scan.eagerFraction" -> Seq(4 -> "0.5", 3 -> "0.0", 3 -> "1.0"),
    "spark.latebloom.join.rescanBytes" -> Seq(8 -> "10m", 2 -> "0"),
    // With 0 a scan takes the keys up whenever they come, if they do.
    "spark.latebloom.join.patience" -> Seq(8 -> "1e9", 2 -> "0"),
    "spark.latebloom.join.maxBytes" -> Seq(8 -> "8m", 2 -> "32"),
    "spark.latebloom.join.maxKeys" -> Seq(9 -> "8388608", 1 -> "2"),
    "spark.sql.session.timeZone" -> Seq(
      2 -> "UTC",
      2 -> "America/Los_Angeles",
      2 -> "Europe/Paris",
      1 -> "Asia/Kolkata"
    ),
    javaTime -> Seq(8 -> "true", 2 -> "false"),
    "spark.sql.optimizer.runtime.bloomFilter.enabled" -> Seq(7 -> "true", 3 -> "false"),
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold" ->
      Seq(6 -> "10g", 4 -> "0"),
    "spark.sql.constraintPropagation.enabled" -> Seq(8 -> "true", 2 -> "false"),
    "spark.sql.parquet.columnarReaderBatchSize" -> Seq(5 -> "4096", 3 -> "17", 2 -> "3"),
    "spark.sql.orc.columnarReaderBatchSize" -> Seq(5 -> "4096", 3 -> "17", 2 -> "3"),
    "spark.sql.parquet.enableNestedColumnVectorizedReader" -> Seq(8 -> "true", 2 -> "false"),
    "spark.sql.orc.enableNestedColumnVectorizedReader" -> Seq(8 -> "true", 2 -> "false"),
    "spark.sql.parquet.filterPushdown" -> Seq(9 -> "true", 1 -> "false"),
    "spark.sql.orc.filterPushdown" -> Seq(9 -> "true", 1 -> "false"),
    "parquet.filter.columnindex.enabled" -> Seq(9 -> "true", 1 -> "false"),
    "spark.sql.files.maxPartitionBytes" -> Seq(9 -> "128m", 1 -> "1k"),
    "spark.sql.files.minPartitionNum" -> Seq(4 -> "1", 1 -> "2"),
    "spark.sql.sources.bucketing.enabled" -> Seq(8 -> "true", 2 -> "false"),
    "spark.sql.readSideCharPadding" -> Seq(8 -> "true", 2 -> "false"),
    "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> Seq(8 -> "true", 2 -> "false")
  )

  /** Settings with which Spark keeps -0.0 and 0.0 apart, since its row group filters do not and a
    * batch of zeros alone gets the sign of the first; and with which its ORC filters do not fail on
    * a null in an IN list.
    */
  val plainly: Map[String, String] = Map(
    "spark.sql.orc.columnarReaderBatchSize" -> "1",
    // The same for orc-core's row reader, which Spark uses where it generates no code.
    "orc.row.batch.size" -> "1",
    "spark.sql.parquet.filterPushdown" -> "false",
    "spark.sql.orc.filterPushdown" -> "false",
    "parquet.filter.columnindex.enabled" -> "false"
  )

  /** The values to which the shrinker resets a case. */
  val plain: Map[String, String] = varied.map { case (k, values) => k -> values.head._2 }.toMap

  /** Settings in which joins differ most. */
  def ofJoins(rng: Rng): Map[String, String] = of(rng) ++ Map(
    "spark.sql.adaptive.enabled" -> rng.pick(Seq("true", "false")),
    "spark.sql.autoBroadcastJoinThreshold" -> rng.pick(Seq("10m", "-1", "3k")),
    "spark.latebloom.join.patience" -> rng.weighted(2 -> "1e9", 1 -> "0"),
    // Between the sizes of the tables, so that keys reach large ones over small ones.
    "spark.latebloom.join.minScanBytes" -> rng.weighted(2 -> "0", 1 -> "5k", 1 -> "10k")
  )

  def of(rng: Rng): Map[String, String] =
    varied.map { case (k, values) => k -> rng.weighted(values: _*) }.toMap
}
