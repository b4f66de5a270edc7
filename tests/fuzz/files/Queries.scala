// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import org.apache.spark.sql.types._

/** A query over one file.
  *
  * @param keys
  *   a join filter: its column, which must be in the output, and the keys that pass
  * @param confs
  *   settings under which the query is planned and run
  */
final case class FileQuery(
    output: Seq[String],
    condition: String,
    keys: Option[(Seed.Column, Seq[Any])],
    confs: Map[String, String]
) {

  /** The file's columns that the query reads. */
  def columns(schema: StructType): Set[String] =
    named(schema, condition +: (output ++ keys.map(_._1.sql)))

  /** The file's columns that the condition or the join filter tests. */
  def filtered(schema: StructType): Set[String] =
    named(schema, condition +: keys.map(_._1.sql).toSeq)

  private def named(schema: StructType, texts: Seq[String]): Set[String] =
    schema.fieldNames.filter(n => texts.exists(s"\\b$n\\b".r.findFirstIn(_).isDefined)).toSet

  override def toString: String = {
    val joined = keys.fold("") { case (column, values) =>
      s", join filter on ${column.sql} by ${values.map(column.literal).mkString(", ")}"
    }
    s"select ${output.mkString(", ")} where $condition$joined, with " +
      confs.map { case (k, v) => s"$k=$v" }.mkString(", ")
  }
}

object FileQuery {

  def random(dice: Dice, seed: Seed): FileQuery = {
    val usable = seed.values.filter(_.values.nonEmpty)
    val condition = dice.weighted[() => String](
      40 -> (() => leaf(dice, seed, dice.pick(usable.toIndexedSeq))),
      45 -> (() => tree(dice, seed, usable, dice.between(1, 3))),
      8 -> (() => nested(dice, seed).getOrElse(leaf(dice, seed, dice.pick(usable.toIndexedSeq)))),
      4 -> (() => all(usable.head)),
      3 -> (() => none(usable.head))
    )()
    val keys = Option.when(dice.chance(25)) {
      val column = dice.pick(usable.filter(c => isKey(c.dataType) && !c.sql.contains("."))
        .toIndexedSeq)
      (column, Seq.fill(dice.between(1, 12))(dice.pick(column.values)).distinct)
    }
    FileQuery(
      (outputs(dice, seed) ++ keys.map(_._1.sql)).distinct,
      condition,
      keys,
      confs(dice, seed)
    )
  }

  private def isKey(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | StringType =>
      true
    case _ => false
  }

  private def outputs(dice: Dice, seed: Seed): Seq[String] = {
    val whole = seed.schema.fieldNames.toSeq.map(n => s"`$n`")
    val fields = seed.values.map(_.sql).filter(_.contains("."))
    dice.below(4) match {
      case 0                    => Seq(dice.pick(whole.toIndexedSeq))
      case 1 if fields.nonEmpty =>
        dice.some(fields, 30).zipWithIndex.map { case (f, i) => s"$f as f$i" }
      case 2 => whole
      case _ => dice.some(whole, 40)
    }
  }

  private def tree(dice: Dice, seed: Seed, columns: Seq[Seed.Column], depth: Int): String =
    if (depth == 0) leaf(dice, seed, dice.pick(columns.toIndexedSeq))
    else {
      def part = tree(dice, seed, columns, depth - 1)
      dice.weighted(
        40 -> s"($part AND $part)",
        35 -> s"($part OR $part)",
        10 -> s"NOT ($part)",
        15 -> part
      )
    }

  private def all(column: Seed.Column) = s"(${column.sql} IS NULL OR ${column.sql} IS NOT NULL)" +
    s" AND coalesce(${column.sql}, ${column.literal(column.values.head)}) IS NOT NULL"

  private def none(column: Seed.Column) =
    s"${column.sql} < ${column.literal(column.values.head)} AND " +
      s"${column.sql} > ${column.literal(column.values.head)}"

  private def nested(dice: Dice, seed: Seed): Option[String] = {
    val found = seed.schema.collect {
      case StructField(name, ArrayType(_, _), _, _) =>
        dice.oneOf(s"size(`$name`) = 2", s"`$name`[0] IS NOT NULL", s"size(`$name`) < 1")
      case StructField(name, MapType(_, _, _), _, _) =>
        dice.oneOf(s"size(`$name`) > 0", s"`$name`['AIR'] IS NULL", s"`$name`['AIR'] > 20")
      case StructField(name, _: StructType, _, _) =>
        dice.oneOf(s"`$name` IS NULL", s"`$name` IS NOT NULL AND `$name` <=> `$name`")
    }
    Option.when(found.nonEmpty)(dice.pick(found.toIndexedSeq))
  }

