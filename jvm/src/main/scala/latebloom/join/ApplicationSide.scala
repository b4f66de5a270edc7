// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.physical.RoundRobinPartitioning
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

import latebloom.compile.Failure
import latebloom.decision.{Reason, Reasons}
import latebloom.read.RowNumberCursor

/** A scan that need not read rows whose `key`, on its columns, is not among the keys.
  *
  * @param byPartition
  *   whether the key is made of partition columns, which whole files have in common
  * @param below
  *   the name of a node that numbers the rows, so that only whole files may be left out
  */
final private[join] case class Target(
    scan: LogicalRelation,
    files: HadoopFsRelation,
    key: Expression,
    byPartition: Boolean,
    below: Option[String]
) {
  def bytes: BigInt = scan.stats.sizeInBytes

  def onlyFiles: Boolean = below.nonEmpty

  /** Whether the files are buckets by a column of the key. */
  def byBucket: Boolean = SQLConf.get.bucketingEnabled &&
    files.bucketSpec.exists(b => key.references.exists(c => b.bucketColumnNames == Seq(c.name)))
}

/** Follows a join key down to the scans that supply it.
  *
  * The claim, for each node that a key passes: filtering the scans below changes neither the node's
  * output rows whose key is among the keys, nor their number, and no row acquires such a key. The
  * join drops all other rows. By node, from the claim for its child:
  *
  *   - `Project`, of deterministic expressions: a row depends only on its own row below, and the
  *     key on the output equals the key with the expressions substituted for their names. The name
  *     of a row's file is as fixed as its values. A number of the row is not: which other rows a
  *     scan leaves out may differ when a task is repeated, and the row that is sent to a reducer by
  *     another number then would be lost or double. Which files are read is decided once, before
  *     the first task, so whole files may be left out below numbers of which the plan sees only
  *     whether two are equal ([[RowNumbers]]).
  *   - Deterministic `Filter`, `Sort` and repartitioning: they drop rows one by one or not at all,
  *     and change none. A round-robin distribution, whose place for a row depends on the rows
  *     before it, numbers the rows: whole files may be left out below it, for the same reason.
  *   - `Aggregate`: the key is computed from grouping columns, so all rows of a group have the same
  *     key and stay or go together, and a group that stays has all of its rows. This requires a key
  *     that cannot distinguish equal values ([[EqualValues]]): a group of -0.0 and 0.0 shows one of
  *     them. A key does not pass an aggregate without groups, which has a row even for no rows.
  *   - `Window`: likewise, for its partitioning columns.
  *   - `Generate` of Spark's own functions, `explode` and the like: a row depends only on its own
  *     row below, which supplies the key.
  *   - `Union`: each row is one child's row. A child that cannot be filtered stays unchanged.
  *   - Inner `Join`: a row takes its key from its row of the key's side, so a row missing there
  *     removes only join rows with the same key. A column that the join equates with the key serves
  *     as well: the two are equal in each output row, and equal join keys are identical (Spark
  *     normalises floating-point keys and compares collated texts by their collation keys before
  *     this rule runs).
  *   - Outer, semi, anti and existence `Join`: only the side whose rows the join preserves or
  *     outputs. Fewer rows on the other side would turn a match into a missing one.
  *   - No other node: a limit, a sample or a script sees the number or order of all rows.
  *
  * Errors: the scan evaluates the key for rows that Spark might have dropped before the join, so a
  * key that may fail is declined. Operators above a filtered scan get fewer rows, so a query may
  * avoid an error of a dropped row, as with Spark's own runtime filters, but never gets a new one.
  */
