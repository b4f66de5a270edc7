// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

/** Generates a join of a table with rows whose key an operator below computes: on the padded side
  * of an outer join, from rows that an upper join drops, from the representative of a group, or
  * along a chain of joins. A join filter is wrong if it collects or tests such keys below an
  * operator that changes their meaning.
  */
final class Derived(rng: Rng, tables: Seq[Table], make: Relations) {

  import Derived.Keyed

  def query(flaky: Boolean): Rel =
    if (!flaky && rng.chance(8)) together().getOrElse(single(flaky)) else single(flaky)

  private def single(flaky: Boolean): Rel = {
    val keyed = source(flaky)
    val large = if (rng.chance(80)) tables.head else rng.pick(tables)
    val other = partner(large, keyed.key.kind)
    // The expression stands in the join's condition or in a projection below it. Spark itself
    // starts a broadcast whose keys contain a subquery without waiting for that subquery.
    val plain = !keyed.key.nodes.exists(_.isInstanceOf[Rel])
    if (plain && rng.chance(25)) joined(other, keyed.rel, keyed.key)
    else {
      val made = fresh(keyed.key.kind)
      val kept = rng.some(keyed.rel.out, 0, 2).map(c => Item(Ref(c), make.renamed(c)))
      val side = Select(keyed.rel, Item(keyed.key, made) +: kept, distinct = rng.chance(5))
      joined(other, side, Ref(made))
    }
  }

  /** Joins on two keys, which are hashed together: one of few values, and one whose equal values
    * may differ, or that holds nulls within.
    */
  private def together(): Option[Rel] = {
    def delicate(t: Table) = t.columns.filter(c => c.role == "delicate" && c.kind.hasEquals)
    val pairs = for {
      large <- tables.take(2)
      small <- tables.tail if small != large
      mine <- delicate(large)
      theirs <- delicate(small) if mine.name == theirs.name
    } yield (large, mine, small, theirs)
    Option.when(pairs.nonEmpty) {
      val (large, mine, small, theirs) = rng.pick(pairs)
      def scan(t: Table, c: TableColumn) = make.scanOf(t, t.columns.take(2) :+ c)
      val (app, made) = (scan(large, mine), scan(small, theirs))
      val few = narrowed(made)
      val kind = app.out(2).kind
      def lit = new Expressions(rng, Nil, Set.empty, None).literal(made.out(2).kind)
      def key(ref: Ref): Expr = rng.weighted[() => Expr](
        3 -> (() => ref),
        2 -> (() => Call("coalesce(?, ?)", Seq(ref, lit), kind)),
        2 -> (() => Call("case when ? is null then ? else ? end", Seq(ref, lit, ref), kind)),
        2 -> (() => Call("if(? > 2, ?, ?)", Seq(Ref(made.out.head), ref, lit), kind))
      )()
      val other = if (rng.chance(70)) 1 else 0
      val op = rng.weighted(3 -> Expressions.equal, 2 -> "? <=> ?")
      val on = Seq(
        equal(app.out(other), few.out(other)),
        Call(op, Seq(Ref(app.out(2)), key(Ref(few.out(2)))), Kind.boolean)
      )
      Join(rng.weighted(4 -> "inner", 1 -> "left semi"), "", app, few, on)
    }
  }

  private def fresh(kind: Kind) = make.fresh(kind)

  private def equal(a: Column, b: Column) =
    Call(Expressions.equal, Seq(Ref(a), Ref(b)), Kind.boolean)

  /** Rows with a key of the type: a table, or an aggregate over it. */
  private def partner(table: Table, kind: Kind): Keyed = {
    def fit(t: Table) = t.columns.filter(c => c.kind.sql == kind.sql && c.role != "id")
    // Few columns hold the values that break keys most often.
    def liked(t: Table) = fit(t).exists(_.role == "delicate")
    val all = table +: rng.shuffled(tables)
    val from = all.find(t => liked(t) && rng.chance(75)).orElse(all.find(fit(_).nonEmpty))
    from match {
      case Some(t) if !rng.chance(38) =>
        val column =
          rng.weighted(fit(t).map(c => (if (c.role == "delicate") 4 else 1) -> c): _*)
        val scan = make.scanOf(t, Seq(t.columns.head, column).distinct)
        val rel = if (rng.chance(30)) narrowed(scan) else scan
        val more = rng.weighted(12 -> beside _, 6 -> exploded _, 82 -> identity[Rel] _)
        Keyed(more(rel), Ref(scan.out.last))
      case _ =>
        val grouped = group(table, Some(kind))
        if (grouped.key.kind.sql == kind.sql) grouped
        else {
          val scan = make.scanOf(table, table.columns.take(2))
          val e = new Expressions(rng, Nil, Set.empty, None)
          val few = Seq(Ref(scan.out(1)), e.literal(kind), e.literal(kind))
          Keyed(scan, Call("if(? > 1, ?, ?)", few, kind))
        }
    }
  }

