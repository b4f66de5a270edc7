// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

/** A table of few rows that SQL computes from row numbers, the same on every run.
  *
  * @param clean
  *   whether it lacks the rows whose text is no number and whose divisor is zero: a join with it on
  *   `id` drops them
  * @param hidden
  *   literals of the partitions if the files have a column with the name of the partition's, whose
  *   values count for nothing; empty if they have none
  * @param cached
  *   whether Spark keeps its rows in memory
  * @param v2
  *   whether it is read as a source of version 2
  */
final case class Table(
    name: String,
    columns: Seq[TableColumn],
    rows: Int,
    files: Int,
    clean: Boolean,
    format: String,
    options: Seq[(String, String)],
    partition: Option[String],
    hidden: Seq[String],
    buckets: Option[Int],
    sortedBy: Option[String],
    calendar: String,
    cached: Boolean,
    v2: Boolean
) {
  def ddl: Seq[String] = {
    val (last, others) = columns.partition(c => partition.contains(c.name))
    // Files that have the column of their partition have it anywhere.
    val ordered = if (v2 && hidden.nonEmpty) columns else others ++ last
    val fields = ordered.map(c => s"${c.name} ${c.kind.ddl}").mkString(", ")
    val with_ = if (options.isEmpty) ""
    else options.map { case (k, v) => s"'$k'='$v'" }.mkString(" options (", ", ", ")")
    val values = ordered.map(c => s"${c.data} as ${c.name}").mkString(", ")
    val kept = if (clean) " where pmod(id, 7) <> 5" else ""
    val sorted = sortedBy.fold("")(c => s" sort by $c")
    def create(table: String, how: String) =
      s"create table $table ($fields) using $format$with_$how"
    def insert(table: String, where: String) =
      s"insert into $table select * from (select $values from range(0, $rows, 1, $files)$where)$sorted"
    def location(folder: String) = s" location '$${spark.sql.warehouse.dir}/$folder'"
    val partitioned = partition.fold("")(p => s" partitioned by ($p)")
    val filled = if (hidden.isEmpty) {
      val bucketed = buckets.fold("")(b => s" clustered by (id) into $b buckets")
      Seq(create(filesOf, partitioned + bucketed), insert(filesOf, kept))
    } else {
      val whole = if (v2) Nil else Seq(create(name, partitioned))
      whole ++ hidden.zip(parts).zipWithIndex.flatMap { case ((value, part), i) =>
        val own = s"pmod(id, ${hidden.size}) = $i"
        val folder = s"$filesOf/${partition.get}=${value.replace("'", "")}"
        Seq(
          create(part, if (v2) location(folder) else ""),
          insert(part, if (clean) s"$kept and $own" else s" where $own")
        ) ++ Option.when(!v2)(
          s"alter table $name add partition (${partition.get} = $value)${location(part)}"
        )
      }
    }
    val view =
      Option.when(v2)(s"create view $name as select * from ${FileCatalog.name}.$format.$filesOf")
    Seq(
      s"set spark.sql.session.timeZone=UTC",
      s"set spark.sql.parquet.datetimeRebaseModeInWrite=$calendar"
    ) ++ filled ++ view ++ Option.when(cached)(s"cache table $name")
  }

  /** The same table by another partition column, or none. */
  def partitionedBy(column: Option[String]): Table =
    copy(partition = column, hidden = if (column.isEmpty) Nil else hidden)

  /** The table in whose folder its files are. */
  private def filesOf = if (v2) s"${name}_files" else name

  /** Whether its folder says all of it: not what a catalog alone knows, such as buckets. */
  def isReadableAsV2: Boolean = {
    val told = if (hidden.isEmpty) Set("int") else Set("int", "date", "string")
    buckets.isEmpty &&
    columns.filter(c => partition.contains(c.name)).forall(c => told(c.kind.ddl))
  }

  /** What drops it. */
  def dropped: Seq[String] =
    s"drop ${if (v2) "view" else "table"} if exists $name" +:
      (parts ++ Option.when(v2)(filesOf)).map(t => s"drop table if exists $t")

  /** The tables whose folders are its partitions. */
  private def parts: Seq[String] = hidden.indices.map(i => s"${name}_part$i")
}

final case class TableColumn(name: String, kind: Kind, role: String, data: String)

/** The tables that some hundred queries share. */
object Tables {
  val dirty = "pmod(id, 7) = 5"

  def of(seed: Long, world: Int): Seq[Table] = {
    val rng = Rng.of(seed, 1, world)
    // All tables and conditions share few values of a type, so that most of them match.
    def few(kind: Kind) = kind.copy(values = rng.some(kind.values, 3, 6))
    // Few types, so that several tables have columns of each one.
    val palette = rng.some(Kind.all, 4, 6).map(few)
    // The zeros as strings, and some more.
    val spelled = {
      val (zeros, others) = Kind.string.values.splitAt(2)
      Kind.string.copy(values = zeros ++ rng.some(others, 1, 3))
    }
    // The types that break keys most often.
    val delicate = Seq(
      ("k", Kind.int, 90),
      ("f", Kind.double.copy(values = Kind.double.values.take(4)), 70),
      ("t", spelled, 60),
      ("c", few(Kind.trimmed), 55),
      ("d", few(Kind.date.copy(values = Kind.date.values.take(7))), 60),
      ("m", few(Kind.timestamp), 35),
      ("a", few(Kind.ints), 25)
    )
    val tables = (0 until 5).map(i => table(rng, s"t${world}_$i", i, delicate, palette))
    val versions = Rng.of(seed, 3, world)
    tables.map(t => t.copy(v2 = versions.chance(20) && t.isReadableAsV2))
  }