final private[join] class ApplicationSide(plan: LogicalPlan) extends AliasHelper {
  private lazy val unseen = RowNumbers.unseen(plan)

  /** The scans below `plan`; Left if a node on the way forbids it. */
  def targets(plan: LogicalPlan, key: Expression): Either[Reason, Seq[Target]] = plan match {
    case _ if key.references.isEmpty                 => Left(Reasons.keyIsConstant)
    case scan @ FileRelation(files)                  => target(scan, files, key).map(Seq(_))
    case p: Project if p.projectList.forall(isFixed) => through(p, key)
    case p: Project if p.projectList.forall(e => isFixed(e) || isUnseenNumber(e)) =>
      ofFiles(p, through(p, key))
    case f: Filter if f.condition.deterministic      => targets(f.child, key)
    case s: Sort                                     => targets(s.child, key)
    case r: RepartitionOperation if placesEachRow(r) => targets(r.child, key)
    case r: RepartitionOperation                     => ofFiles(r, targets(r.child, key))
    case a: Aggregate                    => grouped(a, replaceAlias(key, getAliasMap(a)))
    case w: Window if partitions(w, key) => alike(w, key).flatMap(targets(w.child, _))
    case g: Generate if ofOneRow(g, key) => targets(g.child, key)
    case u: Union                        => any(u.children.map(c => targets(c, through(u, c, key))))
    case j: Join if j.condition.forall(_.deterministic) => joined(j, key)
    case leaf: LeafNode => Left(Reasons.sourceNotOurs(leaf.nodeName))
    case other          => Left(Reasons.keyNotTraceable(other.nodeName))
  }

  private object FileRelation {
    def unapply(plan: LogicalPlan): Option[HadoopFsRelation] = plan match {
      case relation: LogicalRelation if !relation.isStreaming =>
        Some(relation.relation).collect { case files: HadoopFsRelation => files }
      case _ => None
    }
  }

  /** Whether the place of a row depends on that row alone. */
  private def placesEachRow(r: RepartitionOperation) =
    !r.shuffle || !r.partitioning.isInstanceOf[RoundRobinPartitioning]

  private def target(
      scan: LogicalPlan,
      files: HadoopFsRelation,
      key: Expression
  ): Either[Reason, Target] = {
    val partition = files.partitionSchema.map(_.name)
    val (ofPartition, ofRows) = scan.output.partition(a => partition.contains(a.name))
    val ofFiles = AttributeSet(ofRows.filter { a =>
      files.dataSchema.exists(_.name == a.name) && !RowNumberCursor.isFor(a.metadata)
    })
    val byPartition = key.references.subsetOf(AttributeSet(ofPartition))
    key.references.find(!ofFiles.contains(_)) match {
      case Some(column) if !byPartition => Left(Reasons.partitionKey(column))
      case _ if Failure.mayFail(key)    => Left(Reasons.keyMayFail(key))
      case _ => Right(Target(scan.asInstanceOf[LogicalRelation], files, key, byPartition, None))
    }
  }

  private def ofFiles(node: LogicalPlan, found: Either[Reason, Seq[Target]]) =
    found.map(_.map(t => t.copy(below = t.below.orElse(Some(node.nodeName)))))

  /** A non-deterministic expression must see the same rows as in Spark's own plan. */
  private def isFixed(e: Expression) = e match {
    case Alias(_: InputFileName, _) => true
    case other                      => other.deterministic
  }

  private def isUnseenNumber(e: Expression) = e match {
    case a @ Alias(_: MonotonicallyIncreasingID, _) => unseen.contains(a.toAttribute)
    case _                                          => false
  }

  private def through(p: Project, key: Expression): Either[Reason, Seq[Target]] = {
    val below = replaceAlias(key, getAliasMap(p))
    if (below.deterministic) targets(p.child, below) else Left(Reasons.keyNotTraceable(p.nodeName))
  }

  /** A function of users may keep something of the rows before. */
  private def ofOneRow(g: Generate, key: Expression) = g.generator.deterministic &&
    key.references.subsetOf(g.child.outputSet) && (g.generator match {
      case _: ExplodeBase | _: Inline | _: Stack | _: JsonTuple => true
      case _                                                    => false
    })

  /** @param key on the aggregate's input */
  private def grouped(a: Aggregate, key: Expression): Either[Reason, Seq[Target]] =
    if (groups(a, key)) alike(a, key).flatMap(targets(a.child, _))
    else Left(Reasons.keyNotTraceable(a.nodeName))

  /** The rows of a group stay or go together. Spark computes grouping expressions other than
    * columns in a Project below.
    */
  private def groups(a: Aggregate, key: Expression) =
    a.groupingExpressions.nonEmpty && a.aggregateExpressions.forall(_.deterministic) &&
      key.references.subsetOf(AttributeSet(a.groupingExpressions.collect { case c: Attribute =>
        c
      }))

  /** Whether values that `node` treats as equal have the same key. */
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

  /** A column that an inner join equates with the key can be filtered as well. */
  private def withPartners(
      j: Join,
      key: Expression,
      own: LogicalPlan,
      other: LogicalPlan
  ): Either[Reason, Seq[Target]] = {
    val partners = FilteringJoin.unapply(j).toSeq
      .flatMap(_.pairs(own))
      .collect { case (mine, theirs) if mine.semanticEquals(key) => theirs }
    any(targets(own, key) +: partners.map(targets(other, _)))
  }

  /** All targets found; the first reason if there are none. */
  private def any(found: Seq[Either[Reason, Seq[Target]]]): Either[Reason, Seq[Target]] = {
    val targets = found.flatMap(_.getOrElse(Nil))
    if (targets.nonEmpty) Right(targets) else found.head
  }
}
