// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import scala.collection.mutable

/** Generates random relations over some tables. It prefers shapes whose keys do not come directly
  * from a table, but through an outer join, an aggregate or a projection.
  */
final class Relations(rng: Rng, tables: Seq[Table]) {
  private var names = 0
  private var scans = 0
  private var budget = 6
  private val commons = mutable.ArrayBuffer.empty[Common]

  private[queries] def fresh(kind: Kind, weight: Int = 1): Column = {
    names += 1
    Column(s"c$names", kind, weight = weight)
  }

  private[queries] def renamed(c: Column): Column = {
    names += 1
    c.copy(name = s"c$names")
  }

  /** A whole query. */
  def query(): Rel = {
    val rel = rng.weighted[() => Rel](
      3 -> (() => star()),
      60 -> (() => derived.query(flaky = false)),
      25 -> (() => joined(1 + rng.below(2))),
      12 -> (() => relation(2 + rng.below(2)))
    )()
    val small = if (rows(rel) > 2000) grouped(rel) else rel
    if (rng.chance(12)) Top(small, None) else small
  }

  /** A tree of four to eight tables, joined in a random order, some of them filtered or grouped
    * before.
    */
  def tree(): Rel = {
    budget = 8
    def part(): Rel = {
      val rel = filtered(scan(), rng.chance(60))
      rng.weighted[() => Rel](
        8 -> (() => rel),
        1 -> (() => grouped(rel)),
        1 -> (() => selected(rel))
      )()
    }
    def joined(parts: Seq[Rel]): Rel =
      if (parts.size == 1) parts.head
      else {
        val (l, r) = parts.splitAt(1 + rng.below(parts.size - 1))
        val made = join(joined(l), joined(r))
        if (rows(made) > 3000) shortened(made) else made
      }
    val rel = joined(Seq.fill(4 + rng.below(5))(part()))
    if (rows(rel) > 500) grouped(rel) else rel
  }

  private def derived = new Derived(rng, tables, this)

  /** A query that fails once, by the function `flaky`. */
  def flaky(): Rel = derived.query(flaky = true)

  /** A chain of broadcasts that wait for each other, to be run several at once. */
  def chained(): Rel = {
    val n = 3 + rng.below(2)
    val rels = (0 until n).map { i =>
      val table = if (i == 0) tables.head else rng.pick(tables.tail)
      val scan = scanOf(table, Seq(table.columns.head, table.columns(1)))
      if (i == 0) scan else Where(scan, Seq(expressions(scan).selective(0)))
    }
    rels.reduceLeft[Rel] { (l, r) =>
      val by = rng.pick(l.out.filter(_.kind.sql == "int").takeRight(2))
      Join(
        "inner",
        "broadcast(R)",
        l,
        r,
        Seq(Call(Expressions.equal, Seq(Ref(by), id(r).get), Kind.boolean))
      )
    }
  }

  private def expressions(rel: Rel, subqueries: Boolean = false, inJoin: Boolean = false) =
    new Expressions(rng, rel.out, clean(rel), Option.when(subqueries && budget > 0)(this), inJoin)

  def relation(depth: Int): Rel =
    if (depth <= 0 || budget <= 0) filtered(scan(), rng.chance(75))
    else {
      rng.weighted[() => Rel](
        10 -> (() => joined(depth - 1)),
        4 -> (() => selected(relation(depth - 1))),
        3 -> (() => filtered(relation(depth - 1), always = true)),
        4 -> (() => grouped(relation(depth - 1))),
        2 -> (() => windowed(relation(depth - 1))),
        2 -> (() => combined(depth - 1)),
        1 -> (() => Top(relation(depth - 1), Some(1 + rng.below(12)))),
        2 -> (() => common(depth - 1)),
        3 -> (() => filtered(scan(), always = true))
      )()
    }

  private def scan(): Rel = {
    budget -= 1
    scans += 1
    // The first is the largest.
    val table = if (rng.chance(25)) tables.head else rng.pick(tables)
    val id = table.columns.head
    val columns = (if (rng.chance(85)) Seq(id) else Nil) ++ rng.some(table.columns.tail, 2, 4)
    made(table, columns)
  }

  /** A scan of these columns. */
  private[queries] def scanOf(table: Table, columns: Seq[TableColumn]): Scan = {
    scans += 1
    made(table, columns)
  }

