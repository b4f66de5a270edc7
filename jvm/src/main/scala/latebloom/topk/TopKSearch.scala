// SPDX-License-Identifier: Apache-2.0
package latebloom.topk

import java.util.UUID

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.latebloom.LateBloomConf
import org.apache.spark.sql.types.BinaryType

import latebloom.decision.{Reason, Reasons, ShortSql}
import latebloom.join.CreationSide
import latebloom.joinkeys.{JoinFilter, KeysGatheredElsewhere}
import latebloom.read.RowNumberCursor
import latebloom.scan.SelectiveFormat
import latebloom.statistics.SizedFilter
import latebloom.toprows._

/** Plans the search for the first rows of an order, and the scan that reads them.
  *
  * The claim: let `R` be the rows of one scan from which the first rows of the plan below the order
  * were made. The plan over `R` alone has those first rows, and no row that the plan does not have;
  * so its first rows are first rows of the plan. Which of several rows that the order leaves equal
  * come first, is as open as in Spark. By node between the order and the scan:
  *
  *   - `Project` and `Filter`, deterministic: each row depends on its own row below.
  *   - `Join`, inner: a row is made of one row of the scan's side and one of the other side, which
  *     is the same whenever it is evaluated ([[CreationSide.isRepeatable]]).
  *   - `Join`, outer, semi, anti: likewise, if the scan's side is the one whose rows it keeps or
  *     outputs. Fewer rows on the other side would turn a match into a missing one.
  *   - No other node: an aggregate, a window, a limit or a sample sees all rows.
  *
  * The search evaluates the same plan with fewer columns, and returns where rows are stored: the
  * file, the number in it, and the split. Both scans read the same files
  * ([[CreationSide.isRepeatable]]; a file that the second does not list undoes the restriction).
  * The search may leave out rows by a bound ([[WithinBound]]): once as many rows as wanted were
  * found, none that comes after all of them can be among the first, whatever else the order
  * compares, because the rows of the plan show the column that the order begins with as the scan
  * has it.
  *
  * @param wanted
  *   how many rows, those of OFFSET included
  */
