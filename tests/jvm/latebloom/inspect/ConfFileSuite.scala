// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

class ConfFileSuite extends AnyFunSuite {

  test("conf/latebloom.conf is current") {
    val file = new String(Files.readAllBytes(Path.of("conf", "latebloom.conf")), UTF_8)
    assert(
      file == ConfFile.text,
      """run ./dev/sbt "latebloom/Test/runMain latebloom.inspect.ConfFile conf/latebloom.conf""""
    )
  }
}
