// SPDX-License-Identifier: Apache-2.0
package latebloom.decision

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType

/** All the reasons there are: first those about a whole scan, then those about one conjunct, then
  * those about a join.
  */
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

  def formatSubclass(format: Class[_], name: String): Reason =
    about("format-not-supported", "format" -> format.getName)(
      s"The files are read through ${format.getName}, which may give them a meaning of their own.",
      s"""Read the files with the format "$name" where that means the same."""
    )

  def dataSourceV2(format: String): Reason = about("datasource-v2", "format" -> format)(
    s"The $format files are read through Spark's DataSource V2 reader.",
    s"Add $format to ${SQLConf.USE_V1_SOURCE_LIST.key}."
  )

  val streaming: Reason = about("streaming")(
    "The scan reads a batch of a streaming source.",
    "Read the files as a batch; streaming sources are left to Spark."
  )

  def vectorizedReaderOff(conf: String): Reason = about("vectorized-reader-off", "conf" -> conf)(
    "Spark's vectorized reader of such files is switched off.",
    s"Set $conf=true."
  )

  def schemaNotVectorized(columns: Seq[String], conf: String): Reason =
    about("schema-not-vectorized", "columns" -> columns.mkString(", "))(
      s"Spark's vectorized reader does not read these columns: ${columns.mkString(", ")}.",
      s"Leave them out, or set $conf=true where they are nested."
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
    "It contains a subquery of many rows, which is no join.",
    "Write it as a join, or as a subquery of one value."
  )

  def invalidPattern(conjunct: Expression): Reason =
    about("invalid-pattern", "conjunct" -> ShortSql(conjunct))(
      "It has a pattern that Spark refuses.",
      "Mend the pattern: an escape character needs a character behind it that it may escape."
    )

  val joinDisabled: Reason = about("join-disabled")(
    "Join filters are switched off.",
    "Set spark.latebloom.join.enabled=true."
  )

  def joinType(joinType: JoinType): Reason = about("join-type", "joinType" -> s"$joinType")(
    s"A join of type $joinType keeps the rows of this side that have no match.",
    "Nothing to do: a filter would change the answer."
  )

  val keyIsConstant: Reason = about("key-constant")(
    "The key is the same for all rows.",
    "Nothing to do."
  )

  def keyNotTraceable(node: String): Reason = about("key-not-traceable", "node" -> node)(
    s"Between the join and the scan there is a $node, which a filter on the key must not pass.",
    s"Join before the $node where that means the same."
  )

  def keyTellsApart(key: Expression, node: String): Reason =
    about("key-tells-apart", "key" -> ShortSql(key), "node" -> node)(
      s"Below the $node rows with equal values may have different keys, and above it they have one.",
      "Join on the column itself, or group by the expression."
    )

  def partitionKey(column: Attribute): Reason =
    about("partition-key", "column" -> column.name)(
      s"${column.name} is a partition column or made by the reader, and in no file.",
      "Nothing to do: Spark prunes partitions by the join where it can."
    )

  def keyMayFail(key: Expression): Reason = about("key-may-fail", "key" -> ShortSql(key))(
    "Evaluating the key may be an error, for rows that would never have got to the join.",
    "Join on columns of the same type, or write the key so that it cannot fail (try_cast)."
  )

  def keyType(dataType: DataType): Reason = about("key-type", "type" -> dataType.sql)(
    s"There are no join filters for keys of type ${dataType.sql}.",
    "Join on columns of another type where that means the same."
  )

  def scanNotOurs(format: Class[_]): Reason =
    about("scan-not-ours", "format" -> format.getName)(
      s"LateBloom does not read the scan's format, ${format.getName}.",
      "Store the table as Parquet or ORC."
    )

  val scanTwice: Reason = about("scan-twice")(
    "The same scan stands in the plan more than once, and only one of them is joined.",
    "Nothing to do."
  )

  def scanTooSmall(least: Long): Reason = about("scan-too-small", "minScanBytes" -> s"$least")(
    s"The scan reads less than $least bytes: waiting for the keys would cost more.",
    "Lower spark.latebloom.join.minScanBytes."
  )

  val noScan: Reason = about("no-scan")(
    "There is no scan of files below this side of the join.",
    "Nothing to do."
  )

  val creationNotSelective: Reason = about("creation-not-selective")(
    "The other side of the join most likely has all keys: nothing selects among its rows.",
    "Filter the other side."
  )

  val creationNotRepeatable: Reason = about("creation-not-repeatable")(
    "Evaluated again, the other side of the join could give other rows.",
    "Join with a side without limits, samples, windows and functions that are not deterministic."
  )

  val creationTooLarge: Reason = about("creation-too-large")(
    "Gathering the keys would read more than the scan that is to be filtered, or read again what " +
      "is not small.",
    "Raise spark.latebloom.join.rescanBytes."
  )

  val joinCycle: Reason = about("join-cycle")(
    "The keys come from a scan that is itself filtered by what this scan gives.",
    "Nothing to do: one of the two filters is there."
  )

  val joinFilterTwice: Reason = about("join-filter-twice")(
    "The scan is filtered by the same keys already.",
    "Nothing to do."
  )

  private def about(code: String, args: (String, String)*)(reason: String, fix: String): Reason =
    Reason(code, args.toMap, reason, fix)
}
