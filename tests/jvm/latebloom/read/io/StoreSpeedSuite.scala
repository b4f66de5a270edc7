// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.net.URI

import org.scalatest.funsuite.AnyFunSuite

class StoreSpeedSuite extends AnyFunSuite {
  private val Milli = 1000000L
  private val Mega = 1L << 20

  /** A store with a latency of so many milliseconds and a rate of so many MiB a second. */
  private def observed(millis: Long, rate: Long, sizes: Long*): StoreSpeed = {
    val speed = new StoreSpeed
    Seq.fill(40)(sizes).flatten.foreach { bytes =>
      speed.observe(bytes, millis * Milli + bytes * 1000 * Milli / (rate * Mega))
    }
    speed
  }

  private def near(a: Long, b: Long): Boolean = math.abs(a - b) <= 0.1 * b

  test("a round trip is worth the bytes that arrive while a request waits") {
    assert(near(observed(20, 90, 4096, 8 * Mega).roundTripBytes, 90 * Mega / 50))
    assert(near(observed(5, 500, 1024, 3 * Mega).roundTripBytes, 500 * Mega / 200))
  }

  test("it is worth nothing before a small fetch, and never more than 16 MiB") {
    assert(new StoreSpeed().roundTripBytes == 0)
    assert(observed(100, 90, 8 * Mega).roundTripBytes == 0)
    assert(observed(5000, 90, 100).roundTripBytes == 16 * Mega)
  }

  test("a store is slow that answers in a millisecond or more") {
    assert(!new StoreSpeed().isSlow)
    assert(!observed(0, 500, 1024, 3 * Mega).isSlow)
    assert(observed(2, 500, 1024, 3 * Mega).isSlow)
  }

  test("a pause of another cause than the store is soon forgotten") {
    val speed = observed(1, 100, 4096, 4 * Mega)
    val before = speed.roundTripBytes
    speed.observe(4096, 500 * Milli)
    (0 until 10).foreach(_ => speed.observe(4096, 1 * Milli))
    assert(near(speed.roundTripBytes, before))
  }

  test("files of one store have one speed") {
    assert(StoreSpeed.of(new URI("s3a://one/a")) eq StoreSpeed.of(new URI("s3a://one/b/c")))
    assert(StoreSpeed.of(new URI("s3a://one/a")) ne StoreSpeed.of(new URI("s3a://two/a")))
    assert(StoreSpeed.of(new URI("file:/a")) eq StoreSpeed.of(new URI("file:/b")))
  }
}