  private def table(
      rng: Rng,
      name: String,
      i: Int,
      delicateKinds: Seq[(String, Kind, Int)],
      palette: Seq[Kind]
  ): Table = {
    val delicate = delicateKinds.collect {
      case (name, kind, percent) if rng.chance(percent) =>
        TableColumn(name, kind, "delicate", data(rng, kind))
    }
    val free = delicate ++ (0 until 1 + rng.below(3)).map { c =>
      val kind = rng.pick(palette)
      TableColumn(s"x$c", kind, "", data(rng, kind))
    }
    val columns = Seq(
      TableColumn("id", Kind.int, "id", "cast(id as int)"),
      TableColumn("g", Kind.int, "", s"cast(pmod(id, ${2 + rng.below(5)}) as int)"),
      TableColumn(
        "s",
        Kind.string,
        "text",
        s"if($dirty, 'bad', cast(${data(rng, Kind.int)} as string))"
      ),
      TableColumn("z", Kind.int, "divisor", s"if($dirty, 0, ${data(rng, nonZero)})")
    ) ++ free
    // Spark can't read the collated strings that it writes to ORC.
    val parquet = rng.chance(55) || free.exists(_.kind.sql.contains("collate"))
    val partitionable = free.filter(c =>
      Set("number", "date", "text")(c.kind.family) &&
        !c.kind.isFloat && c.kind.ddl == c.kind.sql && !c.kind.sql.contains("collate")
    )
    val partition = if (rng.chance(12)) partitionable.headOption.map(_.name).orElse(Some("g"))
    else None
    val hidden = columns.filter(c => partition.contains(c.name) && rng.chance(50)).flatMap { c =>
      c.kind.family match {
        case "date" => Seq("'1970-01-01'", "'2024-02-29'")
        case "text" => Seq("'a'", "'b'")
        case _      => Seq("'1'", "'2'", "'3'")
      }
    }
    Table(
      name,
      columns,
      // The first is the largest, so that filters on it pay.
      rows = if (i == 0) 120 else 5 + rng.below(30),
      files = if (i == 0) 2 else 1 + rng.below(2),
      clean = rng.chance(40),
      format = if (parquet) "parquet" else "orc",
      options = if (parquet) parquetOptions(rng) else orcOptions(rng),
      partition = partition,
      hidden = hidden,
      buckets = Option.when(partition.isEmpty && rng.chance(12))(2),
      // Statistics prune most where equal values are clustered.
      sortedBy = Option.when(rng.chance(50))(
        rng.weighted(columns.filter(_.kind.isOrdered)
          .map(c => (if (c.role == "delicate") 3 else 1) -> c.name): _*)
      ),
      calendar = if (rng.chance(80)) "CORRECTED" else "LEGACY",
      cached = i > 0 && rng.chance(15),
      v2 = false
    )
  }

  private def isZero(value: String) = value.contains("'0'")

  private val nonZero = Kind.int.copy(values = Seq("1", "2", "3", "4"))

  /** A few of the type's values, nulls among them, in an order by hash. */
  private def data(rng: Rng, kind: Kind): String = {
    // In a column of -0.0 alone, an expression over it differs from one over its group.
    val kept = if (kind.isFloat && rng.chance(40)) kind.values.filterNot(isZero) else kind.values
    val values = rng.some(kept, 2, 6)
    val nulls = Seq.fill(rng.weighted(4 -> 0, 3 -> 1, 2 -> 3))("null")
    val listed = (s"cast(${values.head} as ${kind.sql})" +: values.tail) ++ nulls
    s"get(array(${listed.mkString(", ")}), cast(pmod(xxhash64(id, ${rng.below(1000)}), " +
      s"${listed.size}) as int))"
  }

  private def parquetOptions(rng: Rng) = Seq(
    rng.weighted(2 -> None, 1 -> Some("compression" -> "zstd"), 1 -> Some("compression" -> "none")),
    Option.when(rng.chance(50))("parquet.block.row.count.limit" -> rng.pick(Seq("7", "20"))),
    Option.when(rng.chance(50))("parquet.page.row.count.limit" -> rng.pick(Seq("3", "10"))),
    Option.when(rng.chance(25))("parquet.enable.dictionary" -> "false"),
    Option.when(rng.chance(25))("parquet.writer.version" -> "PARQUET_2_0")
  ).flatten

  private def orcOptions(rng: Rng) = Seq(
    rng.weighted(2 -> None, 1 -> Some("compression" -> "zlib"), 1 -> Some("compression" -> "none")),
    Option.when(rng.chance(30))("orc.dictionary.key.threshold" -> "1.0"),
    Option.when(rng.chance(20))("orc.row.index.stride" -> "1000")
  ).flatten
}
