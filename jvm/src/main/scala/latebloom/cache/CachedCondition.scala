// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import java.util.TimeZone

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.security.UserGroupInformation

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import latebloom.compile.Failure
import latebloom.line.Compat._

/** What rows must meet in a scan: conjuncts on the columns of files, and all else on which it
  * depends whether a row meets them.
  *
  * @param source
  *   how files are read
  * @param conjuncts
  *   in canonical form
  */
final private[latebloom] case class CachedCondition(
    source: CachedCondition.Source,
    conjuncts: Set[Expression]
) {

  private val columns = conjuncts.flatMap(_.collect { case c: CachedCondition.FileColumn =>
    c.field
  })

  /** Whether each row that meets this condition meets the other one. */
  def implies(other: CachedCondition): Boolean =
    source == other.source && other.columns.subsetOf(columns) && other.conjuncts.forall { weaker =>
      conjuncts(weaker) || conjuncts.exists(CachedCondition.implies(_, weaker))
    }
}

private[latebloom] object CachedCondition {

  /** A column of files.
    *
    * @param field
    *   as JSON, with all by which Spark or a table format finds it in a file
    */
  final private[cache] case class FileColumn(field: String, dataType: DataType)
      extends LeafExpression
      with Unevaluable {
    override def nullable: Boolean = true
  }

  /** Whether a key is among those of the other side of a join.
    *
    * @param digest
    *   of the keys
    */
  final private[cache] case class InKeys(child: Expression, digest: String)
      extends UnaryExpression
      with Unevaluable {
    override def dataType: DataType = BooleanType

    override protected def withNewChildInternal(newChild: Expression): InKeys =
      copy(child = newChild)
  }

  /** How files are read: a digest of all on which it depends, so that it is compared fast. */
  final case class Source private (digest: String)

  object Source {

    /** Confs, or the beginnings of their names, that decide how a query is executed and not what it
      * returns, and that people change between two runs.
      */
    private val Execution = Seq(
      "spark.latebloom.",
      "spark.sql.adaptive.",
      "spark.sql.shuffle.partitions",
      "spark.sql.autoBroadcastJoinThreshold",
      "spark.sql.files.maxPartitionBytes",
      "spark.sql.files.openCostInBytes"
    )

    /** The settings of Hadoop's configuration that the readers of files look up. */
    private val OfReaders = Seq("parquet.", "orc.")

    /** All of a session on which it depends how any file is read.
      *
      * @param conf
      *   all but what cannot change an answer counts
      */
    def session(conf: SQLConf, hadoopConf: Configuration): String = {
      val confs = conf.getAllConfs.filterNot { case (key, _) => Execution.exists(key.startsWith) }
      // Readers interpret some files by the zone of the JVM; not every user may read each file.
      Digest.of(texts(
        Seq(TimeZone.getDefault.getID, UserGroupInformation.getCurrentUser.getUserName) +:
          (OfReaders.map(hadoopConf.getPropsWithPrefix(_).asScala.toMap) :+ confs).map(sorted)
      ))
    }

    /** @param format
      *   of the files, and what else than the conditions decides which column is which
      * @param options
      *   of the relation
      */
    def apply(format: String, options: Map[String, String], session: String): Source =
      new Source(Digest.of(texts(Seq(Seq(format, session), sorted(options - "path" - "paths")))))

    private def sorted(of: Map[String, String]): Seq[String] =
      of.toSeq.sorted.flatMap { case (key, value) => Seq(key, value) }

    /** With the lengths, so that no two lists are the same text. */
    private def texts(all: Seq[Seq[String]]): String =
      all.map(_.map(s => s"${s.length} $s").mkString).mkString("\n")
  }

  /** The keys of a join on columns of files, in a filter of a scan. */
  final case class Keys(key: Expression, digest: String)

  /** The condition of a scan; None if its outcome may depend on anything else than the files and
    * the source, or if evaluating it may fail.
    *
    * @param conditions
    *   all that decides which rows a scan returns
    * @param columns
    *   the columns of files, as these have them
    */
  private[latebloom] def of(
      source: => Source,
      conditions: Seq[Expression],
      keys: Seq[Keys],
      columns: Map[ExprId, StructField]
  ): Option[CachedCondition] = {
    def inFiles(e: Expression): Expression = e.transform {
      case a: Attribute =>
        val field = columns(a.exprId).copy(nullable = true)
        FileColumn(StructType(Seq(field)).json, field.dataType)
    }
    val all = conditions.flatMap(conjuncts)
    val asked = all ++ keys.map(_.key)
    val known = asked.nonEmpty && asked.forall { e =>
      e.references.forall(a => columns.contains(a.exprId)) && isRepeatable(e) &&
      !Failure.mayFail(e)
    }
    when(known) {
      val ofKeys = keys.map(k => InKeys(inFiles(k.key).canonicalized, k.digest))
      CachedCondition(source, (all.map(inFiles(_).canonicalized) ++ ofKeys).toSet)
    }
  }

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other            => Seq(other)
  }

  /** Whether an expression means the same whenever it is evaluated: of Spark's own expressions
    * alone, without functions of users, subqueries, calls by reflection and variables.
    */
  private def isRepeatable(e: Expression): Boolean = e.deterministic && !e.exists {
    case _: UserDefinedExpression | _: PlanExpression[_] | _: HigherOrderFunction => true
    // Equal to 0.0, and yet not the same.
    case Literal(d: Double, _) => d == 0 && 1 / d < 0
    case Literal(f: Float, _)  => f == 0 && 1 / f < 0
    case _: Literal            => false
    // What Spark has not folded may have another value in the next query: a time, a user.
    case other => other.foldable || !Own.contains(other.getClass.getPackage.getName)
  }

  private val Own = Set(
    classOf[Literal].getPackage.getName,
    classOf[org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero].getPackage.getName
  )

  /** Whether each row that meets one conjunct meets another one: a range within a range, some of
    * the listed values.
    */
  private def implies(stronger: Expression, weaker: Expression): Boolean =
    (stronger, weaker) match {
      // No null meets a comparison.
      case (Range(of, _), IsNotNull(same))          => of == same
      case (Range(of, values), Range(same, others)) =>
        of == same && values.ofType == others.ofType && values.isWithin(others)
      case _ => false
    }

  /** Values between two bounds, or listed ones. */
  final private case class Values(
      ofType: DataType,
      least: Bound,
      greatest: Bound,
      listed: Seq[Any]
  ) {
    private def ordering: Ordering[Any] = TypeUtils.getInterpretedOrdering(ofType)

    private def contains(value: Any): Boolean =
      if (listed.nonEmpty) listed.exists(ordering.equiv(_, value))
      else {
        least.forall { case (l, in) =>
          if (in) ordering.gteq(value, l) else ordering.gt(value, l)
        } &&
        greatest.forall { case (g, in) =>
          if (in) ordering.lteq(value, g) else ordering.lt(value, g)
        }
      }

    def isWithin(others: Values): Boolean =
      if (listed.nonEmpty) listed.forall(others.contains)
      else {
        def reaches(bound: Bound, other: Bound, isBeyond: (Any, Any) => Boolean) =
          (bound, other) match {
            case (_, None)                         => true
            case (None, _)                         => false
            case (Some((b, in)), Some((o, other))) =>
              isBeyond(b, o) || ordering.equiv(b, o) && (other || !in)
          }
        others.listed.isEmpty && reaches(least, others.least, ordering.gt) &&
        reaches(greatest, others.greatest, ordering.lt)
      }
  }

  /** A value, and whether it is included; None for no bound. */
  private type Bound = Option[(Any, Boolean)]

  /** A comparison of anything with literals. */
  private object Range {
    def unapply(e: Expression): Option[(Expression, Values)] = {
      def some(of: Expression, value: Any, least: Bound, greatest: Bound, listed: Seq[Any] = Nil) =
        when(value != null && isOrdered(of.dataType))(
          (of, Values(of.dataType, least, greatest, listed))
        )
      e match {
        case EqualTo(of, Literal(v, _))            => some(of, v, None, None, Seq(v))
        case EqualTo(Literal(v, _), of)            => some(of, v, None, None, Seq(v))
        case LessThan(of, Literal(v, _))           => some(of, v, None, Some((v, false)))
        case LessThanOrEqual(of, Literal(v, _))    => some(of, v, None, Some((v, true)))
        case GreaterThan(of, Literal(v, _))        => some(of, v, Some((v, false)), None)
        case GreaterThanOrEqual(of, Literal(v, _)) => some(of, v, Some((v, true)), None)
        case GreaterThan(Literal(v, _), of)        => some(of, v, None, Some((v, false)))
        case GreaterThanOrEqual(Literal(v, _), of) => some(of, v, None, Some((v, true)))
        case LessThan(Literal(v, _), of)           => some(of, v, Some((v, false)), None)
        case LessThanOrEqual(Literal(v, _), of)    => some(of, v, Some((v, true)), None)
        case In(of, list) if list.nonEmpty && list.forall(isValue) =>
          some(of, list, None, None, list.map(_.asInstanceOf[Literal].value))
        case InSet(of, list) if list.nonEmpty && !list.contains(null) =>
          some(of, list, None, None, list.toSeq)
        case _ => None
      }
    }

    private def isValue(e: Expression) = e match {
      case Literal(value, _) => value != null
      case _                 => false
    }

    private def isOrdered(dataType: DataType) = dataType match {
      case _: NumericType | DateType | TimestampType | TimestampNTZType | BooleanType => true
      case s: StringType => s == StringType
      case _             => false
    }
  }
}
