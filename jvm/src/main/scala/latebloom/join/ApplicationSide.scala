// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import latebloom.compile.Failure
import latebloom.decision.{Reason, Reasons}

/** A scan whose rows need not be read if `key`, on its columns, is not among the keys. */
final private[join] case class Target(
    scan: LogicalRelation,
    files: HadoopFsRelation,
    key: Expression
) {
  def bytes: BigInt = scan.stats.sizeInBytes
}

/** Follows a key of a join down to the scans it comes from.
  *
  * The claim, for each node that a key passes: of the rows that the node gives, those whose key is
  * among the keys are the same, with the same number of each, whether the scans below are filtered
  * or not; and no row comes to have such a key that did not have it. The join drops all others. By
  * node, from the claim for its child:
  *
  *   - `Project`, of deterministic expressions: a row depends on its own row below, and the key on
  *     the output is the same as with the expressions put in for their names.
  *   - `Filter`, deterministic, and `Sort`, and whatever repartitions: they drop rows one by one or
  *     none at all, and change none.
  *   - `Aggregate`: the key is computed of columns that are grouped by, so that all rows of a group
  *     have the same key and stay or go together, and a group that stays has all of its rows. That
  *     is so only if the key cannot tell equal values apart ([[EqualValues]]): a group of -0.0 and
  *     0.0 has one of them. Without groups there is a row for no rows, too: not passed.
  *   - `Window`: likewise, of the columns that it is partitioned by.
  *   - `Union`: a row is one child's row. A child that cannot be filtered stays as it is.
  *   - `Join`, inner: a row has the key of the row of the side that the key is of; rows of that
  *     side which are missing are missing from rows of the join with the same key. What the join
  *     equates with the key is as good: the two are equal for each row that it gives, and join keys
  *     that are equal are the same (Spark normalises floating-point keys and compares collated
  *     texts by their collation keys before this rule sees them).
  *   - `Join`, outer, semi, anti and existence: only the side whose rows are kept, or are all that
  *     is kept, whatever their match is. Fewer rows on the other side would turn a match into none.
  *   - Nothing else: a limit, a sample, an explode, a script see the number or order of all rows.
  *
  * Errors: the key is evaluated for rows that Spark might have dropped before the join, so one that
  * may fail is not taken. A filtered scan gives fewer rows to what stands above it, so that a query
  * may be spared an error which a dropped row would have caused, as with Spark's own runtime
  * filters; it never gets one.
  */
private[join] object ApplicationSide extends AliasHelper {

  /** The scans below `plan`; Left where a node on the way would not allow it. */
  def targets(plan: LogicalPlan, key: Expression): Either[Reason, Seq[Target]] = plan match {
    case _ if key.references.isEmpty     => Left(Reasons.keyIsConstant)
    case scan @ FileRelation(files)      => target(scan, files, key).map(Seq(_))
    case p: Project if plainly(p)        => targets(p.child, replaceAlias(key, getAliasMap(p)))
    case f: Filter if f.deterministic    => targets(f.child, key)
    case s: Sort                         => targets(s.child, key)
    case r: RepartitionOperation         => targets(r.child, key)
    case a: Aggregate                    => grouped(a, replaceAlias(key, getAliasMap(a)))
    case w: Window if partitions(w, key) => alike(w, key).flatMap(targets(w.child, _))
    case u: Union                        => any(u.children.map(c => targets(c, through(u, c, key))))
    case j: Join                         => joined(j, key)
    case other                           => Left(Reasons.keyNotTraceable(other.nodeName))
  }

  private object FileRelation {
    def unapply(plan: LogicalPlan): Option[HadoopFsRelation] = plan match {
      case relation: LogicalRelation if !relation.isStreaming =>
        Some(relation.relation).collect { case files: HadoopFsRelation => files }
      case _ => None
    }
  }

  private def target(
      scan: LogicalPlan,
      files: HadoopFsRelation,
      key: Expression
  ): Either[Reason, Target] = {
    val ofFiles = AttributeSet(scan.output.filter(a => files.dataSchema.exists(_.name == a.name)))
    val partition = files.partitionSchema.map(_.name)
    key.references.find(a => !ofFiles.contains(a) || partition.contains(a.name)) match {
      case Some(column)                 => Left(Reasons.partitionKey(column))
      case None if Failure.mayFail(key) => Left(Reasons.keyMayFail(key))
      case None => Right(Target(scan.asInstanceOf[LogicalRelation], files, key))
    }
  }

  /** An expression that is not deterministic must see the same rows as ever. */
  private def plainly(p: Project) = p.projectList.forall(_.deterministic)

  /** @param key
    *   on what the aggregate reads
    */
  private def grouped(a: Aggregate, key: Expression): Either[Reason, Seq[Target]] =
    if (groups(a, key)) alike(a, key).flatMap(targets(a.child, _))
    else Left(Reasons.keyNotTraceable(a.nodeName))

  /** The rows of a group stay or go together. Spark puts what is grouped by into a Project below,
    * where it is more than a column.
    */
  private def groups(a: Aggregate, key: Expression) =
    a.groupingExpressions.nonEmpty && a.aggregateExpressions.forall(_.deterministic) &&
      key.references.subsetOf(AttributeSet(a.groupingExpressions.collect { case c: Attribute =>
        c
      }))

  /** Whether equal values, which `node` takes for one, have the same key. */
  private def alike(node: LogicalPlan, key: Expression): Either[Reason, Expression] =
    Either.cond(!EqualValues.toldApartBy(key), key, Reasons.keyTellsApart(key, node.nodeName))

  private def partitions(w: Window, key: Expression) =
    w.partitionSpec.forall(_.isInstanceOf[AttributeReference]) &&
      key.references.subsetOf(AttributeSet(w.partitionSpec)) &&
      w.windowExpressions.forall(_.deterministic)

  private def through(u: Union, child: LogicalPlan, key: Expression): Expression = {
    val columns = AttributeMap(u.output.zip(child.output))
    key.transform { case a: Attribute => columns.getOrElse(a, a) }
  }

  private def joined(j: Join, key: Expression): Either[Reason, Seq[Target]] = {
    val ofLeft = key.references.subsetOf(j.left.outputSet)
    val ofRight = key.references.subsetOf(j.right.outputSet)
    j.joinType match {
      case _: InnerLike if ofLeft  => withPartners(j, key, j.left, j.right)
      case _: InnerLike if ofRight => withPartners(j, key, j.right, j.left)
      case LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_) if ofLeft => targets(j.left, key)
      case RightOuter if ofRight                                        => targets(j.right, key)
      case _ => Left(Reasons.keyNotTraceable(s"${j.joinType} ${j.nodeName}"))
    }
  }

  /** What an inner join equates with the key can be filtered as well. */
  private def withPartners(
      j: Join,
      key: Expression,
      own: LogicalPlan,
      other: LogicalPlan
  ): Either[Reason, Seq[Target]] = {
    val partners = EquiJoin.unapply(j).toSeq
      .flatMap(_.pairs(own))
      .collect { case (mine, theirs) if mine.semanticEquals(key) => theirs }
    any(targets(own, key) +: partners.map(targets(other, _)))
  }

  /** All that were found; the first reason where nothing was. */
  private def any(found: Seq[Either[Reason, Seq[Target]]]): Either[Reason, Seq[Target]] = {
    val targets = found.flatMap(_.getOrElse(Nil))
    if (targets.nonEmpty) Right(targets) else found.head
  }
}