final private[topk] class TopKSearch(
    sort: Sort,
    wanted: Long,
    settings: LateBloomConf.Settings
) extends AliasHelper
    with PredicateHelper {
  import TopKSearch._

  /** The order, as SQL. */
  def text: String = sort.order
    .map(o => s"${ShortSql(o.child)} ${o.direction.sql} ${o.nullOrdering.sql}").mkString(", ")

  /** The plan to order in place of `sort`; Left with the reason if there is none. */
  lazy val result: Either[Reason, LogicalPlan] =
    for {
      _ <- Either.cond(settings.scanEnabled, (), Reasons.scanDisabled)
      _ <- Either.cond(settings.topK.enabled, (), Reasons.topKDisabled)
      most = settings.topK.maxRows
      _ <- Either.cond(wanted <= most, (), Reasons.topKTooMany(wanted, most))
      scans <- scansOf(sort.child)
      scan = scans.maxBy(_.stats.sizeInBytes)
      files = scan.relation.asInstanceOf[HadoopFsRelation]
      ours = SelectiveFormat.of(files.fileFormat).exists(_.whyNot.isEmpty)
      _ <- Either.cond(ours, (), Reasons.scanNotOurs(files.fileFormat.getClass))
      _ <- Either.cond(sort.collectLeaves().count(_ eq scan) == 1, (), Reasons.scanTwice)
      least = settings.topK.minScanBytes
      _ <- Either.cond(scan.stats.sizeInBytes >= least, (), Reasons.topKScanTooSmall(least))
      _ <- Either.cond(
        CreationSide.isRepeatable(sort.child) && sort.order.forall(_.deterministic),
        (),
        Reasons.creationNotRepeatable
      )
      search = new Search(scan, files)
      _ <- Either.cond(search.pays, (), Reasons.topKSavesNothing)
    } yield search.restricted

  /** The scans of which each row of the plan shows one row. */
  private def scansOf(plan: LogicalPlan): Either[Reason, Seq[LogicalRelation]] = plan match {
    case r: LogicalRelation if r.relation.isInstanceOf[HadoopFsRelation]      => Right(Seq(r))
    case p: Project if p.projectList.forall(_.deterministic)                  => scansOf(p.child)
    case f: Filter if f.condition.deterministic                               => scansOf(f.child)
    case j @ Join(_, _, _, condition, _) if condition.forall(_.deterministic) =>
      val found = shown(j).map(scansOf)
      val some = found.flatMap(_.getOrElse(Nil))
      if (some.nonEmpty) Right(some)
      else found.headOption.getOrElse(Left(Reasons.topKNotTraceable(s"${j.joinType} Join")))
    case other => Left(Reasons.topKNotTraceable(other.nodeName))
  }

  /** The sides of a join whose rows each of its rows shows. */
  private def shown(j: Join): Seq[LogicalPlan] = j.joinType match {
    case _: InnerLike                                       => Seq(j.left, j.right)
    case LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_) => Seq(j.left)
    case RightOuter                                         => Seq(j.right)
    case _                                                  => Nil
  }

  final private class Search(scan: LogicalRelation, files: HadoopFsRelation) {
    private val places = RowPlace.All.map(p => Alias(p, p.toString)())
    private val ofFiles = AttributeSet(scan.output.filter { a =>
      files.dataSchema.exists(_.name == a.name) &&
      !files.partitionSchema.exists(_.name == a.name) && !RowNumberCursor.isFor(a.metadata)
    })

    private val ordered = AttributeSet(sort.order.flatMap(_.references))
    private val searched = columns(sort.child, ordered).intersect(ofFiles)
    private val all = columns(sort.child, sort.child.outputSet).intersect(ofFiles)

    /** The column that the order begins with, if rows can be compared with a bound of it. */
    private val leading: Option[Attribute] = sort.order.head.child match {
      case a: Attribute => traced(sort.child, a).filter(TopOrder.isComparable)
      case _            => None
    }

    private val order = leading.map { _ =>
      val first = sort.order.head
      TopOrder(
        first.direction,
        first.nullOrdering,
        sort.order.size == 1,
        UUID.randomUUID().toString
      )
    }

    /** Whether the search most likely reads less than it saves. The pages that hold the first rows
      * are read whole, all columns of them.
      */
    def pays: Boolean = searched.nonEmpty && {
      val saved = 1 - width(searched) / width(all)
      val touched = 1 - math.exp(-wanted / pages)
      saved * (1 - touched) >= settings.topK.minSaved || (leading.nonEmpty && touched <= MostTouched)
    }

    /** Pages of a column, of as many rows as writers put into one. */
    private def pages: Double = {
      val rows = scan.stats.sizeInBytes.toDouble * Compression / width(scan.output)
      (rows / RowsOfPage).max(1)
    }

    private def width(columns: Iterable[Attribute]): Double =
      columns.map(_.dataType.defaultSize.toDouble).sum.max(1)

    /** The query's plan over a scan of the first rows. */
    def restricted: LogicalPlan = {
      val keys = Seq(AttributeReference("rows", BinaryType)())
      val search = TopRows(
        wanted.toInt,
        sort.order,
        places.map(_.toAttribute),
        order,
        referring(narrowed(sort.child, ordered)),
        keys
      )
      val column = searched.head
      val among = AmongTopRows(column, ScalarSubquery(search), wanted.toInt)
      sort.withNewChildren(Seq(sort.child.transformUp {
        case s if s eq scan => Filter(among, scan)
      }))
    }

    /** The columns of the scan from which the plan makes `needed`. */
    private def columns(plan: LogicalPlan, needed: AttributeSet): AttributeSet = plan match {
      case s if s eq scan => needed.intersect(scan.outputSet)
      case p: Project     => columns(p.child, references(p, needed))
      case f: Filter      => columns(f.child, needed ++ f.condition.references)
      case j: Join        =>
        val asked = needed ++ AttributeSet(j.condition.toSeq.flatMap(_.references))
        columns(side(j), asked)
      case other => throw new IllegalStateException(s"a ${other.nodeName} above the scan")
    }

    private def references(p: Project, needed: AttributeSet) =
      AttributeSet(p.projectList.filter(e => needed.contains(e.toAttribute)).flatMap(_.references))

    /** The side of a join that has the scan. */
    private def side(j: Join): LogicalPlan =
      if (j.left.exists(_ eq scan)) j.left else j.right

    /** The column of the scan that the plan shows as `column`. */
    private def traced(plan: LogicalPlan, column: Attribute): Option[Attribute] = plan match {
      case s if s eq scan => scan.output.find(_.exprId == column.exprId).filter(ofFiles.contains)
      case p: Project     => replaceAlias(column, getAliasMap(p)) match {
          case a: Attribute => traced(p.child, a)
          case _            => None
        }
      case f: Filter => traced(f.child, column)
      case j: Join   => traced(side(j), column)
      case _         => None
    }

    /** The plan with the columns that the search needs, and the place of each row of the scan. The
      * other side of a join stays as it is, so that Spark executes its exchange once.
      */
    private def narrowed(plan: LogicalPlan, needed: AttributeSet): LogicalPlan = plan match {
      case f: Filter if isScan(f.child) =>
        withPlaces(needed, same(f, bounded(f.child)))
      case s if s eq scan => withPlaces(needed, bounded(s))
      case p: Project     =>
        val kept = p.projectList.filter(e => needed.contains(e.toAttribute))
        Project(kept ++ places.map(_.toAttribute), narrowed(p.child, references(p, needed)))
      case f: Filter => same(f, narrowed(f.child, needed ++ f.condition.references))
      case j: Join   =>
        val asked = needed ++ AttributeSet(j.condition.toSeq.flatMap(_.references))
        val own = side(j)
        j.withNewChildren(j.children.map(c => if (c eq own) narrowed(c, asked) else c))
      case other => throw new IllegalStateException(s"a ${other.nodeName} above the scan")
    }

    private def isScan(plan: LogicalPlan): Boolean = plan match {
      case f: Filter => isScan(f.child)
      case other     => other eq scan
    }

    private def bounded(plan: LogicalPlan): LogicalPlan = plan match {
      case f: Filter => same(f, bounded(f.child))
      case other     => Filter(WithinBound(leading.getOrElse(searched.head), order), other)
    }

    private def withPlaces(needed: AttributeSet, filtered: LogicalPlan): LogicalPlan =
      Project(scan.output.filter(needed.contains) ++ places, filtered)

    /** Pruning by Spark's own subqueries is not repeated. */
    private def same(f: Filter, child: LogicalPlan): Filter = {
      val condition = splitConjunctivePredicates(f.condition)
        .filterNot(_.isInstanceOf[DynamicPruning])
        .reduceOption(And)
        .getOrElse(Literal.TrueLiteral)
      SizedFilter.of(f, condition, child)
    }
  }

  /** The plan with the keys of join filters that the query itself gathers. */
  private def referring(plan: LogicalPlan): LogicalPlan = plan.transformAllExpressions {
    case join: JoinFilter => join.copy(keys = KeysGatheredElsewhere(join.gathered))
  }
}

private object TopKSearch {

  /** Most pages with first rows, as a share of all, where a bound alone must pay. */
  private val MostTouched = 0.1

  /** How many times larger values are than their bytes in a file. */
  private val Compression = 2.0

  private val RowsOfPage = 20000.0
}
