// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.io.File

/** Lets a test say what a request costs, where a busy machine would give another measure each time.
  */
object KnownStore {

  /** Runs `body` while a request to the store of `file` is worth `roundTripBytes`. */
  def roundTrip[T](file: File, roundTripBytes: Long)(body: => T): T = {
    val uri = file.toURI
    val before = StoreSpeed.replace(uri, new StoreSpeed(roundTripBytes))
    try body
    finally StoreSpeed.replace(uri, before)
  }
}
