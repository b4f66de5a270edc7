// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.nio.file.{Files, Path}

/** Saves cases with a forbidden outcome: the damaged file, and how to reproduce it. */
final class Reports(folder: Path, seed: Long) {

  /** Saves a case; returns the message to print. */
  def save(c: FileCase, outcome: Outcome): String = {
    val text = s"${outcome.kind.name}: ${outcome.reason}\n$c\n" +
      s"again: dev/fuzz files --seed $seed --case ${c.id}\n${outcome.detail}\n"
    val path = file(c)
    Files.writeString(path.resolveSibling(s"$seed-${c.id}.txt"), text)
    s"\n$text\nsaved as $path"
  }

  /** Writes the damaged file of a case; returns its path. */
  def file(c: FileCase): Path = {
    Files.createDirectories(folder)
    Files.write(folder.resolve(s"$seed-${c.id}-${c.seed.name}"), c.bytes)
  }
}
