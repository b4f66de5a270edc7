// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.nio.file.{Files, Path}

/** Writes what is needed to see a forbidden outcome again. */
final class Reports(folder: Path, seed: Long) {

  /** @return
    *   what to say of it
    */
  def save(c: FileCase, outcome: Outcome): String = {
    val text = s"${outcome.kind.name}: ${outcome.reason}\n$c\n" +
      s"again: dev/fuzz files --seed $seed --case ${c.id}\n${outcome.detail}\n"
    val path = file(c)
    Files.writeString(path.resolveSibling(s"$seed-${c.id}.txt"), text)
    s"\n$text\nsaved as $path"
  }

  /** Where the damaged file of a case is, which is written. */
  def file(c: FileCase): Path = {
    Files.createDirectories(folder)
    Files.write(folder.resolve(s"$seed-${c.id}-${c.seed.name}"), c.bytes)
  }
}
