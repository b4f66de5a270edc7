// SPDX-License-Identifier: Apache-2.0
package latebloom.decision

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType

/** All reasons: about a whole scan first, then about one conjunct, then about a join. */
object Reasons {

  private val AsWithout = "Nothing to do: the table is read as without LateBloom."

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
      s"The files are read through ${format.getName}, which may interpret them differently.",
      s"""Read the files with the format "$name" where that means the same."""
    )

  def otherFormat(format: String): Reason = about("format-not-read", "format" -> format)(
    s"LateBloom reads Parquet, ORC, Delta Lake and Iceberg; this is $format.",
    "Store the table as Parquet, ORC, Delta Lake or Iceberg."
  )

  def otherSource(source: String): Reason = about("source-not-read", "source" -> source)(
    s"The table is read by a data source of its own, $source.",
    "Store the table as Parquet, ORC, Delta Lake or Iceberg."
  )

  def deltaNotKnown(what: String): Reason = about("delta-not-known", "what" -> what)(
    s"LateBloom does not know this Delta Lake ($what), which may interpret files differently.",
    "Use a release of Delta Lake that LateBloom knows: see docs/delta.md."
  )

  def deltaFeature(features: Seq[String]): Reason =
    about("delta-feature", "features" -> features.mkString(", "))(
      s"Readers of the Delta table must know ${features.mkString(", ")}, which LateBloom does not.",
      AsWithout
    )

  def deltaColumn(column: String): Reason = about("delta-column", "column" -> column)(
    s"Delta's own reader computes the column $column.",
    "Nothing to do: a command on the table needs it."
  )

  val deltaDeletedRows: Reason = about("delta-deleted-rows")(
    "The table has deleted rows, and the condition that drops them is not directly above the scan.",
    AsWithout
  )

  def icebergNotKnown(what: String): Reason = about("iceberg-not-known", "what" -> what)(
    s"LateBloom does not know this Iceberg ($what), which may interpret files differently.",
    "Use a release of Iceberg that LateBloom knows: see docs/iceberg.md."
  )

  def icebergScan(scan: String): Reason = about("iceberg-scan", "scan" -> scan)(
    s"Iceberg plans $scan for a command, a changelog or an answer of its metadata.",
    AsWithout
  )

  def icebergOptions(options: Seq[String]): Reason =
    about("iceberg-options", "options" -> options.mkString(", "))(
      s"The query says how Iceberg divides files among tasks: ${options.mkString(", ")}.",
      s"Leave the options out, and set ${SQLConf.FILES_MAX_PARTITION_BYTES.key}."
    )

  def icebergStore(what: String): Reason = about("iceberg-store", "what" -> what)(
    s"LateBloom opens files as Hadoop does, and not those of the table: $what.",
    "Set the catalog's io-impl to org.apache.iceberg.hadoop.HadoopFileIO, if it can open them."
  )

  val icebergPartitioning: Reason = about("iceberg-partitioning")(
    "Iceberg tells Spark how the rows are grouped or ordered, and a join, an aggregation or a window " +
      "of the query may do without a shuffle for it.",
    "Set spark.sql.iceberg.planning.preserve-data-grouping to false, if filtering serves more."
  )

  def icebergColumn(column: String): Reason = about("iceberg-column", "column" -> column)(
    s"Only Iceberg reads the column $column: it tells of deleted rows, is of a type that Spark's own " +
      "Parquet files do not have, or one of two with the same name.",
    AsWithout
  )

  val icebergFiles: Reason = about("iceberg-files")(
    "Only Iceberg reads the files: none is Parquet, or equality deletes apply to all of them.",
    "Compact the table with rewrite_data_files, or store it as Parquet."
  )

  val icebergPruned: Reason = about("iceberg-pruned")(
    "Spark prunes the table's partitions when the query runs, by a transform other than identity, " +
      "and no keys of a join filter the scan.",
    AsWithout
  )

  val icebergFileNames: Reason = about("iceberg-file-names")(
    "The query asks for the names of files, which Spark and Iceberg spell differently.",
    AsWithout
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
    "Corrupt files are ignored, and a skipped page would hide its corruption.",
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
    "It follows a non-deterministic conjunct, which must see all rows that it sees in Spark.",
    "Put the non-deterministic conjunct last."
  )

  val afterResidual: Reason = about("after-residual")(
    "It may fail, and follows a conjunct that the scan does not evaluate.",
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
      s"${column.name} is generated by the reader and is in no file.",
      "Filter on columns of the files as well."
    )

  def subquery(conjunct: Expression): Reason = about("subquery", "conjunct" -> ShortSql(conjunct))(
    "It contains a subquery of many rows that is not a join.",
    "Write it as a join, or as a subquery of one value."
  )

  def invalidPattern(conjunct: Expression): Reason =
    about("invalid-pattern", "conjunct" -> ShortSql(conjunct))(
      "It has a pattern that Spark refuses.",
      "Correct the pattern: an escape character must precede a character that it may escape."
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
    s"The $node between the join and the scan must not lose rows to a filter on the key.",
    s"Join before the $node where that means the same."
  )

  def keyTellsApart(key: Expression, node: String): Reason =
    about("key-tells-apart", "key" -> ShortSql(key), "node" -> node)(
      s"The $node treats values as equal for which the key may differ.",
      "Join on the column itself, or group by the expression."
    )

  def partitionKey(column: Attribute): Reason =
    about("partition-key", "column" -> column.name)(
      s"${column.name} is a partition column or generated by the reader, and in no file; the rest " +
        "of the key is not.",
      "Nothing to do: each column of the key is tried by itself."
    )

  val sparkPrunesPartitions: Reason = about("partitions-pruned")(
    "Spark prunes the scan's partitions by this join itself.",
    "Nothing to do."
  )

  def keyMayFail(key: Expression): Reason = about("key-may-fail", "key" -> ShortSql(key))(
    "Evaluating the key may fail, for rows that Spark would drop before the join.",
    "Join on columns of the same type, or write the key so that it cannot fail (try_cast)."
  )

  def rangeType(dataType: DataType): Reason = about("range-type", "type" -> dataType.sql)(
    s"LateBloom has no filters by ranges of values of type ${dataType.sql}.",
    "Compare numbers, dates or times where that means the same."
  )

  def keyType(dataType: DataType): Reason = about("key-type", "type" -> dataType.sql)(
    s"LateBloom has no join filters for keys of type ${dataType.sql}.",
    "Join on columns of another type where that means the same."
  )

  def scanNotOurs(format: Class[_]): Reason =
    about("scan-not-ours", "format" -> format.getName)(
      s"LateBloom does not read the scan's format, ${format.getName}.",
      "Store the table as Parquet or ORC."
    )

  def sourceNotOurs(source: String): Reason = about("scan-not-ours", "source" -> source)(
    s"LateBloom does not read the rows of this side, which come from $source.",
    "Store the table as Parquet, ORC, Delta Lake or Iceberg."
  )

  val scanTwice: Reason = about("scan-twice")(
    "The plan contains the same scan more than once, and only one of them is joined.",
    "Nothing to do."
  )

  val scanShared: Reason = about("scan-shared")(
    "Spark executes the part of the plan with this scan once for several places, and not all of " +
      "them have such a filter.",
    "Write a temporary table with the part, or filter it alike in all places."
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
    "The other side of the join most likely has all keys: no filter selects some of its rows.",
    "Filter the other side."
  )

  val creationNotRepeatable: Reason = about("creation-not-repeatable")(
    "A second evaluation of the other side of the join could return other rows.",
    "Join with a side without limits, samples, windows and functions that are not deterministic."
  )

  val creationTooLarge: Reason = about("creation-too-large")(
    "Gathering the keys would read more than the scan to filter, or read a large side again.",
    "Raise spark.latebloom.join.rescanBytes."
  )

  val joinCycle: Reason = about("join-cycle")(
    "The keys come from a scan that is itself filtered by keys of this scan.",
    "Nothing to do: one of the two filters is in place."
  )

  val joinFilterTwice: Reason = about("join-filter-twice")(
    "The scan is already filtered by the same keys.",
    "Nothing to do."
  )

  val topKDisabled: Reason = about("top-k-disabled")(
    "Searches for the first rows of an order are switched off.",
    "Set spark.latebloom.topK.enabled=true."
  )

  def topKTooMany(wanted: Long, most: Int): Reason =
    about("top-k-too-many", "rows" -> s"$wanted", "maxRows" -> s"$most")(
      s"The query asks for $wanted rows, more than $most.",
      "Raise spark.latebloom.topK.maxRows."
    )

  def topKNotTraceable(node: String): Reason = about("top-k-not-traceable", "node" -> node)(
    s"The $node between the order and the scan may need other rows than the first.",
    s"Order before the $node where that means the same."
  )

  def topKScanTooSmall(least: Long): Reason =
    about("top-k-scan-too-small", "minScanBytes" -> s"$least")(
      s"The scan reads less than $least bytes: reading it twice would cost more.",
      "Lower spark.latebloom.topK.minScanBytes."
    )

  val topKSavesNothing: Reason = about("top-k-saves-nothing")(
    "Nearly all that the scan reads is needed to find the first rows, or holds one of them.",
    "Nothing to do: select more columns, or ask for fewer rows, to gain by it."
  )

  private def about(code: String, args: (String, String)*)(reason: String, fix: String): Reason =
    Reason(code, args.toMap, reason, fix)
}
