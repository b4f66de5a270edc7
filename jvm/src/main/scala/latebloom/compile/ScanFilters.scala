// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import latebloom.decision.ShortSql
import latebloom.line.Compat._
import latebloom.line.LineExpressions
import latebloom.read.predicate.{ColumnPredicate, CompiledPredicate}
import latebloom.read.{RowFilter, ScanFilter}

/** The conditions of a scan in the readers' form: the cheapest first, and last, in their own order,
  * those that may fail.
  *
  * @param filters
  *   the filters in order of evaluation
  * @param anyOrder
  *   how many of the first cannot fail
  * @param leaves
  *   the struct fields that they read, each as a column with a struct of that field alone
  */
final private[latebloom] class ScanFilters private (
    val filters: Seq[ScanFilters.Planned],
    val anyOrder: Int,
    val leaves: Seq[StructField]
)

private[latebloom] object ScanFilters {

  /** The machinery that evaluates a condition, in order of cost. */
  sealed abstract class Level(val name: String) extends Serializable

  /** Loops over decoded values, or over the dictionary. */
  case object Kernel extends Level("kernel")

  /** Spark's compiled expression, once per entry of a dictionary, else once per value. */
  case object Dictionary extends Level("dictionary")

  /** Spark's compiled expression on rows of several columns. */
  case object Row extends Level("row")

  /** @param columns
    *   names of the columns that it reads
    * @param origin
    *   what it was compiled from
    */
  final case class Planned(
      filter: ScanFilter,
      level: Level,
      columns: Seq[String],
      origin: Origin
  )

  /** What a filter asks of a row. */
  sealed trait Origin
  final case class OfCondition(condition: Expression) extends Origin
  final case class OfKeys(keys: KeyPredicate) extends Origin

  /** @param conditions
    *   deterministic, without subqueries, on `columns` only
    * @param joins
    *   predicates on `columns` by the keys of joins
    * @param columns
    *   that the scan reads from the files, in order
    */
  def compile(
      conditions: Seq[Expression],
      joins: Seq[KeyPredicate],
      columns: Seq[Attribute]
  ): ScanFilters = {
    val compiler = new Compiler(columns)
    val (mayFail, others) = conditions.map(compiler.named).partition(c => Failure.mayFail(c.tree))
    def compiled(condition: Named): (Compiled, Origin) =
      compiler.compile(condition) -> OfCondition(condition.original)
    val cannotFail = compiler.merged(others, And).map(compiled) ++
      joins.map(keys => compiler.join(keys) -> OfKeys(keys))
    val filters = cannotFail.sortBy { case (filter, _) => filter.cost } ++ mayFail.map(compiled)
    val planned = filters.map { case (filter, origin) => filter.planned(origin) }
    new ScanFilters(planned, cannotFail.size, compiler.leaves)
  }

  /** A condition on the scan's columns and leaves, as it was, and its text. */
  final private class Named(val tree: Expression, val original: Expression, val text: String) {
    lazy val kernel: Option[ColumnPredicate] =
      Option(tree.references.toSeq).collect { case Seq(a: Attribute) => a }
        .flatMap(ColumnPredicates.compile(tree, _))
  }

  final private case class Compiled(
      filter: ScanFilter,
      level: Level,
      cost: Int,
      columns: Seq[String]
  ) {
    def planned(origin: Origin): Planned = Planned(filter, level, columns, origin)
  }

  final private class Compiler(read: Seq[Attribute]) {
    private val structFields = mutable.LinkedHashMap.empty[(ExprId, Seq[Int]), Attribute]
    private val roots = mutable.ArrayBuffer.empty[StructField]
    private var uses = 0

    def leaves: Seq[StructField] = roots.toSeq

    /** Turns a field of a struct into a column of its own, which is read without the struct. */
    def named(condition: Expression): Named =
      new Named(
        condition.transformDown { case FieldOf(leaf) => leaf },
        condition,
        ShortSql(condition)
      )

    private object FieldOf {
      def unapply(e: Expression): Option[Attribute] = path(e).collect {
        case (column, ordinals) if ordinals.nonEmpty && isFlat(e.dataType) =>
          structFields.getOrElseUpdate(
            (column.exprId, ordinals), {
              val root = narrowed(column.dataType, ordinals)
              roots += StructField(column.name, root, column.nullable, column.metadata)
              AttributeReference(ShortSql(e), e.dataType)()
            }
          )
      }

      private def path(e: Expression): Option[(Attribute, Seq[Int])] = e match {
        case a: AttributeReference                                        => Some((a, Nil))
        case GetStructField(child, ordinal, _) if !isPartOfVariant(child) =>
          path(child).map { case (column, ordinals) => (column, ordinals :+ ordinal) }
        case _ => None
      }

      private def isPartOfVariant(struct: Expression): Boolean = struct.dataType match {
        case s: StructType => LineExpressions.isOfVariant(s)
        case _             => false
      }

      private def narrowed(dataType: DataType, ordinals: Seq[Int]): DataType =
        ordinals.headOption.fold(dataType) { i =>
          val field = dataType.asInstanceOf[StructType](i)
          StructType(Seq(field.copy(dataType = narrowed(field.dataType, ordinals.tail))))
        }
    }

    /** Joins the kernels on one column into one condition. */
    def merged(
        conditions: Seq[Named],
        operator: (Expression, Expression) => Expression
    ): Seq[Named] = {
      val byColumn = mutable.LinkedHashMap.empty[Any, Named]
      conditions.foreach { c =>
        val key = if (c.kernel.isDefined) c.tree.references.head.exprId else c
        val merged = byColumn.get(key).fold(c) { before =>
          val tree = operator(before.tree, c.tree)
          val word = if (tree.isInstanceOf[And]) "AND" else "OR"
          new Named(tree, operator(before.original, c.original), s"${before.text} $word ${c.text}")
        }
        byColumn.put(key, merged)
      }
      byColumn.values.toList
    }

    /** A filter that the answer does not need: it drops rows without a match in the join. */
    def join(keys: KeyPredicate): Compiled = {
      val test = keys.column match {
        case Some(column) if isFlat(column.dataType) =>
          val filter = new ScanFilter.JoinKeyFilter(index(column), use(1), keys.source, keys.text)
          Compiled(filter, Kernel, joinCost(column), Seq(column.name))
        case _ => compile(named(keys.condition))
      }
      test.copy(filter = new ScanFilter.OptionalFilter(test.filter, keys.source, keys.text))
    }

    def compile(condition: Named): Compiled = {
      val columns = condition.tree.references.toSeq.map(_.asInstanceOf[Attribute])
      if (columns.size == 1 && isFlat(columns.head.dataType)) {
        columnFilter(condition, columns.head)
      } else {
        condition.tree match {
          case And(_, _) =>
            val parts = compileParts(condition.tree, And)(split(_) { case And(l, r) => (l, r) })
            tree(parts, new ScanFilter.And(parts.map(_.filter).asJava, condition.text))
          case Or(_, _) =>
            val arms = compileParts(condition.tree, Or)(split(_) { case Or(l, r) => (l, r) })
            tree(arms, new ScanFilter.Or(arms.map(_.filter).asJava, condition.text))
          case _ => rowFilter(condition, columns)
        }
      }
    }

    private def tree(parts: Seq[Compiled], filter: ScanFilter): Compiled =
      if (parts.size == 1) {
        parts.head
      } else {
        val level = parts.map(_.level).maxBy(Seq(Kernel, Dictionary, Row).indexOf(_))
        Compiled(filter, level, parts.map(_.cost).max + 1, parts.flatMap(_.columns).distinct)
      }

    private def compileParts(
        e: Expression,
        operator: (Expression, Expression) => Expression
    )(split: Expression => Seq[Expression]): Seq[Compiled] = {
      val parts = split(e).map(p => new Named(p, p, ShortSql(p)))
      if (Failure.mayFail(e)) {
        parts.map(compile)
      } else {
        merged(parts, operator).map(compile).sortBy(_.cost)
      }
    }

    private def split(e: Expression)(
        sides: PartialFunction[Expression, (Expression, Expression)]
    ): Seq[Expression] =
      sides.lift(e).fold(Seq(e)) { case (l, r) => split(l)(sides) ++ split(r)(sides) }

    private def columnFilter(condition: Named, column: Attribute): Compiled = {
      val (predicate, level) = condition.kernel match {
        case Some(predicate) => (predicate, Kernel)
        case None            =>
          val bound = CatalystPredicate(condition.tree, Seq(column))
          val mayThrow = Failure.mayFail(condition.tree)
          (new CompiledPredicate(bound, column.dataType, mayThrow), Dictionary)
      }
      val filter = new ScanFilter.ColumnFilter(index(column), use(1), predicate, condition.text)
      Compiled(filter, level, cost(condition.tree, column, level), Seq(column.name))
    }

    private def rowFilter(condition: Named, columns: Seq[Attribute]): Compiled = {
      val predicate = CatalystPredicate(condition.tree, columns)
      val indexes = columns.map(index).toArray
      val filter = new RowFilter(indexes, use(columns.size), predicate, condition.text)
      Compiled(filter, Row, 8, columns.map(_.name))
    }

    private def use(columns: Int): Int = {
      val first = uses + 1
      uses += columns
      first
    }

    private def index(column: Attribute): Int =
      read.indexWhere(_.exprId == column.exprId) match {
        case -1 => read.size + structFields.values.toList.indexWhere(_.exprId == column.exprId)
        case i  => i
      }
  }

  /** Whether a vector of the type has one value per row, and no parts. The scan's own decoders can
    * read such a Parquet column, and what Spark interprets reads its nulls rightly.
    */
  private[compile] def isFlat(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
        DateType | TimestampType | TimestampNTZType | BinaryType | _: YearMonthIntervalType |
        _: DayTimeIntervalType | _: DecimalType | _: StringType =>
      true
    case _ => false
  }

  /** Estimates the work per value before any measurement. A column with only a null check comes
    * after the other kernels: it drops few rows, and costs little on fewer.
    */
  private def cost(condition: Expression, column: Attribute, level: Level): Int =
    if (level == Dictionary) {
      6
    } else if (dropsNullsOnly(condition)) {
      5
    } else {
      column.dataType match {
        case BooleanType | ByteType | ShortType | IntegerType | DateType |
            _: YearMonthIntervalType =>
          0
        case _: StringType | BinaryType => if (condition.exists(searches)) 3 else 2
        case _                          => 1
      }
    }

  private def dropsNullsOnly(condition: Expression): Boolean = condition match {
    case And(l, r) => dropsNullsOnly(l) && dropsNullsOnly(r)
    case other     => other.isInstanceOf[IsNotNull]
  }

  /** A probe of a large set costs more than a comparison and less than a text search. */
  private def joinCost(column: Attribute): Int = column.dataType match {
    case _: StringType | BinaryType => 3
    case _                          => 1
  }

  private def searches(e: Expression): Boolean = e match {
    case _: Like | _: MultiLikeBase | _: Contains | _: EndsWith => true
    case _                                                      => false
  }
}
