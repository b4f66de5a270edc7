// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import scala.annotation.tailrec

/** Reduces a case as long as it shows a difference of the same kind. */
final class Shrinker(engine: Engine, runner: Runner, kind: String) {
  private val deadline = System.nanoTime() + 120L * 1000000000
  private var last: Option[Difference] = None
  private var copies = 0

  def shrunk(c: Case, d: Difference): (Case, Difference) = {
    val small = data(confs(query(confs(query(c)))))
    (small, last.getOrElse(d))
  }

  private def shows(c: Case): Boolean = System.nanoTime() < deadline && {
    runner.verdict(c) match {
      case Some((_, Differs(d, _))) if d.kind == kind =>
        last = Some(d)
        true
      case _ => false
    }
  }

  @tailrec
  private def query(c: Case): Case = {
    val size = c.sql.length
    val smaller = Smaller.of(c.rel).map(r => c.copy(rel = r)).filter(_.sql.length < size)
    smaller.find(shows) match {
      case Some(next) => query(next)
      case None       => c
    }
  }

  private def confs(c: Case): Case = Confs.plain.foldLeft(c) { case (now, (key, value)) =>
    if (now.confs.get(key).contains(value)) now
    else Some(now.copy(confs = now.confs + (key -> value))).filter(shows).getOrElse(now)
  }

  /** Fewer rows, files and columns of each table. */
  private def data(c: Case): Case = c.used.foldLeft(c) { (now, table) =>
    val columns = now.rel.nodes.collect {
      case s: Scan if s.table == table.name =>
        s.columns.map(_._1)
    }.flatten.toSet
    val steps = Seq[Table => Table](
      t =>
        t.partitionedBy(t.partition.filter(columns)).copy(
          columns = t.columns.filter(x => columns(x.name) || t.buckets.nonEmpty),
          sortedBy = t.sortedBy.filter(columns)
        ),
      _.copy(options = Nil),
      _.copy(hidden = Nil),
      _.copy(v2 = false),
      _.partitionedBy(None).copy(buckets = None),
      _.copy(sortedBy = None),
      _.copy(files = 1),
      t => t.copy(rows = t.rows / 4),
      t => t.copy(rows = t.rows / 2),
      t => t.copy(rows = t.rows / 2),
      t => t.copy(rows = t.rows / 2)
    )
    steps.foldLeft((now, table)) { case ((best, t), step) =>
      copies += 1
      val changed = step(t)
      val made = changed.copy(name = s"${table.name}_$copies")
      if (changed == t) (best, t)
      else {
        val next = best.copy(
          rel = Smaller.renamed(best.rel, t.name, made.name),
          tables = made +: best.tables.filterNot(_.name == t.name)
        )
        engine.create(Seq(made))
        if (shows(next)) (next, made) else (best, t)
      }
    }._1
  }
}

/** Candidates for a smaller relation, the smallest first. */
object Smaller {
  def of(rel: Rel): Iterator[Rel] =
    (Iterator(pruned(rel)) ++ variants(rel).collect { case r: Rel => r })
      .filter(r => r.out.nonEmpty && isValid(r, Set.empty))

  def renamed(node: Rel, from: String, to: String): Rel = rewrite(node) {
    case s: Scan if s.table == from => s.copy(table = to)
  }

  private def rewrite(rel: Rel)(change: PartialFunction[Node, Node]): Rel = {
    def go(n: Node): Node = {
      val below = n match {
        case c: Common => c.copy(definition = go(c.definition).asInstanceOf[Rel])
        case _         => n.withParts(n.parts.map(go))
      }
      change.applyOrElse(below, identity[Node])
    }
    go(rel).asInstanceOf[Rel]
  }

  private def variants(node: Node): Iterator[Node] = own(node) ++ (node match {
    case _: Common => Iterator.empty
    case _         =>
      node.parts.indices.iterator.flatMap { i =>
        variants(node.parts(i)).map(p => node.withParts(node.parts.updated(i, p)))
      }
  })

  private def without[A](all: Seq[A]): Iterator[Seq[A]] =
    all.indices.iterator.map(i => all.patch(i, Nil, 1))

  private def own(node: Node): Iterator[Node] = node match {
    case r: Rel  => ofRel(r)
    case e: Expr => ofExpr(e)
  }

  /** Replaces `rel` by a part of it, with nulls for the columns that the part lacks. */
  private def instead(rel: Rel, part: Rel): Iterator[Rel] = {
    val names = part.out.map(_.name).toSet
    val items = rel.out.map { c =>
      Item(if (names(c.name)) Ref(c) else Lit(s"cast(null as ${c.kind.sql})", c.kind), c)
    }
    if (rel.out.map(_.name) == part.out.map(_.name)) Iterator(part)
    else Iterator(part, Select(part, items, distinct = false))
  }

