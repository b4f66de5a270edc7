// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** Digests that stand for what they are of: no two different texts with one are known. */
private[latebloom] object Digest {

  /** SHA-256, as hexadecimal digits. */
  def of(bytes: Array[Byte]): String =
    MessageDigest.getInstance("SHA-256").digest(bytes).map(b => f"$b%02x").mkString

  def of(text: String): String = of(text.getBytes(UTF_8))
}
