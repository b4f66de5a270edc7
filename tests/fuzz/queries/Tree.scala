// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

/** A query as a tree. Columns have names that are unique in the query, so that no reference needs a
  * qualifier, not even one to an outer query's row.
  */
sealed trait Node {
  def parts: Seq[Node]
  def withParts(parts: Seq[Node]): Node
  def sql: String

  final def nodes: Iterator[Node] = Iterator(this) ++ parts.iterator.flatMap(_.nodes)
}

/** @param role
  *   the use of a table's column: `id` is unique, `delicate` has a type that breaks keys most
  *   often, `text` can be cast to a number and `divisor` divides, except in rows that some joins
  *   and filters drop
  * @param scan
  *   the scan that it comes from; 0 for an expression's
  * @param weight
  *   its weight when expressions pick columns
  */
final case class Column(name: String, kind: Kind, role: String = "", scan: Int = 0, weight: Int = 1)

sealed trait Expr extends Node { def kind: Kind }

final case class Ref(column: Column) extends Expr {
  override def kind: Kind = column.kind
  override def parts: Seq[Node] = Nil
  override def withParts(parts: Seq[Node]): Node = this
  override def sql: String = column.name
}

final case class Lit(sql: String, kind: Kind) extends Expr {
  override def parts: Seq[Node] = Nil
  override def withParts(parts: Seq[Node]): Node = this
}

/** @param template
  *   SQL with a `?` for each of the parts, which are expressions or subqueries
  */
final case class Call(template: String, parts: Seq[Node], kind: Kind) extends Expr {
  override def withParts(parts: Seq[Node]): Node = copy(parts = parts)
  override def sql: String = {
    val pieces = template.split("\\?", -1)
    pieces.head + parts.map(_.sql).zip(pieces.tail).map { case (a, b) => a + b }.mkString
  }
}

sealed trait Rel extends Node { def out: Seq[Column] }

final case class Item(expr: Expr, column: Column) { def sql = s"${expr.sql} as ${column.name}" }

final case class Scan(table: String, columns: Seq[(String, Column)]) extends Rel {
  override def out: Seq[Column] = columns.map(_._2)
  override def parts: Seq[Node] = Nil
  override def withParts(parts: Seq[Node]): Node = this
  override def sql: String =
    s"select ${columns.map { case (c, n) => s"$c as ${n.name}" }.mkString(", ")} from $table"
}

final case class Select(child: Rel, items: Seq[Item], distinct: Boolean) extends Rel {
  override def out: Seq[Column] = items.map(_.column)
  override def parts: Seq[Node] = child +: items.map(_.expr)
  override def withParts(p: Seq[Node]): Node =
    Select(p.head.asInstanceOf[Rel], Rel.items(items, p.tail), distinct)
  override def sql: String =
    s"select ${if (distinct) "distinct " else ""}${items.map(_.sql).mkString(", ")} from ${Rel.in(child)}"
}

final case class Where(child: Rel, conjuncts: Seq[Expr]) extends Rel {
  override def out: Seq[Column] = child.out
  override def parts: Seq[Node] = child +: conjuncts
  override def withParts(p: Seq[Node]): Node =
    Where(p.head.asInstanceOf[Rel], p.tail.map(_.asInstanceOf[Expr]))
  override def sql: String = s"select * from ${Rel.in(child)}${Rel.all(" where ", conjuncts)}"
}

/** @param hint
  *   with `L` and `R` for the sides
  */
final case class Join(kind: String, hint: String, left: Rel, right: Rel, on: Seq[Expr])
    extends Rel {
  override def out: Seq[Column] =
    if (kind == "left semi" || kind == "left anti") left.out else left.out ++ right.out
  override def parts: Seq[Node] = left +: right +: on
  override def withParts(p: Seq[Node]): Node = copy(
    left = p.head.asInstanceOf[Rel],
    right = p(1).asInstanceOf[Rel],
    on = p.drop(2).map(_.asInstanceOf[Expr])
  )
  override def sql: String = {
    val shown = if (hint.isEmpty) "" else s"/*+ $hint */ "
    s"select $shown* from ${Rel.in(left)} L $kind join ${Rel.in(right)} R${Rel.all(" on ", on)}"
  }
}

