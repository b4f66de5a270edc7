// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.internal.SQLConf

/** All the reasons there are: first those about a whole scan, then those about one conjunct. */
object Reasons {

  val notInstalled: Reason = about("not-installed")(
    "The session that planned this scan has no LateBloom extension.",
    "Set spark.sql.extensions=latebloom.LateBloomExtensions before the session starts."
  )

  val disabled: Reason = about("disabled")(
    "LateBloom is switched off.",
    "Set spark.latebloom.enabled=true."
  )

  val scanDisabled: Reason = about("scan-disabled")(
    "Selective scans are switched off.",
    "Set spark.latebloom.scan.enabled=true."
  )

  val orc: Reason = about("orc-not-supported")(
    "LateBloom does not read ORC yet.",
    "Store the table as Parquet."
  )

  def formatSubclass(format: Class[_]): Reason =
    about("format-not-supported", "format" -> format.getName)(
      s"The files are read through ${format.getName}, which may give Parquet a meaning of its own.",
      "Read the files with the format \"parquet\" where that means the same."
    )

  def dataSourceV2(format: String): Reason = about("datasource-v2", "format" -> format)(
    s"The $format files are read through Spark's DataSource V2 reader.",
    s"Add $format to ${SQLConf.USE_V1_SOURCE_LIST.key}."
  )

  val streaming: Reason = about("streaming")(
    "The scan reads a batch of a streaming source.",
    "Read the files as a batch; streaming sources are left to Spark."
  )

  val vectorizedReaderOff: Reason = about("vectorized-reader-off")(
    "Spark's vectorized Parquet reader is switched off.",
    s"Set ${SQLConf.PARQUET_VECTORIZED_READER_ENABLED.key}=true."
  )

  def schemaNotVectorized(columns: Seq[String]): Reason =
    about("schema-not-vectorized", "columns" -> columns.mkString(", "))(
      s"Spark's vectorized reader does not read these columns: ${columns.mkString(", ")}.",
      s"Leave them out, or set ${SQLConf.PARQUET_VECTORIZED_READER_NESTED_COLUMN_ENABLED.key}=true " +
        "where they are nested."
    )

  val ignoreCorruptFiles: Reason = about("ignore-corrupt-files")(
    "Corrupt files are ignored, and a page that is skipped would hide its corruption.",
    s"Set ${SQLConf.IGNORE_CORRUPT_FILES.key}=false and drop the read option ignoreCorruptFiles."
  )

  val noFilter: Reason = about("no-filter")(
    "No filter stands directly above the scan.",
    "Nothing to do: without a filter there is nothing to skip."
  )

  val nothingPushable: Reason = about("nothing-pushable")(
    "The scan can evaluate no part of the filter.",
    "See the reason given for each conjunct."
  )

  val notSelective: Reason = about("not-selective")(
    "All that the scan could evaluate is IS NOT NULL.",
    "Filter on the values of a column."
  )

  val nonDeterministic: Reason = about("non-deterministic")(
    "The result depends on more than the row.",
    "Filter by a deterministic expression."
  )

  val afterNonDeterministic: Reason = about("after-non-deterministic")(
    "It stands after a conjunct that is not deterministic, which must see the same rows as ever.",
    "Put the non-deterministic conjunct last."
  )

  val afterResidual: Reason = about("after-residual")(
    "It may fail, and stands after a conjunct that the scan does not evaluate.",
    "Put it before that conjunct, or write it so that it cannot fail (try_cast, try_divide)."
  )

  val noColumn: Reason = about("no-column")(
    "It refers to no column of the scan.",
    "Nothing to do: the value is the same for all rows."
  )

  def partitionColumn(column: Attribute): Reason =
    about("partition-column", "column" -> column.name)(
      s"${column.name} is a partition column, which is in no file.",
      "Nothing to do: Spark prunes partitions where it can."
    )

  def metadataColumn(column: Attribute): Reason =
    about("metadata-column", "column" -> column.name)(
      s"${column.name} is made by the reader and is in no file.",
      "Filter on columns of the files as well."
    )

  def subquery(conjunct: Expression): Reason = about("subquery", "conjunct" -> ShortSql(conjunct))(
    "It contains a subquery, whose result is not known when the plan is made.",
    "Run the subquery first and filter by its result."
  )

  def invalidPattern(conjunct: Expression): Reason =
    about("invalid-pattern", "conjunct" -> ShortSql(conjunct))(
      "It has a pattern that Spark refuses.",
      "Mend the pattern: an escape character needs a character behind it that it may escape."
    )

  private def about(code: String, args: (String, String)*)(reason: String, fix: String): Reason =
    Reason(code, args.toMap, reason, fix)
}
