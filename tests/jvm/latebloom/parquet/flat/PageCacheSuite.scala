// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.flat

import org.apache.parquet.format.Encoding
import org.scalatest.funsuite.AnyFunSuite

import latebloom.parquet.encoding.Bytes
import latebloom.read.task.{Counters, ScanMemory}

class PageCacheSuite extends AnyFunSuite {
  private def page(index: Int, bytes: Int, lasts: Boolean) =
    new FlatPage(index, 1, Encoding.PLAIN, new Bytes(new Array(bytes), 0, bytes), 1, null, lasts)

  private def cache(limit: Long) =
    new PageCache(new PageCache.Budget(limit, new ScanMemory(new Counters)), 3)

  test("a page in a shared buffer is not kept, however much room there is") {
    val pages = cache(1 << 20)
    val lasting = page(0, 10, lasts = true)
    pages.keep(0, lasting)
    pages.keep(1, page(1, 10, lasts = false))
    assert(pages.keepsPages)
    assert(pages.get(0) eq lasting)
    assert(pages.get(1) == null)
  }

  test("a page that is taken makes room for others") {
    val pages = cache(100)
    pages.keep(0, page(0, 100, lasts = true))
    pages.keep(1, page(1, 10, lasts = true))
    assert(!pages.keepsPages && pages.get(1) == null)
    assert(pages.take(0) != null && pages.get(0) == null)
    pages.keep(1, page(1, 10, lasts = true))
    assert(pages.get(1) != null)
  }
}