  private def made(table: Table, columns: Seq[TableColumn]) = Scan(
    table.name,
    columns.map { c => c.name -> renamed(Column("", c.kind, c.role, scans)) }
  )

  private def filtered(rel: Rel, always: Boolean): Rel =
    if (!always) rel
    else {
      val e = expressions(rel, subqueries = true)
      val more = if (rng.chance(25)) Seq(e.predicate(2)) else Nil
      Where(rel, rng.shuffled(e.selective(1) +: more))
    }

  /** Projects some columns and some expressions over them; later nodes prefer the expressions. */
  private def selected(rel: Rel): Rel = {
    val e = expressions(rel, subqueries = true)
    val kept = rng.some(rel.out, 1, 3).map { c =>
      Item(Ref(c), renamed(c))
    }
    val made = Seq.fill(1 + rng.below(2)) {
      val kind = if (rng.chance(50)) Kind.int else rng.pick(rel.out).kind
      Item(e.value(kind, 2), fresh(kind, 4))
    }
    Select(
      rel,
      kept ++ made,
      distinct = rng.chance(8) && (kept ++ made).forall(_.column.kind.isOrdered)
    )
  }

  private def grouped(rel: Rel): Rel = {
    val e = expressions(rel)
    val possible = rel.out.filter(_.kind.isOrdered)
    val liked = possible.map(c => (if (c.kind.hasEquals) 3 * c.weight else c.weight) -> c)
    val keys =
      if (liked.isEmpty || rng.chance(5)) Nil
      else Seq.fill(1 + rng.below(2))(rng.weighted(liked: _*)).distinct
    val keyItems = keys.map { c =>
      if (rng.chance(20)) Item(e.value(c.kind, 1), fresh(c.kind, 2))
      else Item(Ref(c), renamed(c).copy(weight = 2))
    }
    val group = Group(rel, keyItems, Seq.fill(1 + rng.below(2))(aggregate(rel)), Nil)
    val kept = if (keys.nonEmpty && rng.chance(15)) {
      val h = new Expressions(rng, keyItems.map(_.column), Set.empty, None)
      // HAVING refers to the output's names.
      group.copy(having = Seq(h.predicate(1)))
    } else group
    if (rng.chance(45)) selected(kept) else kept
  }

  /** An aggregate whose result does not depend on the order of rows. */
  private def aggregate(rel: Rel): Item = {
    val e = expressions(rel)
    val number = e.column(c =>
      Set("int", "bigint", "smallint")(c.kind.sql) ||
        c.kind.sql.startsWith("decimal(7")
    )
    // Of equal values that are not identical, min and max return the one that comes first.
    val ordered = e.column(c => c.kind.isOrdered && !c.kind.hasEquals)
    def count = Item(Lit("count(*)", Kind.bigint), fresh(Kind.bigint))
    rng.weighted[() => Item](
      2 -> (() => count),
      2 -> (() =>
        number.fold(count) { c =>
          Item(Call("cast(sum(?) as bigint)", Seq(c), Kind.bigint), fresh(Kind.bigint))
        }
      ),
      3 -> (() =>
        ordered.fold(count) { c =>
          Item(Call(s"${rng.pick(Seq("min", "max"))}(?)", Seq(c), c.kind), fresh(c.kind, 2))
        }
      ),
      1 -> (() =>
        ordered.fold(count) { c =>
          Item(Call("count(distinct ?)", Seq(c), Kind.bigint), fresh(Kind.bigint))
        }
      )
    )()
  }

  private def windowed(rel: Rel): Rel = {
    val possible = rel.out.filter(_.kind.isOrdered)
    if (possible.isEmpty) rel
    else {
      val liked = possible.map(c => (if (c.kind.hasEquals) 3 else 1) -> c)
      val by = Seq.fill(1 + rng.below(2))(Ref(rng.weighted(liked: _*))).distinct
      val partition = s"partition by ${by.map(_ => "?").mkString(", ")}"
      val number = expressions(rel).column(c => c.kind.sql == "int")
      val item = rng.weighted[() => Item](
        2 -> (() =>
          Item(
            Call(
              s"row_number() over ($partition order by ${Rel.order(rel.out)})",
              by,
              Kind.int
            ),
            fresh(Kind.int, 2)
          )
        ),
        1 -> (() =>
          Item(Call(s"count(*) over ($partition)", by, Kind.bigint), fresh(Kind.bigint, 2))
        ),
        1 -> (() =>
          number.fold(
            Item(Call(s"count(*) over ($partition)", by, Kind.bigint), fresh(Kind.bigint))
          ) { n =>
            Item(Call(s"max(?) over ($partition)", n +: by, Kind.int), fresh(Kind.int, 2))
          }
        )
      )()
      Windowed(rel, Seq(item))
    }
  }