  private def ofRel(rel: Rel): Iterator[Rel] = rel match {
    case s: Scan  => without(s.columns).filter(_.nonEmpty).map(c => s.copy(columns = c))
    case w: Where =>
      instead(w, w.child) ++ without(w.conjuncts).filter(_.nonEmpty).map(c => w.copy(conjuncts = c))
    case s: Select =>
      Iterator(s.child) ++ substituted(s) ++
        without(s.items).filter(_.nonEmpty).map(i => s.copy(items = i)) ++
        Option.when(s.distinct)(s.copy(distinct = false))
    case j: Join =>
      instead(j, j.left) ++ instead(j, j.right) ++
        without(j.on).filter(_.nonEmpty).map(o => j.copy(on = o)) ++
        Option.when(j.hint.nonEmpty)(j.copy(hint = "")) ++
        Option.when(j.kind != "inner" && j.on.nonEmpty)(j.copy(kind = "inner"))
    case g: Group =>
      val asItems = g.keys ++ g.values.map(v =>
        v.copy(expr =
          Lit(
            s"cast(null as ${v.column.kind.sql})",
            v.column.kind
          )
        )
      )
      Iterator(Select(g.child, asItems, distinct = false)) ++
        without(g.keys).filter(k => k.nonEmpty || g.values.nonEmpty).map(k => g.copy(keys = k)) ++
        without(g.values).filter(v => v.nonEmpty || g.keys.nonEmpty).map(v => g.copy(values = v)) ++
        without(g.having).map(h => g.copy(having = h))
    case w: Windowed => instead(w, w.child)
    case s: SetOp    => instead(s, s.left) ++ {
        val items = s.right.out.zip(s.left.out).map { case (r, l) => Item(Ref(r), l) }
        Iterator(Select(s.right, items, distinct = false))
      }
    case t: Top    => Iterator(t.child)
    case c: Common =>
      val old = c.definition.out.map(o => o.name -> o).toMap
      Iterator(
        Select(
          c.definition,
          c.columns.flatMap { case (from, to) => old.get(from).map(o => Item(Ref(o), to)) },
          distinct = false
        )
      ) ++ without(c.columns).filter(_.nonEmpty).map(k => c.copy(columns = k))
  }

  /** Merges two projections. */
  private def substituted(s: Select): Iterator[Rel] = s.child match {
    case inner: Select if !inner.distinct =>
      val exprs = inner.items.map(i => i.column.name -> i.expr).toMap
      def go(n: Node): Node = n match {
        case Ref(c)  => exprs.getOrElse(c.name, n)
        case e: Expr => e.withParts(e.parts.map(go))
        case r: Rel  => r
      }
      Iterator(s.copy(
        child = inner.child,
        items = s.items.map(i => i.copy(expr = go(i.expr).asInstanceOf[Expr]))
      ))
    case _ => Iterator.empty
  }

  private def ofExpr(expr: Expr): Iterator[Expr] = expr match {
    case c: Call =>
      val below = c.parts.iterator.collect { case e: Expr if e.kind.sql == c.kind.sql => e }
      val constant = if (c.kind.sql == "boolean") Seq("true", "false") else c.kind.values.take(2)
      below ++ constant.iterator.map(Lit(_, c.kind))
    case _ => Iterator.empty
  }

  /** Removes columns that nothing references. */
  private def pruned(rel: Rel): Rel = {
    val used = rel.nodes.flatMap {
      case Ref(c)            => Seq(c.name)
      case s: SetOp          => s.left.out.map(_.name) ++ s.right.out.map(_.name)
      case c: Common         => c.columns.map(_._1)
      case Call(_, parts, _) => parts.collect { case r: Rel => r.out.map(_.name) }.flatten
      case _                 => Nil
    }.toSet ++ rel.out.map(_.name)
    def keep[A](all: Seq[A])(name: A => String) = {
      val kept = all.filter(a => used(name(a)))
      if (kept.isEmpty) all.take(1) else kept
    }
    rewrite(rel) {
      case s: Scan                  => s.copy(columns = keep(s.columns)(_._2.name))
      case s: Select if !s.distinct => s.copy(items = keep(s.items)(_.column.name))
    }
  }

  /** Whether every reference resolves. */
  private def isValid(node: Node, outer: Set[String]): Boolean = {
    def names(rels: Rel*) = outer ++ rels.flatMap(_.out.map(_.name))
    node match {
      case Ref(c)    => outer(c.name)
      case _: Lit    => true
      case c: Call   => c.parts.forall(isValid(_, outer))
      case _: Scan   => true
      case s: Select =>
        isValid(s.child, outer) && s.items.forall(i => isValid(i.expr, names(s.child)))
      case w: Where => isValid(w.child, outer) && w.conjuncts.forall(isValid(_, names(w.child)))
      case j: Join  =>
        Seq(j.left, j.right).forall(isValid(_, outer)) &&
        j.on.forall(isValid(_, names(j.left, j.right)))
      case g: Group =>
        isValid(g.child, outer) &&
        (g.keys ++ g.values).forall(i => isValid(i.expr, names(g.child))) &&
        g.having.forall(isValid(_, names(g)))
      case w: Windowed =>
        isValid(w.child, outer) && w.items.forall(i => isValid(i.expr, names(w.child)))
      case s: SetOp =>
        s.left.out.size == s.right.out.size && Seq(s.left, s.right).forall(isValid(_, outer))
      case t: Top    => isValid(t.child, outer)
      case c: Common =>
        val there = c.definition.out.map(_.name).toSet
        isValid(c.definition, Set.empty) && c.columns.forall(x => there(x._1))
    }
  }
}