  /** Joins the rows with another table; the same columns come first. */
  private def beside(rel: Rel): Rel = {
    val other = narrowed(any(1, 1))
    val kind = rng.weighted(
      2 -> "inner",
      2 -> "left outer",
      2 -> "right outer",
      2 -> "full outer",
      1 -> "left semi",
      1 -> "left anti"
    )
    Join(kind, "", rel, other, Seq(equal(rng.pick(rel.out.filter(_.kind.sql == "int")), id(other))))
  }

  /** Makes several rows of each; the same columns come first. */
  private def exploded(rel: Rel): Rel = {
    val ids = rel.out.filter(_.kind.sql == "int").map(Ref(_)).take(1)
    val list = Call(s"explode(array(${(ids.map(_ => "?") :+ "7").mkString(", ")}))", ids, Kind.int)
    Windowed(rel, Seq(Item(list, fresh(Kind.int))))
  }

  private def joined(app: Keyed, side: Rel, key: Expr): Rel = {
    val (rel, appKey) = app.key match {
      case Ref(c) => (app.rel, c)
      case e      =>
        val c = fresh(e.kind)
        val kept = app.rel.out.take(2).map(k => Item(Ref(k), make.renamed(k)))
        (Select(app.rel, Item(e, c) +: kept, distinct = false), c)
    }
    val op = rng.weighted(8 -> Expressions.equal, 1 -> "? <=> ?")
    // Several keys are hashed together, where one alone would have no filter by its type.
    val ids = (rel.out ++ side.out).filter(_.role == "id") match {
      case ids if rng.chance(20) && ids.exists(rel.out.contains) && ids.exists(side.out.contains) =>
        Seq(equal(ids.find(rel.out.contains).get, ids.find(side.out.contains).get))
      case _ => Nil
    }
    val on = Call(op, Seq(Ref(appKey), key), Kind.boolean) +: ids
    val hint = rng.weighted(6 -> "broadcast(?)", 8 -> "", 1 -> "merge(?)", 1 -> "shuffle_hash(?)")
    // The side that may be filtered stands on the left or on the right.
    val all = if (rng.chance(60)) {
      val kind = rng.weighted(10 -> "inner", 3 -> "left semi", 3 -> "right outer")
      Join(kind, if (kind == "right outer") "" else hint.replace("?", "R"), rel, side, on)
    } else {
      val kind = rng.weighted(3 -> "inner", 8 -> "left outer", 2 -> "left anti")
      Join(kind, if (kind == "inner") hint.replace("?", "L") else "", side, rel, on)
    }
    if (rng.chance(35)) {
      Group(all, Nil, Seq(Item(Lit("count(*)", Kind.bigint), fresh(Kind.bigint))), Nil)
    } else all
  }

  /** Selects few rows by a condition that the optimizer estimates as selective. */
  private def narrowed(rel: Rel): Rel = {
    val plain = rel.out.find(_.role == "id").map { id =>
      Call("? < ?", Seq(Ref(id), Lit((2 + rng.below(12)).toString, Kind.int)), Kind.boolean)
    }
    val few = new Expressions(rng, rel.out, Set.empty, None).selective(0)
    Where(rel, Seq(plain.filter(_ => rng.chance(45)).getOrElse(few)))
  }

  private def any(least: Int = 2, most: Int = 3): Rel = anyOf(rng.pick(tables.tail), least, most)

  private def anyOf(table: Table, least: Int, most: Int): Rel = make.scanOf(
    table,
    table.columns.head +: rng.some(table.columns.tail, least, most)
  )

