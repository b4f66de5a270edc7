// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.io.Source

import latebloom.LateBloomTest

class ReferencePagesSuite extends LateBloomTest {

  for (name <- Seq("confs.md", "reasons.md", "metrics.md"))
    test(s"docs/reference/$name is current") {
      val file = new String(Files.readAllBytes(Path.of("docs", "reference", name)), UTF_8)
      assert(
        file == ReferencePages.all(spark)(name),
        """run ./dev/sbt "latebloom/Test/runMain latebloom.inspect.ReferencePages docs/reference""""
      )
    }

  test("the page of reasons has every code of the source") {
    val source = Source.fromFile("jvm/src/main/scala/latebloom/decision/Reasons.scala")
    val codes =
      try "about\\(\"([a-z0-9-]+)\"".r.findAllMatchIn(source.mkString).map(_.group(1)).toSet
      finally source.close()
    val page = ReferencePages.all(spark)("reasons.md")
    assert(codes.size > 50)
    assert(codes.filterNot(code => page.contains(s"| `$code` |")) == Set.empty)
    assert(!page.contains("java.lang"))
  }
}
