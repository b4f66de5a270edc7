// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

/** Random expressions over the columns of a relation.
  *
  * @param clean
  *   the scans whose failing rows a filter or join has dropped
  * @param subqueries
  *   generates the relations of subqueries; None where no more are allowed
  * @param inJoin
  *   whether they stand in a join's condition, where a subquery can't be correlated
  */
final class Expressions(
    rng: Rng,
    columns: Seq[Column],
    clean: Set[Int],
    subqueries: Option[Relations],
    inJoin: Boolean = false
) {

  def column(wanted: Column => Boolean): Option[Ref] = {
    val fit = columns.filter(wanted)
    Option.when(fit.nonEmpty)(Ref(rng.weighted(fit.map(c => c.weight -> c): _*)))
  }

  def literal(kind: Kind): Lit =
    if (rng.chance(4)) Lit(s"cast(null as ${kind.sql})", kind)
    else Lit(rng.pick(kind.values), kind)

  private def leaf(kind: Kind): Expr =
    if (rng.chance(12)) literal(kind)
    else column(sameKind(kind)).getOrElse(literal(kind))

  private def sameKind(kind: Kind)(c: Column) = c.kind.sql == kind.sql

  /** An expression of a type, with calls nested at most `depth` deep. */
  def value(kind: Kind, depth: Int): Expr =
    if (depth == 0) leaf(kind)
    else {
      def v = value(kind, depth - 1)
      rng.weighted[() => Expr](
        5 -> (() => leaf(kind)),
        3 -> (() => Call("coalesce(?, ?)", Seq(v, literal(kind)), kind)),
        1 -> (() => Call("coalesce(?, ?)", Seq(v, v), kind)),
        2 -> (() => {
          val c = column(_.kind.isOrdered).getOrElse(literal(Kind.int))
          Call("case when ? is null then ? else ? end", Seq(c, literal(kind), v), kind)
        }),
        2 -> (() => Call("if(?, ?, ?)", Seq(predicate(depth - 1), v, v), kind)),
        1 -> (() =>
          if (kind.isOrdered) Call("nullif(?, ?)", Seq(v, literal(kind)), kind) else v
        ),
        8 -> (() => special(kind, depth - 1)),
        1 -> (() => subqueries.flatMap(_.scalar(kind, if (inJoin) Nil else columns)).getOrElse(v))
      )()
    }

  private def special(kind: Kind, depth: Int): Expr = {
    def v = value(kind, depth)
    def of(wanted: Column => Boolean) = column(wanted)
    def call(template: String, parts: Node*) = Some(Call(template, parts, kind))
    def cast(wanted: Column => Boolean) =
      of(wanted).flatMap(c => call(s"cast(? as ${kind.sql})", c))
    val found: Option[Expr] = kind.family match {
      case "number" if kind.sql == "int" =>
        rng.weighted[() => Option[Expr]](
          3 -> (() => of(_.kind.isText).flatMap(call("length(?)", _))),
          2 -> (() => call("? + ?", v, literal(kind))),
          1 -> (() => call("? - ?", v, v)),
          1 -> (() => call("? * ?", v, literal(kind))),
          1 -> (() => call("abs(?)", v)),
          1 -> (() => of(c => c.kind.family != "map").flatMap(call("pmod(hash(?), 5)", _))),
          1 -> (() => of(_.kind.family == "date").flatMap(call("year(?)", _))),
          1 -> (() =>
            of(_.kind.family == "date").flatMap(call("datediff(?, date'1582-10-10')", _))
          ),
          2 -> (() => of(_.kind.isOrdered).flatMap(call("cast(? is null as int)", _))),
          1 -> (() => of(_.kind.family == "struct").flatMap(call("?.a", _))),
          1 -> (() => of(_.kind.family == "array").flatMap(call("size(?)", _))),
          1 -> (() => of(_.kind.family == "array").flatMap(call("get(?, 0)", _))),
          2 -> (() =>
            of(_.kind.family == "array").flatMap(call(rng.pick(Expressions.foldings), _))
          ),
          1 -> (() => of(_.kind.family == "map").flatMap(call("?['a']", _))),
          1 -> (() => cast(c => Set("bigint", "smallint", "tinyint", "boolean")(c.kind.sql))),
          7 -> (() => risky(kind))
        )()
      case "number" if kind.isFloat =>
        rng.weighted[() => Option[Expr]](
          1 -> (() => cast(c => c.kind.isNumber)),
          1 -> (() => call("-(?)", v)),
          1 -> (() => call(s"? * ${kind.sql}('-0.0')", v))
        )()
      case "number" =>
        if (rng.chance(50)) cast(c => c.kind.sql == "int" && c.role != "id")
        else call(s"cast(? + ? as ${kind.sql})", v, literal(kind))
      case "text" =>
        rng.weighted[() => Option[Expr]](
          2 -> (() => call("concat(?, ?)", v, literal(kind))),
          1 -> (() => call("substr(?, 1, 1)", v)),
          1 -> (() => call("upper(?)", v)),
          1 -> (() => call("rtrim(?)", v)),
          2 -> (() => cast(_.kind.isText)),
          3 -> (() => cast(c => c.kind.family != "binary" && !c.kind.isText)),
          1 -> (() => cast(_.kind.isFloat)),
          1 -> (() => of(_.kind.family == "struct").flatMap(call(s"cast(?.b as ${kind.sql})", _)))
        )()
      case "binary"  => cast(_.kind.isText)
      case "boolean" => Some(predicate(depth))
      case "date"    => rng.weighted[() => Option[Expr]](
          1 -> (() => call("date_add(?, 1)", v)),
          1 -> (() => call("last_day(?)", v)),
          1 -> (() => cast(c => Set("timestamp", "local")(c.kind.family)))
        )()
      case "timestamp" =>
        if (rng.chance(50)) cast(c => Set("date", "local")(c.kind.family))
        else call("? + interval '1' hour", v)
      case "local"  => cast(c => Set("date", "timestamp")(c.kind.family))
      case "struct" =>
        call(
          s"cast(struct(?, ?) as ${kind.sql})",
          value(Kind.int, depth),
          value(Kind.string, depth)
        )
      case "array" =>
        if (rng.chance(50)) call("array(?, ?)", value(Kind.int, depth), value(Kind.int, depth))
        else call(rng.pick(Expressions.ofArrays), v)
      case "map" =>
        if (rng.chance(50)) call("map('a', ?)", value(Kind.int, depth))
        else call(rng.pick(Expressions.ofMaps), v)
      case _ => None
    }
    found.getOrElse(v)
  }

  /** An expression that fails on some rows of a table, used mostly where those are dropped. */
  private def risky(kind: Kind): Option[Expr] = {
    val all = rng.chance(3)
    def safe(c: Column) = all || clean(c.scan)
    val template = rng.pick(Seq("cast(? as int)" -> "text", "cast(100 div ? as int)" -> "divisor"))
    column(c => c.role == template._2 && safe(c)).map(c => Call(template._1, Seq(c), kind))
  }

  /** Keeps few rows, and the optimizer estimates it so. */
  def selective(depth: Int): Expr = {
    val c = column(_.kind.isOrdered)
    c.fold(predicate(depth)) { c =>
      val b = Kind.boolean
      def lit = literal(c.kind)
      rng.weighted[() => Expr](
        4 -> (() => Call("? = ?", Seq(c, lit), b)),
        2 -> (() => Call("? in (?, ?)", Seq(c, lit, lit), b)),
        2 -> (() => Call(s"? ${rng.pick(Seq("<", ">", "<=", ">="))} ?", Seq(c, lit), b)),
        1 -> (() => Call("? <=> ?", Seq(c, lit), b)),
        2 -> (() =>
          column(_.role == "id").fold(predicate(depth)) { id =>
            Call("? < ?", Seq(id, Lit((1 + rng.below(40)).toString, Kind.int)), b)
          }
        ),
        1 -> (() => drop),
        2 -> (() => predicate(depth))
      )()
    }
  }

  /** Drops the rows on which casts and divisions fail, if a column identifies them. */
  private def drop: Expr = column(c => c.role == "id" || c.role == "text") match {
    case Some(c) if c.column.role == "id" => Call(Expressions.cleanId, Seq(c), Kind.boolean)
    case Some(c)                          => Call(Expressions.cleanText, Seq(c), Kind.boolean)
    case None                             => predicate(0)
  }

  def predicate(depth: Int): Expr = {
    val b = Kind.boolean
    def compared(left: Expr) = {
      val right = if (rng.chance(60)) literal(left.kind) else value(left.kind, 0)
      val op = if (left.kind.isOrdered) rng.pick(Seq("=", "<", ">", "<>", "<=>", ">=")) else "="
      // SQL's comparisons can't be chained.
      val side = if (left.kind.sql == b.sql) "(?)" else "?"
      Call(s"$side $op $side", Seq(left, right), b)
    }
    def any = column(_.kind.isOrdered)
    def plain = any.fold[Expr](Lit("true", b))(compared)
    def nested = column(c => c.kind.family == "array" || c.kind.family == "map").map { c =>
      val tests =
        if (c.kind.family == "array") Expressions.testsOfArrays else Expressions.testsOfMaps
      Call(rng.pick(tests), Seq(c), b)
    }
    def p = predicate(depth - 1)
    if (depth <= 0) {
      rng.weighted[() => Expr](
        4 -> (() => plain),
        1 -> (() => any.fold(plain)(c => Call("? is null", Seq(c), b))),
        1 -> (() => any.fold(plain)(c => Call("? is not null", Seq(c), b))),
        1 -> (() => nested.getOrElse(plain)),
        1 -> (() =>
          column(c => c.kind.sql == "string")
            .fold(plain)(c => Call(s"? like '${rng.pick(Seq("a%", "%b", "%", "_"))}'", Seq(c), b))
        )
      )()
    } else {
      rng.weighted[() => Expr](
        3 -> (() => plain),
        2 -> (() => Call("(? or ?)", Seq(p, p), b)),
        1 -> (() => Call("(? and ?)", Seq(p, p), b)),
        1 -> (() => Call("not (?)", Seq(p), b)),
        3 -> (() => any.fold(plain)(c => compared(value(c.column.kind, depth)))),
        1 -> (() =>
          any.fold(plain) { c =>
            Call("? in (?, ?)", Seq(value(c.column.kind, 1), literal(c.kind), value(c.kind, 0)), b)
          }
        ),
        1 -> (() => Call("coalesce(?, ?)", Seq(p, Lit("false", b)), b)),
        3 -> (() => subqueries.filterNot(_ => inJoin).fold(p)(_.existence(columns)))
      )()
    }
  }
}