  private def combined(depth: Int): Rel = {
    val left = relation(depth)
    val right = relation(depth)
    val columns = rng.some(left.out.filter(_.kind.isOrdered), 1, 3)
    if (columns.isEmpty) left
    else {
      val e = expressions(right)
      SetOp(
        rng.weighted(
          4 -> "union all",
          2 -> "union",
          1 -> "except",
          1 -> "intersect",
          1 -> "except all",
          1 -> "intersect all"
        ),
        Select(left, columns.map(c => Item(Ref(c), renamed(c))), distinct = false),
        Select(right, columns.map(c => Item(e.value(c.kind, 1), fresh(c.kind))), distinct = false)
      )
    }
  }

  private def common(depth: Int): Rel = {
    def use(c: Common) = c.copy(columns = c.columns.map { case (from, to) => from -> renamed(to) })
    if (commons.nonEmpty && rng.chance(50)) use(rng.pick(commons.toSeq))
    else {
      val definition = relation(depth)
      val made = Common(s"q${commons.size}", definition, definition.out.map(c => c.name -> c))
      commons += made
      if (rng.chance(60)) join(use(made), use(made)) else use(made)
    }
  }

  private def joined(depth: Int): Rel = {
    val left = if (rng.chance(50)) filtered(scan(), rng.chance(40)) else relation(depth)
    // The creation side: often a projection over a lower join.
    val right = rng.weighted[() => Rel](
      4 -> (() =>
        selected(join(filtered(scan(), rng.chance(70)), filtered(scan(), rng.chance(70))))
      ),
      2 -> (() => grouped(relation(depth - 1))),
      5 -> (() => relation(depth))
    )()
    val sides = if (rng.chance(70)) (left, right) else (right, left)
    val made = join(sides._1, sides._2)
    if (rng.chance(25)) selected(made) else made
  }

  private def join(left: Rel, right: Rel): Rel = {
    val kind = rng.weighted(
      10 -> "inner",
      5 -> "left outer",
      4 -> "right outer",
      2 -> "full outer",
      3 -> "left semi",
      2 -> "left anti",
      1 -> "cross"
    )
    val first = if (kind == "cross") Nil else keys(left, right)
    val large = rows(left) * rows(right) / (if (first.isEmpty) 1 else 4) > 8000
    val both = (id(left), id(right)) match {
      case (Some(l), Some(r)) if large => Some(Call(Expressions.equal, Seq(l, r), Kind.boolean))
      case _                           => None
    }
    val (l, r) =
      if (large && both.isEmpty) (shortened(left), shortened(right)) else (left, right)
    val on = (first ++ both).distinct
    Join(if (kind == "cross" && on.nonEmpty) "inner" else kind, hint(on.nonEmpty), l, r, on)
  }

  private def shortened(rel: Rel) = if (rows(rel) > 80) Top(rel, Some(20)) else rel

  private def hint(isEqui: Boolean) = if (rng.chance(55) || !isEqui) ""
  else {
    val strategy = rng.weighted(
      5 -> "broadcast",
      2 -> "merge",
      2 -> "shuffle_hash",
      1 -> "shuffle_replicate_nl"
    )
    s"$strategy(${rng.pick(Seq("L", "R", "R"))})"
  }

  private def id(rel: Rel): Option[Ref] = rel.out.find(_.role == "id").map(Ref)