final case class Group(child: Rel, keys: Seq[Item], values: Seq[Item], having: Seq[Expr])
    extends Rel {
  override def out: Seq[Column] = (keys ++ values).map(_.column)
  override def parts: Seq[Node] = (child +: (keys ++ values).map(_.expr)) ++ having
  override def withParts(p: Seq[Node]): Node = {
    val (k, rest) = p.tail.splitAt(keys.size)
    val (v, h) = rest.splitAt(values.size)
    Group(
      p.head.asInstanceOf[Rel],
      Rel.items(keys, k),
      Rel.items(values, v),
      h.map(_.asInstanceOf[Expr])
    )
  }
  override def sql: String = {
    val by = if (keys.isEmpty) "" else keys.map(_.expr.sql).mkString(" group by ", ", ", "")
    s"select ${(keys ++ values).map(_.sql).mkString(", ")} from ${Rel.in(child)}$by" +
      Rel.all(" having ", having)
  }
}

final case class Windowed(child: Rel, items: Seq[Item]) extends Rel {
  override def out: Seq[Column] = child.out ++ items.map(_.column)
  override def parts: Seq[Node] = child +: items.map(_.expr)
  override def withParts(p: Seq[Node]): Node =
    Windowed(p.head.asInstanceOf[Rel], Rel.items(items, p.tail))
  override def sql: String = s"select *, ${items.map(_.sql).mkString(", ")} from ${Rel.in(child)}"
}

final case class SetOp(op: String, left: Rel, right: Rel) extends Rel {
  override def out: Seq[Column] = left.out
  override def parts: Seq[Node] = Seq(left, right)
  override def withParts(p: Seq[Node]): Node =
    copy(left = p.head.asInstanceOf[Rel], right = p(1).asInstanceOf[Rel])
  override def sql: String = s"(${left.sql}) $op (${right.sql})"
}

/** The first rows in a total order, or all rows in that order. */
final case class Top(child: Rel, rows: Option[Int]) extends Rel {
  override def out: Seq[Column] = child.out
  override def parts: Seq[Node] = Seq(child)
  override def withParts(p: Seq[Node]): Node = copy(child = p.head.asInstanceOf[Rel])
  override def sql: String = s"select * from ${Rel.in(child)} order by ${Rel.order(out)}" +
    rows.fold("")(n => s" limit $n")
}

/** One use of a common table expression. */
final case class Common(name: String, definition: Rel, columns: Seq[(String, Column)]) extends Rel {
  override def out: Seq[Column] = columns.map(_._2)
  override def parts: Seq[Node] = Seq(definition)
  // All uses share one definition: the shrinker inlines it first.
  override def withParts(p: Seq[Node]): Node = this
  override def sql: String =
    s"select ${columns.map { case (c, n) => s"$c as ${n.name}" }.mkString(", ")} from $name"
}

object Rel {
  def in(rel: Rel): String = s"(${rel.sql})"

  def all(word: String, conjuncts: Seq[Expr]): String =
    if (conjuncts.isEmpty) "" else conjuncts.map(c => s"(${c.sql})").mkString(word, " and ", "")

  def items(items: Seq[Item], exprs: Seq[Node]): Seq[Item] =
    items.zip(exprs).map { case (i, e) => i.copy(expr = e.asInstanceOf[Expr]) }

  /** A total order, in which equal values that are not identical differ. */
  def order(columns: Seq[Column]): String = columns.map {
    case c if c.kind.isText                         => s"cast(${c.name} as binary)"
    case c if c.kind.hasEquals || !c.kind.isOrdered => s"cast(${c.name} as string)"
    case c                                          => c.name
  }.mkString(", ")

  /** The text of a whole query. */
  def text(rel: Rel): String = {
    val commons = rel.nodes.collect { case c: Common => c.name -> c.definition }.toSeq
    // A nested definition stands inside the one that uses it, so it comes later in this order.
    val defined = commons.reverse.distinctBy(_._1).map { case (n, d) => s"$n as (${d.sql})" }
    (if (defined.isEmpty) "" else defined.mkString("with ", ", ", " ")) + rel.sql
  }
}