object Expressions {
  val cleanId = "pmod(?, 7) <> 5"
  val cleanText = "? <> 'bad'"
  val equal = "? = ?"

  // Functions that Spark interprets, and others, of arrays and maps with nulls.
  val testsOfArrays: Seq[String] = Seq(
    "exists(?, e -> e is null)",
    "exists(?, e -> e = 0)",
    "forall(?, e -> e > 0)",
    "array_contains(?, 1)"
  )
  val testsOfMaps: Seq[String] = Seq(
    "exists(map_values(?), v -> v is null)",
    "cardinality(map_filter(?, (k, v) -> v is null)) > 0",
    "map_contains_key(?, 'a')"
  )
  val foldings: Seq[String] = Seq(
    "size(filter(?, e -> e is null))",
    "aggregate(?, 0, (a, e) -> a + coalesce(e, 9))",
    "array_max(?)",
    "try_element_at(?, -1)"
  )
  val ofArrays: Seq[String] = Seq(
    "filter(?, e -> e is not null)",
    "transform(?, e -> coalesce(e, 7))",
    "array_sort(?)",
    "reverse(?)"
  )
  val ofMaps: Seq[String] =
    Seq("map_filter(?, (k, v) -> v is not null)", "transform_values(?, (k, v) -> coalesce(v, 5))")
}