  /** A comparison, or two, of columns of the sides: in joins on ranges of values. */
  private def range(left: Rel, right: Rel): Seq[Expr] = {
    val pairs = for {
      l <- left.out if l.kind.isOrdered
      r <- right.out if r.kind.sql == l.kind.sql
    } yield (l, r)
    if (pairs.isEmpty) Nil
    else {
      val (l, r) = rng.pick(pairs)
      val (mine, theirs) = if (rng.chance(50)) (l, r) else (r, l)
      val other = if (mine == l) right else left
      def bound(op: String, e: Expr) =
        if (rng.chance(50)) Call(s"? $op ?", Seq(Ref(mine), e), Kind.boolean)
        else Call(
          s"? ${op.map(c => if (c == '<') '>' else if (c == '>') '<' else c)} ?",
          Seq(e, Ref(mine)),
          Kind.boolean
        )
      val second = expressions(other).value(theirs.kind, 1)
      rng.weighted[() => Seq[Expr]](
        2 -> (() => Seq(bound(rng.pick(Seq("<", "<=", ">", ">=")), Ref(theirs)))),
        1 -> (() => Seq(bound(">=", Ref(theirs)), bound("<=", second))),
        1 -> (() =>
          Seq(Call("? between ? and ?", Seq(Ref(mine), Ref(theirs), second), Kind.boolean))
        )
      )()
    }
  }

  private def keys(left: Rel, right: Rel): Seq[Expr] = {
    val count = rng.weighted(12 -> 1, 5 -> 2, 2 -> 0)
    val equal = Seq.fill(count)(key(left, right))
    val both = left.out ++ right.out
    val more = rng.weighted[() => Seq[Expr]](
      8 -> (() => Nil),
      1 -> (() => Seq(new Expressions(rng, both, Set.empty, None).predicate(1))),
      2 -> (() => range(left, right)),
      1 -> (() => Seq(new Expressions(rng, right.out, Set.empty, None).predicate(0))),
      // Another column of the same side, equated with the key.
      1 -> (() =>
        equal.headOption.toSeq.collect { case Call(_, Seq(_, r: Expr), _) =>
          Call(Expressions.equal, Seq(r, expressions(left).value(r.kind, 0)), Kind.boolean)
        }
      )
    )()
    val all = equal ++ more
    if (all.isEmpty) Seq(new Expressions(rng, both, Set.empty, None).predicate(1)) else all
  }

  private def key(left: Rel, right: Rel): Expr = {
    val op = if (rng.chance(14)) "? <=> ?" else Expressions.equal
    val pairs = for {
      l <- left.out if l.kind.isOrdered
      r <- right.out if r.kind.sql == l.kind.sql || l.kind.isNumber && r.kind.isNumber
    } yield {
      val same = if (l.kind.sql == r.kind.sql) 3 else 1
      val ids = if (l.role == "id" && r.role == "id") 3 else 1
      (l.weight * r.weight * same * ids) -> (l, r)
    }
    if (pairs.nonEmpty && rng.chance(72)) {
      val (l, r) = rng.weighted(pairs: _*)
      Call(op, Seq(Ref(l), Ref(r)), Kind.boolean)
    } else {
      val (plain, other, flipped) =
        if (rng.chance(60)) (left, right, false) else (right, left, true)
      val c = expressions(plain).column(_.kind.isOrdered)
      val e = expressions(other, subqueries = rng.chance(50), inJoin = true)
      val sides = c match {
        case Some(c) => Seq(c, e.value(c.kind, 2))
        case None    => Seq(Lit("1", Kind.int), e.value(Kind.int, 1))
      }
      Call(op, if (flipped) sides.reverse else sides, Kind.boolean)
    }
  }

  /** Several filtered copies of a table, joined on one key. */
  private def star(): Rel = {
    val n = 4 + rng.below(8)
    val table = rng.pick(tables)
    (1 to n).map { _ =>
      scans += 1
      val columns = rng.shuffled(table.columns.tail).take(1)
      val made = Scan(
        table.name,
        (table.columns.head +: columns).map(c =>
          c.name -> renamed(Column("", c.kind, c.role, scans))
        )
      )
      Where(made, Seq(expressions(made).selective(0))): Rel
    }.reduceLeft[Rel] { (l, r) =>
      val on = Call(Expressions.equal, Seq(id(l).get, id(r).get), Kind.boolean)
      Join("inner", if (rng.chance(30)) "broadcast(R)" else "", l, r, Seq(on))
    }
  }