  private def source(flaky: Boolean): Keyed = {
    val keyed = rng.weighted[() => Keyed](
      5 -> (() => padded()),
      4 -> (() => dropped()),
      8 -> (() => group(rng.pick(tables.tail), None)),
      3 -> (() => subqueried()),
      4 -> (() => chain()),
      2 -> (() => plain()),
      4 -> (() => delicate())
    )()
    if (!flaky) keyed
    else {
      val rel = narrowed(any())
      Keyed(
        Where(rel, Seq(Call("flaky(?) >= 0", Seq(Ref(rel.out.head)), Kind.boolean))),
        Ref(rng.pick(rel.out.filter(_.kind.isOrdered)))
      )
    }
  }

  private def plain(): Keyed = {
    val rel = narrowed(any())
    val key = rng.pick(rel.out.filter(_.kind.isOrdered))
    Keyed(rel, if (rng.chance(70)) Ref(key) else value(rel, key.kind))
  }

  /** Picks a column whose type breaks keys most often; each is equally likely. */
  private def delicate(): Keyed = {
    val kinds = tables.tail.flatMap(_.columns.filter(_.role == "delicate").map(_.name)).distinct
    if (kinds.isEmpty) plain()
    else {
      val name = rng.pick(kinds)
      val table = rng.pick(tables.tail.filter(_.columns.exists(_.name == name)))
      val scan = make.scanOf(
        table,
        table.columns.head +: table.columns.filter(_.name == name) ++:
          rng.some(table.columns.tail.filterNot(_.name == name), 1, 1)
      )
      val rel = narrowed(scan)
      val column = scan.out(1)
      Keyed(rel, if (rng.chance(70)) Ref(column) else value(rel, column.kind))
    }
  }

  private def value(rel: Rel, kind: Kind) =
    new Expressions(rng, rel.out, Set.empty, None).value(kind, 2)

  /** An outer join whose padded side holds the key. */
  private def padded(): Keyed = {
    val whole = if (rng.chance(70)) any(1, 2) else narrowed(any(1, 2))
    val part = narrowed(any())
    val on = Seq(equal(id(whole), rng.pick(part.out.filter(_.kind.sql == "int"))))
    val rel = rng.weighted[Rel](
      5 -> Join("left outer", "", whole, part, on),
      3 -> Join("right outer", "", part, whole, on),
      2 -> Join("full outer", "", whole, part, on)
    )
    val c = rng.pick(part.out.filter(_.kind.isOrdered))
    def lit = new Expressions(rng, Nil, Set.empty, None).literal(c.kind)
    val made = rng.weighted[() => Expr](
      4 -> (() => Call("coalesce(?, ?)", Seq(Ref(c), lit), c.kind)),
      2 -> (() =>
        Call("case when ? is null then ? else ? end", Seq(Ref(c), lit, Ref(c)), c.kind)
      ),
      1 -> (() => Call("cast(? is null as int)", Seq(Ref(c)), Kind.int)),
      1 -> (() =>
        Call("length(concat_ws('-', cast(? as string), 'ab'))", Seq(Ref(c)), Kind.int)
      ),
      1 -> (() => Call("concat_ws('', cast(? as string), 'a')", Seq(Ref(c)), Kind.string)),
      2 -> (() => Ref(c)),
      3 -> (() => value(part, c.kind))
    )()
    Keyed(rel, made)
  }

  private def id(rel: Rel): Column = rel.out.find(_.role == "id").get

  /** A key that fails for rows which an upper join drops. */
  private def dropped(): Keyed = {
    val table = rng.pick(tables.filterNot(_.clean) ++ tables.take(1))
    def column(role: String) = table.columns.find(_.role == role).get
    val text = rng.chance(50)
    val risky = column(if (text) "text" else "divisor")
    val more = rng.some(table.columns.tail.filterNot(_ == risky), 1, 2)
    val scan = make.scanOf(table, Seq(table.columns.head, risky) ++ more)
    val clean = any(1, 1)
    val kept = Where(clean, Seq(Call(Expressions.cleanId, Seq(Ref(id(clean))), Kind.boolean)))
    val low = if (rng.chance(80)) narrowed(scan) else scan
    val on = Seq(equal(id(scan), id(clean)))
    val rel = Join(rng.weighted(3 -> "inner", 1 -> "left semi"), "", low, kept, on)
    val template = if (text) "cast(? as int)" else "cast(100 div ? as int)"
    Keyed(rel, Call(template, Seq(Ref(scan.out(1))), Kind.int))
  }

