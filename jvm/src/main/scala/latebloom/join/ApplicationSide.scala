// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import latebloom.rules.{Failure, Reason, Reasons}

/** A scan whose rows need not be read if `key`, on its columns, is not among the keys. */
final private[join] case class Target(
    scan: LogicalRelation,
    files: HadoopFsRelation,
    key: Expression
) {
  def bytes: BigInt = scan.stats.sizeInBytes
}

/** Follows a key of a join down to the scans it comes from, through what would give the same rows
  * with such a filter below it as above it.
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
    case a: Aggregate if groups(a, key)  => targets(a.child, replaceAlias(key, getAliasMap(a)))
    case w: Window if partitions(w, key) => targets(w.child, key)
    case u: Union                        => any(u.children.map(c => targets(c, through(u, c, key))))
    case j: Join                         => joined(j, key)
    case other                           => Left(Reasons.keyNotTraceable(other.nodeName))
  }

  private object FileRelation {
    def unapply(plan: LogicalPlan): Option[HadoopFsRelation] = plan match {
      case LogicalRelation(files: HadoopFsRelation, _, _, false, _) => Some(files)
      case _                                                        => None
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

  /** The rows of a group stay or go together. */
  private def groups(a: Aggregate, key: Expression) =
    a.groupingExpressions.nonEmpty && a.aggregateExpressions.forall(_.deterministic) &&
      !a.aggregateExpressions.exists { e =>
        key.references.contains(e.toAttribute) &&
        e.exists(_.isInstanceOf[aggregate.AggregateExpression])
      }

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