  private def leaf(dice: Dice, seed: Seed, c: Seed.Column): String = {
    val sql = c.sql
    def value = c.literal(dice.pick(c.values))
    def list(n: Int) = Seq.fill(n)(value).mkString(", ")
    def comparison = dice.oneOf("=", "=", "<", "<=", ">", ">=", "<>", "<=>")
    def same = seed.values.filter(o => o.dataType == c.dataType && o.sql != sql)
    dice.weighted[() => String](
      40 -> (() => s"$sql $comparison $value"),
      8 -> (() => s"$sql BETWEEN $value AND $value"),
      10 -> (() => s"$sql IN (${list(dice.between(1, 5))})"),
      3 -> (() => s"$sql IN (${list(20)})"),
      3 -> (() => s"$sql NOT IN (${list(3)})"),
      3 -> (() => s"$sql IN ($value, NULL)"),
      6 -> (() => s"$sql IS NULL"),
      6 -> (() => s"$sql IS NOT NULL"),
      4 -> (() => dice.oneOf(s"NOT ($sql IS NULL)", s"NOT ($sql IS NOT NULL)")),
      4 -> (() => s"NOT ($sql IS NULL AND $sql $comparison $value)"),
      3 -> (() => s"$sql IS NOT NULL AND $sql <> $value"),
      15 -> (() => special(dice, c).getOrElse(s"$sql $comparison $value")),
      5 -> (() =>
        if (same.isEmpty) s"$sql $comparison $value"
        else s"$sql $comparison ${dice.pick(same.toIndexedSeq).sql}"
      )
    )()
  }

  private def special(dice: Dice, c: Seed.Column): Option[String] = {
    val sql = c.sql
    c.dataType match {
      case StringType =>
        val text = dice.pick(c.values).toString.replace("\\", "").replace("'", "").filter(_ >= ' ')
        val part = text.take(3)
        Some(
          dice.oneOf(
            s"$sql LIKE '$part%'",
            s"$sql LIKE '%$part%'",
            s"$sql LIKE '%${text.takeRight(3)}'",
            s"$sql LIKE '_$part%'",
            s"$sql LIKE '${text.take(1)}%${text.takeRight(1)}'",
            s"length($sql) > ${text.length}",
            s"upper($sql) = upper('$part')",
            s"substr($sql, 1, 2) = '${text.take(2)}'",
            s"$sql RLIKE '^[a-m]'"
          )
        )
      case ByteType | ShortType | IntegerType | LongType =>
        Some(dice.oneOf(s"$sql % 3 = 1", s"abs($sql) > 5", s"-$sql < 3"))
      case DoubleType | FloatType   => Some(dice.oneOf(s"isnan($sql)", s"$sql * 2 > 1"))
      case BooleanType              => Some(dice.oneOf(sql, s"NOT $sql"))
      case DateType | TimestampType => Some(dice.oneOf(s"day($sql) = 3", s"month($sql) = 1"))
      case BinaryType               => Some(s"length($sql) = 2")
      case _                        => None
    }
  }

  /** Random settings; most queries keep most defaults. */
  private def confs(dice: Dice, seed: Seed): Map[String, String] = {
    def seldom(percent: Int, key: String, values: String*) =
      Option.when(dice.chance(percent))(key -> dice.oneOf(values: _*))
    val batch =
      if (seed.isParquet) "spark.sql.parquet.columnarReaderBatchSize"
      else "spark.sql.orc.columnarReaderBatchSize"
    Seq(
      seldom(20, batch, "1", "7", "32", "100"),
      seldom(25, "spark.latebloom.scan.eagerFraction", "0", "1"),
      seldom(20, "spark.latebloom.io.mergeGapBytes", "0", "64"),
      seldom(10, "spark.latebloom.scan.pageCacheBytes", "0", "300"),
      seldom(5, "spark.sql.columnVector.offheap.enabled", "true"),
      seldom(10, "parquet.page.verify-checksum.enabled", "true").filter(_ => seed.isParquet),
      seldom(8, "spark.sql.parquet.datetimeRebaseModeInRead", "LEGACY", "EXCEPTION")
        .filter(_ => seed.isParquet),
      seldom(5, "spark.sql.parquet.filterPushdown", "false").filter(_ => seed.isParquet),
      seldom(5, "spark.sql.orc.filterPushdown", "false").filter(_ => !seed.isParquet)
    ).flatten.toMap
  }
}