  /** The representative of a group of equal values, and an expression that may tell them apart. */
  private def group(table: Table, wanted: Option[Kind]): Keyed = {
    val possible = table.columns.filter(c => c.kind.isOrdered && c.role != "id")
    val by = rng.weighted(possible.map(c => (if (c.kind.hasEquals) 8 else 1) -> c): _*)
    val others = rng.some(table.columns.tail.filterNot(_ == by), 1, 2)
    val scan = make.scanOf(table, Seq(table.columns.head, by) ++ others)
    val few = if (wanted.isEmpty && rng.chance(75)) narrowed(scan) else scan
    val low = if (rng.chance(if (wanted.isEmpty) 65 else 40)) beside(few) else few
    val column = low.out(1)
    val count = Item(Lit("count(*)", Kind.bigint), fresh(Kind.bigint))
    val key = make.renamed(column)
    val rel = rng.weighted[Rel](
      6 -> Group(low, Seq(Item(Ref(column), key)), count +: largest(low), Nil),
      1 -> Select(low, Seq(Item(Ref(column), key)), distinct = true),
      2 -> Select(
        Windowed(
          low,
          Seq(Item(
            Call("count(*) over (partition by ?)", Seq(Ref(column)), Kind.bigint),
            count.column
          ))
        ),
        Seq(Item(Ref(column), key), Item(Ref(count.column), make.renamed(count.column))),
        distinct = false
      )
    )
    val ref = Ref(key)
    val ofGroup = rel match {
      case g: Group => g.values.map(_.column).filter(c => c != count.column).map(Ref)
      case _        => Nil
    }
    val tells = Seq(
      Call("cast(? as string)", Seq(ref), Kind.string),
      Call("length(cast(? as string))", Seq(ref), Kind.int)
    ) ++ (if (!key.kind.isText) Nil
          else Seq(
            Call("length(?)", Seq(ref), Kind.int),
            Call("cast(? as binary)", Seq(ref), Kind.binary)
          ))
    val castable = !Set("array", "struct", "map", "binary").contains(key.kind.family)
    val telling = if (castable) tells else Nil
    // An expression that tells equal values apart is a key only where there are such values.
    val likely = if (key.kind.isFloat) telling ++ Seq.fill(4)(telling.head)
    else if (key.kind.hasEquals) telling ++ telling
    else telling
    val fit = (likely ++ ofGroup :+ ref).filter(e => wanted.forall(_.sql == e.kind.sql))
    Keyed(rel, if (fit.nonEmpty) rng.pick(fit) else ref)
  }

  /** Aggregates that may serve as keys. */
  private def largest(rel: Rel): Seq[Item] =
    rel.out.slice(2, 3).filter(c => c.kind.isOrdered && !c.kind.hasEquals)
      .map(c => Item(Call("max(?)", Seq(Ref(c)), c.kind), make.renamed(c)))

  private def subqueried(): Keyed = {
    val rel = if (rng.chance(50)) narrowed(any())
    else {
      val (l, r) = (narrowed(any()), any(1, 1))
      Join("inner", "", l, r, Seq(equal(id(l), id(r))))
    }
    val numbers = rel.out.filter(_.kind.sql == "int")
    val key = make.scalar(Kind.int, Nil).fold[Expr](Ref(rng.pick(numbers))) { s =>
      // A sum may fail, so no side below may supply its keys.
      val template = rng.pick(Seq("? + ?", "coalesce(?, ?)", "greatest(?, ?)", "least(?, ?)"))
      Call(template, Seq(Ref(rng.pick(numbers)), s), Kind.int)
    }
    Keyed(rel, key)
  }

  /** Tables that filter each other in turn. */
  private def chain(): Keyed = {
    val rels = Seq.fill(2 + rng.below(2))(if (rng.chance(70)) narrowed(any()) else any())
    val rel = rels.reduceLeft[Rel] { (l, r) =>
      val by = rng.pick(l.out.filter(_.kind.sql == "int"))
      val kind = rng.weighted(8 -> "inner", 2 -> "left semi", 3 -> "left anti", 1 -> "left outer")
      val hint = if (kind == "inner" && rng.chance(60)) "broadcast(R)" else ""
      Join(kind, hint, l, r, Seq(equal(by, rng.pick(r.out.filter(_.kind.sql == "int")))))
    }
    Keyed(rel, Ref(rng.pick(rel.out.filter(_.kind.sql == "int"))))
  }
}

object Derived {
  final private case class Keyed(rel: Rel, key: Expr)
}
