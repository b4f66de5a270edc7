// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.{BeforeAndAfterAll, BeforeAndAfterEach}

import latebloom.read.io.MetadataCache.{Key, Metadata}

class MetadataCacheSuite extends AnyFunSuite with BeforeAndAfterEach with BeforeAndAfterAll {

  final private class Of(var bytes: Long) extends Metadata

  override protected def beforeEach(): Unit = MetadataCache.clear()

  override protected def afterAll(): Unit = MetadataCache.clear()

  private def key(name: String, age: Long = 3600000, run: String = "r", all: Boolean = true) = {
    val modified = System.currentTimeMillis() / 60000 * 60000 - age
    Key.of(run, new FileStatus(10, false, 1, 1, modified, new Path("/m", name)), all)
  }

  test("the metadata of a file that has rested are for all runs") {
    val a = new Of(10)
    MetadataCache.put(key("a"), a, 100)
    assert(MetadataCache.get(key("a", run = "s"), classOf[Of]) eq a)
    assert(!MetadataCache.has(key("a", age = 7200000)), "written at another time")
    assert(!MetadataCache.has(key("b")))
    assert(!key("a", age = -60000).isForAll && !key("a", all = false).isForAll)
    assert(key("a", all = false) != key("a", all = false, run = "s"))
  }

  test("the least recently used make way, by what they take now") {
    val of = Seq("a", "b", "c").map(name => name -> new Of(30)).toMap
    for ((name, m) <- of) MetadataCache.put(key(name), m, 100)
    assert(MetadataCache.totals.bytes == 90)
    MetadataCache.get(key("a"), classOf[Of])
    MetadataCache.put(key("d"), new Of(30), 100)
    assert(MetadataCache.has(key("a")) && !MetadataCache.has(key("b")))
    of("a").bytes = 50
    MetadataCache.get(key("a"), classOf[Of])
    assert(!MetadataCache.has(key("c")) && MetadataCache.totals.bytes == 80)
    MetadataCache.put(key("e"), new Of(1000), 100)
    assert(MetadataCache.totals.files == 0, "nothing that is larger than the limit")
  }

  test("it counts what it had and what it had not") {
    MetadataCache.get(key("a"), classOf[Of])
    MetadataCache.put(key("a"), new Of(1), 100)
    MetadataCache.get(key("a"), classOf[Of])
    val totals = MetadataCache.totals
    assert(totals.hits == 1 && totals.misses == 1 && totals.files == 1)
  }
}
