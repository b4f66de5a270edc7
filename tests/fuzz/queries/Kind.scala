// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import org.apache.spark.SPARK_VERSION

/** A type of column.
  *
  * @param ddl
  *   its name in the definition of a table
  * @param sql
  *   its name in a cast, where CHAR and VARCHAR are strings
  * @param values
  *   literals of SQL: few, so that joins match, with error-prone ones among them
  */
final case class Kind(ddl: String, sql: String, family: String, values: Seq[String]) {
  def isNumber: Boolean = family == "number"
  def isFloat: Boolean = sql == "double" || sql == "float"
  def isText: Boolean = family == "text"
  def isOrdered: Boolean = family != "map"

  /** Whether equal values may differ: in a cast's result, in length, in bytes. */
  def hasEquals: Boolean = isFloat || sql.contains("collate") || family == "array" ||
    family == "struct"
}

object Kind {
  private def numbers(sql: String, values: Seq[String]) = Kind(sql, sql, "number", values)

  private def integers(sql: String) =
    numbers(sql, Seq("0", "1", "2", "3", "4", "5", "-1", "12").map(v => s"cast($v as $sql)"))

  val int: Kind = numbers("int", (0 until 8).map(_.toString))
  val bigint: Kind = integers("bigint")
  val boolean: Kind = Kind("boolean", "boolean", "boolean", Seq("true", "false"))

  private val small = Seq(integers("tinyint"), integers("smallint"))

  private val floating = Seq("double", "float").map { t =>
    val values = Seq("0", "-0.0", "NaN", "1", "1.5", "2", "-3", "Infinity")
    numbers(t, values.map(v => s"$t('$v')"))
  }
  val double: Kind = floating.head

  private val decimals =
    Seq("decimal(7,2)", "decimal(18,4)", "decimal(25,3)", "decimal(38,6)").map {
      t => numbers(t, Seq("0", "1", "1.5", "2", "3", "-1.25", "12").map(v => s"cast($v as $t)"))
    }

  private val words =
    Seq("0.0", "-0.0", "a", "A", "a ", "b", "B", "b  ", "", " ", "1", "2", "ab", "é", "É")
      .map(w => s"'$w'")

  val string: Kind = Kind("string", "string", "text", words)

  private val padded = Seq("char(4)", "varchar(4)").map(t => Kind(t, "string", "text", words))

  private val hasCollations = !SPARK_VERSION.startsWith("3.")

  private def collated(collation: String, values: Seq[String]): Kind = {
    val t = s"string collate $collation"
    Kind(t, t, "text", values.map(v => s"$v collate $collation"))
  }

  /** Strings that differ only in trailing spaces. */
  val trimmed: Kind = {
    val values = Seq("a", "a ", "a  ", "", " ", "b").map(w => s"'$w'")
    if (hasCollations) collated("UTF8_BINARY_RTRIM", values) else padded.head.copy(values = values)
  }

  private val collations =
    Seq("UTF8_LCASE", "UNICODE_CI", "UTF8_BINARY_RTRIM").filter(_ => hasCollations)

  val binary: Kind =
    Kind("binary", "binary", "binary", Seq("X''", "X'00'", "X'61'", "X'6120'", "X'FF'"))

  /** The days that the Gregorian calendar skipped, and their neighbours. */
  private val days = Seq(
    "1582-10-04",
    "1582-10-05",
    "1582-10-09",
    "1582-10-10",
    "1582-10-14",
    "1582-10-15",
    "0001-01-01",
    "1899-12-31",
    "1970-01-01",
    "2024-02-29"
  )

  val date: Kind = Kind("date", "date", "date", days.map(d => s"date'$d'"))

  private val instants = Seq(
    "1582-10-10 12:00:00",
    "1582-10-14 23:59:59",
    "1582-10-15 00:00:00",
    "1850-06-01 00:00:00.123456",
    "1890-01-01 00:00:30",
    "1899-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2024-03-10 02:30:00"
  )

  val timestamp: Kind =
    Kind("timestamp", "timestamp", "timestamp", instants.map(t => s"timestamp'$t'"))

  private val local =
    Kind("timestamp_ntz", "timestamp_ntz", "local", instants.map(t => s"timestamp_ntz'$t'"))

  private val intervals = Seq(
    Kind(
      "interval day to second",
      "interval day to second",
      "interval",
      Seq("0 00:00:00", "1 00:00:00", "2 00:00:00", "-1 00:00:01", "100 00:00:00.000001")
        .map(v => s"interval '$v' day to second")
    ),
    Kind(
      "interval year to month",
      "interval year to month",
      "interval",
      Seq("0-0", "0-1", "1-0", "-1-1").map(v => s"interval '$v' year to month")
    )
  )

  val ints: Kind = Kind(
    "array<int>",
    "array<int>",
    "array",
    Seq("array(null)", "array(1)", "array(1, 2)", "array()", "array(2, null)")
      .map(v => s"cast($v as array<int>)")
  )

  private val nested = Seq(
    Kind(
      "struct<a:int,b:string>",
      "struct<a:int,b:string>",
      "struct",
      Seq("1, 'a'", "1, 'b'", "2, 'a'", "null, 'a'", "3, null", "0, 'a '")
        .map(v => s"cast(struct($v) as struct<a:int,b:string>)")
    ),
    ints,
    Kind(
      "map<string,int>",
      "map<string,int>",
      "map",
      Seq("map('a', 1)", "map('a', 2)", "map('a', null)", "map('b', 1)")
        .map(v => s"cast($v as map<string,int>)")
    )
  )

  val all: Seq[Kind] = Seq(int, bigint, boolean, string, binary, date, timestamp, local) ++ small ++
    floating ++ decimals ++ collations.map(collated(_, words)) ++ padded ++ intervals ++ nested
}
