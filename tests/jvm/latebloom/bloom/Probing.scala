// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom

import scala.util.Random

import org.scalatest.Assertions

import latebloom.read.RandomBytes
import latebloom.read.predicate.ColumnPredicate

/** Tests values by predicates, one by one and filtered, and compares the two. */
trait Probing extends Assertions with RandomBytes {

  /** Which of the keys pass. */
  def passing(predicate: ColumnPredicate, keys: Seq[Long]): Seq[Boolean] = {
    assert(!predicate.nullPasses)
    val values = keys.toArray
    val out = new Array[Int](values.length)
    val (n, one) = predicate match {
      case longs: ColumnPredicate.Longs =>
        (longs.ranges.filter(values, values.length, out), keys.toVector.map(longs.ranges.contains))
      case probed: ColumnPredicate.Probed =>
        val passes = keys.toVector.map(probed.probe.test)
        keys.zip(passes).foreach { case (k, p) => assert(!p || probed.probe.range.contains(k)) }
        (probed.probe.filter(values, values.length, out), passes)
      case other => fail(s"$other is no predicate of keys")
    }
    assert(out.take(n).toSeq == keys.indices.filter(one), s"filtered by $predicate")
    one
  }

  /** Which of the strings pass. */
  def passingBytes(
      predicate: ColumnPredicate,
      strings: Seq[Array[Byte]],
      random: Random
  ): Seq[Boolean] = {
    assert(!predicate.nullPasses)
    val test = predicate.asInstanceOf[ColumnPredicate.Bytes].predicate
    val passed = Packed(strings, random).filtered(test).toSet
    strings.indices.map(passed)
  }
}