  /** A scalar subquery, possibly correlated. */
  def scalar(kind: Kind, outer: Seq[Column]): Option[Expr] = Option.when(budget > 0) {
    val inner = relation(rng.below(2))
    val e = expressions(inner)
    val correlated = if (rng.chance(35)) {
      val pairs = for {
        i <- inner.out if i.kind.isOrdered
        o <- outer if o.kind.sql == i.kind.sql
      } yield Call(Expressions.equal, Seq(Ref(i), Ref(o)), Kind.boolean)
      if (pairs.isEmpty) inner else Where(inner, Seq(rng.pick(pairs)))
    } else inner
    val item =
      if (kind.isOrdered) Item(Call("max(?)", Seq(e.value(kind, 1)), kind), fresh(kind))
      else Item(Call("any_value(?)", Seq(e.literal(kind)), kind), fresh(kind))
    Call("(?)", Seq(Group(correlated, Nil, Seq(item), Nil)), kind)
  }

  /** EXISTS and IN. */
  def existence(outer: Seq[Column]): Expr = {
    val inner = relation(rng.below(2))
    val pairs = for {
      i <- inner.out if i.kind.isOrdered
      o <- outer if o.kind.sql == i.kind.sql
    } yield (i, o)
    val b = Kind.boolean
    val not = if (rng.chance(35)) "not " else ""
    if (pairs.isEmpty) Call(s"${not}exists (?)", Seq(inner), b)
    else {
      val (i, o) = rng.pick(pairs)
      if (rng.chance(50)) {
        Call(
          s"${not}exists (?)",
          Seq(Where(inner, Seq(Call(Expressions.equal, Seq(Ref(i), Ref(o)), b)))),
          b
        )
      } else {
        val e = expressions(inner)
        val item = Item(if (rng.chance(60)) Ref(i) else e.value(i.kind, 1), fresh(i.kind))
        Call(s"? ${not}in (?)", Seq(Ref(o), Select(inner, Seq(item), distinct = false)), b)
      }
    }
  }

  private def table(name: String) = tables.find(_.name == name).get

  /** An estimate of the number of rows. */
  private def rows(rel: Rel): Double = rel match {
    case s: Scan              => table(s.table).rows
    case w: Where             => rows(w.child) * 0.6
    case s: Select            => rows(s.child)
    case g: Group             => if (g.keys.isEmpty) 1 else rows(g.child).min(50)
    case w: Windowed          => rows(w.child)
    case s: SetOp             => rows(s.left) + rows(s.right)
    case t: Top               => t.rows.fold(rows(t.child))(n => rows(t.child).min(n))
    case c: Common            => rows(c.definition)
    case Join(_, _, l, r, on) =>
      val unique = on.exists {
        case Call("? = ?", Seq(Ref(a), Ref(b)), _) => a.role == "id" && b.role == "id"
        case _                                     => false
      }
      val equal = on.exists { case c: Call => c.template == "? = ?"; case _ => false }
      if (unique) rows(l).max(rows(r)) else rows(l) * rows(r) / (if (equal) 4 else 1) + rows(l)
  }

  /** The scans whose rows with failing casts and divisions are dropped. */
  private def clean(rel: Rel): Set[Int] = rel match {
    case s: Scan  => if (table(s.table).clean) s.columns.map(_._2.scan).toSet else Set.empty
    case w: Where =>
      clean(w.child) ++ w.conjuncts.collect {
        case Call(Expressions.cleanId | Expressions.cleanText, Seq(Ref(c)), _) => c.scan
      }
    case s: Select   => clean(s.child)
    case g: Group    => clean(g.child)
    case w: Windowed => clean(w.child)
    case t: Top      => clean(t.child)
    case c: Common   => clean(c.definition)
    case _: SetOp    => Set.empty
    case j: Join     =>
      val (l, r) = (clean(j.left), clean(j.right))
      val linked = j.on.collect {
        case Call("? = ?", Seq(Ref(a), Ref(b)), _) if a.role == "id" && b.role == "id" =>
          Seq(a.scan, b.scan)
      }
      def also(known: Set[Int]) = known ++ linked.filter(_.exists(known)).flatten
      j.kind match {
        case "inner" | "cross" | "left semi" => also(l ++ r)
        case "left outer"                    => also(l) ++ r
        case "right outer"                   => also(r) ++ l
        case "left anti"                     => l
        case _                               => l ++ r
      }
  }
}
