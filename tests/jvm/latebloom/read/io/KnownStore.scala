// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.io.File

/** Fixes the cost of a request for a test, since a busy machine would measure another one each
  * time.
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
