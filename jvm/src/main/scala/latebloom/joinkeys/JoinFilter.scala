// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodeGenerator,
  CodegenContext,
  ExprCode,
  FalseLiteral,
  TrueLiteral
}
import org.apache.spark.sql.execution.joinkeys.{KeysSubqueryExec, Patience}
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.KeyFilter
import latebloom.compile.CannotFail
import latebloom.decision.ShortSql
import latebloom.read.predicate.ValuePredicate

/** Whether a key may be among those of the other side of a join: never FALSE for a key that is, and
  * FALSE for null, which joins with nothing. Any plan may omit it.
  *
  * @param key
  *   on the columns of one scan
  * @param keys
  *   a scalar subquery that returns a serialised [[KeyFilter]], or null for none; or a reference to
  *   a subquery elsewhere
  * @param from
  *   its description in EXPLAIN
  * @param gathered
  *   the keys, whichever of their filters contains the subquery
  * @param onlyFiles
  *   whether only whole files are left out, once, before the first task: rows are counted above, so
  *   each must come again if a task is repeated
  * @param bytesBehind
  *   bytes of a scan that waits for the keys of this one
  */
final case class JoinFilter(
    key: Expression,
    keys: Expression,
    from: JoinFilter.Origin,
    gathered: GatheredKeys,
    onlyFiles: Boolean,
    bytesBehind: Long
) extends BinaryExpression
    with Predicate
    with CannotFail {

  override def left: Expression = key

  override def right: Expression = keys

  override def nullable: Boolean = false

  /** Two filters are equal if they test the same key for the same keys, wherever the subquery is.
    */
  override lazy val canonicalized: Expression =
    JoinFilter(
      key.canonicalized,
      KeysGatheredElsewhere(gathered),
      JoinFilter.AnyOrigin,
      gathered,
      onlyFiles,
      0
    )

  /** The node that gathers the keys; None if the plan has none. */
  private[joinkeys] def gathering: Option[KeysSubqueryExec] = keys match {
    case KeysGatheredElsewhere(gathered) => gathered.node
    case KeysSubquery(node)              => Some(node)
    case _                               => None
  }

  /** Whether the node of a subquery of ours gathers the keys, or none does. */
  def isGathered: Boolean = gathering.nonEmpty || !keys.exists(_.isInstanceOf[PlanExpression[_]])

  /** What has become of the keys, for people; None before the query runs. */
  def outcome: Option[String] = gathering.flatMap(_.outcome)

  /** Starts to gather the keys if the subquery is elsewhere. */
  def start(): Unit = gathering.foreach(_.prepare())

  /** The filter of the keys, once they are gathered; None if every key passes. */
  private[joinkeys] def filter: Option[KeyFilter] = keys match {
    case KeysGatheredElsewhere(_) | KeysSubquery(_) =>
      gathering.flatMap(_.within(Patience.endless)).flatten.flatMap(JoinFilter.deserialized(_))
    case other =>
      Option(other.eval(InternalRow.empty).asInstanceOf[Array[Byte]])
        .flatMap(JoinFilter.deserialized(_))
  }

  @transient private lazy val test = {
    val predicate = keys match {
      case SharedKeysExpression(shared) => Some(shared.predicate)
      case _                            => filter.map(_.predicate)
    }
    predicate.map(p => new ValuePredicate(key.dataType, p.cursor))
  }

  override def eval(input: InternalRow): Any = onlyFiles || mayContain(key.eval(input))

  /** Whether the other side may have `value` of the key, null for a null. */
  def mayContain(value: Any): Boolean = test.forall { keys =>
    keys.passes(InternalRow(value match {
      case text: UTF8String => text.getBytes
      case other            => other
    }))
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    if (onlyFiles) ExprCode.forNonNullValue(TrueLiteral) else tested(context, code)

  private def tested(context: CodegenContext, code: ExprCode): ExprCode = {
    val filter = context.addReferenceObj("joinFilter", this)
    val value = key.genCode(context)
    val boxed = context.freshName("key")
    code.copy(
      code = code"""
        ${value.code}
        ${CodeGenerator.boxedType(key.dataType)} $boxed = null;
        if (!${value.isNull}) {
          $boxed = ${value.value};
        }
        boolean ${code.value} = $filter.mayContain($boxed);""",
      isNull = FalseLiteral
    )
  }

  /** Its text in EXPLAIN. */
  def text: String = JoinFilter.text(key, from, onlyFiles)

  override def toString: String = s"joinfilter($key, ${from.keys})"

  override protected def withNewChildrenInternal(l: Expression, r: Expression): JoinFilter =
    copy(key = l, keys = r)
}

object JoinFilter {

  private[joinkeys] def deserialized(filter: Array[Byte]): Option[KeyFilter] =
    Option(KeyFilter.deserialize(filter).orElse(null))

  /** How the creation side supplies the keys. */
  sealed abstract class Means(val name: String) extends Serializable

  /** By the hashed relation that the join broadcasts anyway. */
  case object Broadcast extends Means("broadcast")

  /** By the shuffled rows that the join reads anyway. */
  case object Shuffle extends Means("shuffle")

  /** By a second evaluation of the creation side. */
  case object Rescan extends Means("rescan")

  /** @param keys
    *   the key on the creation side, as SQL
    */
  final case class Origin(keys: String, means: Means)

  private val AnyOrigin = Origin("", Rescan)

  /** A filter in EXPLAIN. */
  def text(key: Expression, from: Origin, onlyFiles: Boolean): String = {
    val how = if (onlyFiles) s"${from.means.name}, whole files" else from.means.name
    s"${ShortSql(key)} IN ${from.keys} ($how)"
  }
}
