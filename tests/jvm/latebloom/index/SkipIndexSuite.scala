// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.io.{File, IOException}
import java.net.URI
import java.nio.file.{Files, StandardCopyOption}

import org.apache.hadoop.fs.{FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import latebloom.LineTest
import latebloom.read.io.{MetadataCache, UnchangedFiles}
import latebloom.testkit.SlowFileSystem

/** A scan leaves out the files in which an index shows that no row meets its conditions. */
class SkipIndexSuite extends IndexTest {

  /** 12 files of 500 rows; `k` lies anywhere, `f` says which file it is. */
  private def write(dir: File, format: String, files: Int = 12): Unit =
    spark.range(0, 500L * files, 1, files)
      .selectExpr(
        "id",
        "cast(abs(hash(id)) % 1000000 as int) k",
        "concat('s', abs(hash(id * 3)) % 1000000) s",
        "cast(id div 500 as int) f",
        "if(id div 500 = 7, cast(null as int), 1) n",
        "id * 1.5d d",
        "cast(id * 100 as decimal(30, 2)) big"
      )
      .write.format(format).save(dir.getPath)

  private def read(dir: File, format: String): DataFrame =
    spark.read.format(format).load(dir.getPath)

  private def inEachTable(body: (File, File, String) => Unit): Unit =
    inEach(write(_, _))(body)

  private def keyOf(id: Long, column: String, table: DataFrame): Any =
    off(table.where(s"id = $id").select(column).head().get(0))

  test("a needle among many files opens the one that has it") {
    inEachTable { (dir, folder, format) =>
      def table = read(dir, format)
      val built = build(table, folder, "k", "s", "d", "big")
      assert(built.indexed == 12 && built.known == 0 && built.fresh == 0 && built.bytes > 0)
      indexed(folder) {
        for (column <- Seq("k", "s", "d", "big")) {
          val key = keyOf(4321, column, table) match {
            case text: String => s"'$text'"
            case d: Double    => s"${d}d"
            case other        => other.toString
          }
          val left = leftOut(table.where(s"$column = $key").select("id", "f"))
          assert(left >= 10, s"$column = $key")
          assert(leftOut(table.where(s"$key = $column and f >= 0")) >= 10)
          assert(leftOut(table.where(s"$column in ($key, null)")) >= 10)
          assert(leftOut(table.where(s"$column <=> $key and n > 0").agg("id" -> "max")) >= 10)
          assert(leftOut(table.where(s"$column = $key").selectExpr("count(*)", "min(k)")) >= 10)
        }
        assert(leftOut(table.where("k = 1000001")) == 12)
        withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false") {
          assert(leftOut(table.where("k = 1000001").groupBy("f").count()) == 12)
        }
        assert(leftOut(table.where("f = 3 and k >= 0")) == 0, "f has no index")
        assert(leftOut(table.where("k = 5 or f = 3")) == 0)
        assert(leftOut(table.where("k <> 1000001")) == 0)
      }
    }
  }

  test("few requests find the needle behind a slow store") {
    formats.foreach { format =>
      withTempDir { dir =>
        val files = 100
        write(new File(dir, "table"), format, files)
        rest(new File(dir, "table"))
        withSQLConf(
          "fs.slow.impl" -> classOf[SlowFileSystem].getName,
          "fs.slow.impl.disable.cache" -> "true",
          "fs.slow.latencyMs" -> "1"
        ) {
          val folder = s"slow://$dir/index"
          def table = spark.read.format(format).load(s"slow://$dir/table")
          SkipIndexes.build(table.queryExecution, Seq("k"), folder)
          val key = keyOf(4321, "k", table)
          def query = table.where(s"k = $key").select("id", "s")
          withSQLConf(
            "spark.latebloom.index.path" -> folder,
            "spark.latebloom.cache.enabled" -> "false"
          ) {
            val opened = files - leftOut(query)
            assert(opened <= 2)
            SkipIndex.clear()
            MetadataCache.clear()
            val df = query
            val before = SlowFileSystem.requests()
            df.collect()
            val first = SlowFileSystem.requests() - before
            // The list of the folder and a sidecar; a file's status and the list of all; the files.
            assert(first <= 2 + 1 + 2 + 6 * opened, format)
          }
        }
      }
    }
  }

  test("ranges, nulls, and several conditions") {
    inEachTable { (dir, folder, format) =>
      def table = read(dir, format)
      build(table, folder, "id", "f", "n", "s")
      indexed(folder) {
        assert(leftOut(table.where("id < 500")) == 11)
        assert(leftOut(table.where("id <= 500")) == 10)
        assert(leftOut(table.where("id > 5499")) == 11)
        assert(leftOut(table.where("id >= 5499")) == 10)
        assert(leftOut(table.where("500 > id")) == 11)
        assert(leftOut(table.where("id between 1000 and 1999 and f <> 3")) == 10)
        assert(leftOut(table.where("f = 3 or f = 5 or id = 5000")) == 9)
        assert(leftOut(table.where("n is null")) == 11)
        assert(leftOut(table.where("n <=> null")) == 11)
        assert(leftOut(table.where("n is not null and k >= 0")) == 1)
        assert(leftOut(table.where("n = 2")) == 12)
        assert(leftOut(table.where("s < 'r'")) == 12)
        assert(leftOut(table.where("s > 't' and k > 0")) == 12)
        assert(leftOut(table.where("s >= 's'")) == 0)
        assert(leftOut(table.where("f in (1, 2, null)")) == 10)
        assert(leftOut(table.where("not (f in (1, 2))")) == 0)
        assert(leftOut(table.where("f + 1 = 3")) == 0)
      }
    }
  }

  /** Values of many types, with those that compare in surprising ways, by file. */
  private val values = Seq(
    "bool" -> Seq("true", "false", "null", "true"),
    "small" -> Seq("1y", "-128y", "127y", "null"),
    "short" -> Seq("1s", "-32768s", "32767s", "null"),
    "big" -> Seq("1L", "-9223372036854775807L", "9223372036854775807L", "null"),
    "single" -> Seq("float('NaN')", "float('-0.0')", "float('inf')", "null"),
    "double" -> Seq("double('NaN')", "double('-0.0')", "double('-inf')", "null"),
    "dec" -> Seq("1.50", "-1.50", "99999999.99", "null")
      .map(v => s"cast($v as decimal(10, 2))"),
    "wide" -> Seq(
      "cast('1.5' as decimal(38, 5))",
      "cast('-1.5' as decimal(38, 5))",
      "cast('123456789012345678901234567890.5' as decimal(38, 5))",
      "cast(null as decimal(38, 5))"
    ),
    "text" -> Seq("'a'", "''", "'é'", "null"),
    "bytes" -> Seq("x'00'", "x'FF'", "x''", "null"),
    "day" -> Seq("date'2020-02-29'", "date'1500-01-01'", "date'9999-12-31'", "null"),
    "time" -> Seq(
      "timestamp'2020-02-29 12:34:56.789'",
      "timestamp'1500-01-01 00:00:00'",
      "timestamp'1969-12-31 23:59:59.999999'",
      "null"
    ),
    "ntz" -> Seq(
      "timestamp_ntz'2020-02-29 12:34:56.789'",
      "timestamp_ntz'1500-01-01 00:00:00'",
      "timestamp_ntz'1969-12-31 23:59:59.999999'",
      "null"
    )
  )

  test("all types, by all comparisons") {
    def write(dir: File, format: String): Unit = {
      val one = values.map { case (name, of) => s"${of.head} $name" }
      val like = spark.range(0).selectExpr(one: _*).schema
      (0 to 3).foreach { i =>
        val row = values.map { case (name, of) =>
          s"cast(${of(i)} as ${like(name).dataType.sql}) $name"
        }
        spark.range(0, 3, 1, 1).selectExpr("id" +: row: _*)
          .write.mode("append").format(format).save(dir.getPath)
      }
    }
    inEach(write) { (dir, folder, format) =>
      def table = read(dir, format)
      build(table, folder, values.map(_._1): _*)
      indexed(folder) {
        var left = 0L
        for ((name, of) <- values; value <- of if !value.contains("null"))
          withClue(s"$name $value\n") {
            val found = Seq("=", "<", ">=").map { op =>
              op -> leftOut(table.where(s"$name $op $value").select("id"))
            }.toMap
            left += found.values.sum
            assert(found("=") >= 1)
          }
        assert(leftOut(table.where("double = 0.0d").select("id")) == 3)
        assert(leftOut(table.where("single > float('inf')").select("id")) == 3)
        assert(leftOut(table.where("bool").select("id")) == 2)
        assert(leftOut(table.where("not bool").select("id")) == 3)
        assert(left > 100)
      }
    }
  }

  test("splits of a file with many row groups or stripes") {
    def write(dir: File, format: String): Unit =
      withSQLConf("parquet.block.size" -> "65536", "orc.stripe.size" -> "65536") {
        spark.range(0, 100000, 1, 2).selectExpr("id", "id div 1000 g", "uuid() s")
          .write.option("parquet.block.size", "65536").option("orc.stripe.size", "65536")
          .format(format).save(dir.getPath)
      }
    inEach(write) { (dir, folder, format) =>
      def table = read(dir, format)
      withSQLConf(SQLConf.FILES_MAX_PARTITION_BYTES.key -> "200k") {
        assert(build(table, folder, "id", "s").indexed == 2)
        val listed = SkipIndexes.list(spark, folder.getPath)
        assert(listed.size == 2 && listed.forall(_.columns.map(_.name) == Seq("id", "s")))
        indexed(folder) {
          assert(leftOut(table.where("id = 77777").select("s")) > 4)
          // Ranges that touch cover a split.
          withSQLConf(SQLConf.FILES_MAX_PARTITION_BYTES.key -> "10m") {
            assert(leftOut(table.where("id = 77777").select("s")) == 1)
            assert(leftOut(table.where("id = -7").select("s")) == 2)
          }
          withSQLConf(SQLConf.FILES_MAX_PARTITION_BYTES.key -> "30k") {
            assert(leftOut(table.where("id = 77777").select("s")) > 4)
            assert(leftOut(table.where("id between 49000 and 51000").select("s")) > 4)
          }
        }
      }
    }
  }

  /** Writes a file of the same length with other keys in place of the first one. */
  private def replaceFirst(dir: File): Unit = {
    val Seq(first, _, third) = dataFiles(dir)
    Files.copy(third.toPath, first.toPath, StandardCopyOption.REPLACE_EXISTING)
    new File(dir, s".${first.getName}.crc").delete()
  }

  /** Three files of equal length, with one key each. */
  private def three(dir: File, format: String): Unit =
    spark.range(0, 3000, 1, 3).selectExpr("cast(id div 1000 as int) k", "id % 1000 v", "id w")
      .write.option("compression", "none").option("parquet.enable.dictionary", "false")
      .format(format).save(dir.getPath)

  test("a file that was replaced by one of the same length is read") {
    inEach(three) { (dir, folder, format) =>
      assert(dataFiles(dir).map(_.length).distinct.size == 1 || format == "orc")
      def query = read(dir, format).where("k = 2").select("v")
      build(read(dir, format), folder, "k")
      indexed(folder) {
        assert(leftOut(query) == 2)
        val listedBefore = query
        val twice = query
        assert(twice.collect().length == 1000)
        if (dataFiles(dir).map(_.length).distinct.size == 1) {
          replaceFirst(dir)
          rest(dir)
          assert(listedBefore.collect().length == 2000)
          assert(twice.collect().length == 2000, "a plan that runs again looks again")
        }
        rest(dir)
        assert(leftOut(query) == 0)
        val built = build(read(dir, format), folder, "k")
        assert(built.indexed == 3 && built.known == 0 && built.dropped >= 3)
        assert(leftOut(query) >= 1)
      }
    }
  }

  test("nothing is indexed of a file that was written a moment ago") {
    inEach(three) { (dir, folder, format) =>
      val files = dataFiles(dir)
      assert(files.head.setLastModified(System.currentTimeMillis() + 60000))
      val built = build(read(dir, format), folder, "k")
      assert(built.indexed == 2 && built.fresh == 1)
      indexed(folder)(assert(leftOut(read(dir, format).where("k = 7")) == 2))
      assert(!UnchangedFiles.isSettled(files.head.lastModified))
    }
  }

  test("a build reads what is new, and drops what is gone; list and drop") {
    inEach(three) { (dir, folder, format) =>
      def table = read(dir, format)
      assert(build(table, folder, "k").indexed == 3)
      assert(build(table, folder, "k") match { case b => b.indexed == 0 && b.known == 3 })
      assert(build(table, folder, "v").indexed == 3, "another column")
      spark.range(10).selectExpr("77 k", "id v", "id w")
        .repartition(1).write.mode("append").format(format).save(dir.getPath)
      val added = dataFiles(dir).find(_.lastModified > System.currentTimeMillis() - 3600000).get
      assert(added.setLastModified(System.currentTimeMillis() - 7200000))
      val built = build(table, folder, "k")
      assert(built.indexed == 1 && built.known == 3 && built.dropped == 0)
      indexed(folder)(assert(leftOut(table.where("k = 77")) == 3))
      val gone = dataFiles(dir).filterNot(_ == added).head
      assert(gone.delete())
      val stale = SkipIndexes.list(spark, folder.getPath).filter(_.isStale)
      assert(stale.map(e => new File(e.path).getName) == Seq(gone.getName))
      val after = build(table, folder, "k")
      assert(after.indexed == 0 && after.known == 3 && after.dropped == 1)
      val left = SkipIndexes.list(spark, folder.getPath)
      assert(left.size == 3 && !left.exists(_.isStale))
      assert(left.flatMap(_.columns).map(_.name).toSet == Set("k", "v"))
      assert(left.flatMap(_.columns).forall(c => c.kinds.nonEmpty && c.bytes > 0))
      assert(SkipIndexes.drop(spark, folder.getPath, Some(s"$dir/nothing")) == 0)
      assert(SkipIndexes.drop(spark, folder.getPath, Some(added.getPath)) == 1)
      assert(SkipIndexes.list(spark, folder.getPath).size == 2)
      assert(SkipIndexes.drop(spark, folder.getPath, None) == 2)
      assert(SkipIndexes.list(spark, folder.getPath).isEmpty)
      indexed(folder)(assert(leftOut(table.where("k = 77")) == 0))
      assert(SkipIndexes.list(spark, s"$dir/nowhere").isEmpty)
    }
  }

  test("what cannot be written again is not dropped") {
    inEach(three) { (dir, folder, format) =>
      assert(build(read(dir, format), folder, "k").indexed == 3)
      withSQLConf(
        "fs.full.impl" -> classOf[FullFileSystem].getName,
        "fs.full.impl.disable.cache" -> "true"
      ) {
        val one = dataFiles(dir).head.getPath
        val error = intercept[IOException](SkipIndexes.drop(spark, s"full:$folder", Some(one)))
        assert(error.getMessage == FullFileSystem.Said)
        assert(SkipIndexes.list(spark, folder.getPath).size == 3)
        assert(SkipIndexes.drop(spark, folder.getPath, Some(one)) == 1)
        assert(SkipIndexes.list(spark, folder.getPath).size == 2)
      }
    }
  }

  test("settings by which files are read otherwise") {
    def write(dir: File, format: String): Unit = spark.range(0, 30, 1, 3)
      .selectExpr("cast(id div 10 as int) k", "timestamp_seconds(id * 86400) t")
      .write.format(format).save(dir.getPath)
    inEach(write) { (dir, folder, format) =>
      def query = read(dir, format).where("k = 2")
      build(read(dir, format), folder, "k", "t")
      indexed(folder) {
        assert(leftOut(query) == 2)
        withSQLConf(SQLConf.SESSION_LOCAL_TIMEZONE.key -> "Asia/Tokyo")(assert(leftOut(query) == 0))
        withSQLConf(SQLConf.CASE_SENSITIVE.key -> "true")(assert(leftOut(query) == 0))
        withSQLConf(SQLConf.PARQUET_REBASE_MODE_IN_READ.key -> "LEGACY") {
          assert(leftOut(query) == 0)
        }
        withSQLConf("spark.sql.shuffle.partitions" -> "7")(assert(leftOut(query) == 2))
        // A column of another type is another column.
        if (format == "orc" || LineTest.readsWider) {
          val as = spark.read.schema("k long, t timestamp").format(format).load(dir.getPath)
          assert(leftOut(as.where("k = 2")) == 0)
        }
      }
    }
  }

  test("columns that some files lack, or have in another case") {
    def write(dir: File, format: String): Unit = {
      spark.range(0, 10, 1, 1).selectExpr("id", "id k").write.format(format).save(dir.getPath)
      spark.range(10, 20, 1, 1).selectExpr("id")
        .write.mode("append").format(format).save(dir.getPath)
      spark.range(20, 30, 1, 1).selectExpr("id", "id K")
        .write.mode("append").format(format).save(dir.getPath)
    }
    inEach(write) { (dir, folder, format) =>
      def table = spark.read.schema("id long, k long").format(format).load(dir.getPath)
      build(table, folder, "K")
      indexed(folder) {
        assert(leftOut(table.where("k is null").select("id")) == 2)
        assert(leftOut(table.where("k = 25").select("id")) == 2)
        assert(leftOut(table.where("K = 5").select("id")) == 2)
        assert(leftOut(table.where("k > 100").select("id")) == 3)
      }
    }
  }

  test("a partition column with the name of a column of the files") {
    def write(dir: File, format: String): Unit = {
      spark.range(0, 10, 1, 1).selectExpr("cast(id as int) k", "id v")
        .write.format(format).save(s"$dir/k=100")
      spark.range(10, 20, 1, 1).selectExpr("cast(id as int) k", "id v")
        .write.format(format).save(s"$dir/k=7")
    }
    inEach(write) { (dir, folder, format) =>
      // Of the files of one directory, k is what they have.
      build(spark.read.format(format).load(s"$dir/k=100"), folder, "k", "v")
      build(spark.read.format(format).load(s"$dir/k=7"), folder, "k", "v")
      def table = read(dir, format)
      val refused = intercept[IllegalArgumentException](build(table, folder, "k"))
      assert(refused.getMessage.contains("partition column"))
      indexed(folder) {
        val here = spark.read.format(format).load(s"$dir/k=100")
        assert(leftOut(here.where("k = 15")) == 1)
        assert(leftOut(table.where("k = 100 and v >= 0")) == 0)
        assert(leftOut(table.where("k = 7 and v = 3")) == 1)
        assert(leftOut(table.where("k in (7, 100) and v = 3")) == 1)
      }
    }
  }

  test("the keys of a join") {
    inEachTable { (dir, folder, format) =>
      read(dir, format).createOrReplaceTempView("fact")
      val dim = new File(dir.getParentFile, "dim").getPath
      spark.range(60).selectExpr("id * 37 id", "id % 30 d").write.format(format).save(dim)
      spark.read.format(format).load(dim).createOrReplaceTempView("dim")
      build(read(dir, format), folder, "id")
      indexed(
        folder,
        "spark.latebloom.join.minScanBytes" -> "0",
        "spark.latebloom.join.rescanBytes" -> "1g"
      ) {
        for (broadcast <- Seq("10m", "-1")) {
          withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> broadcast) {
            def query = spark.sql(
              "select f.id, f.s from fact f join dim on f.id = dim.id where dim.d = 7 and f.k >= 0"
            )
            assert(leftOut(query) >= 9, broadcast)
            def outer = spark.sql(
              "select f.id, dim.d from fact f left join dim on f.id = dim.id where f.k >= 0"
            )
            assert(leftOut(outer) == 0)
          }
        }
      }
    }
  }

  test("a condition that may fail keeps its error") {
    inEach(three) { (dir, folder, format) =>
      build(read(dir, format), folder, "k", "v")
      indexed(folder) {
        assert(leftOut(read(dir, format).where("k = 2 and v >= 0")) == 2)
        def query = read(dir, format).where("1 / (w - 5) > 0 and k > 1")
        def outcome(df: => DataFrame) = scala.util.Try(df.collect().toSet).toOption
        assert(outcome(query) == off(outcome(query)))
        withSQLConf(SQLConf.ANSI_ENABLED.key -> "false")(assert(leftOut(query) == 2))
        val df = query
        scala.util.Try(df.collect())
        assert(lateScans(df).size == 1)
        assert(lateScans(df).forall(_.metrics("splitsIndexed").value == 0))
      }
    }
  }

  test("sidecars that are damaged, cut off or foreign are ignored") {
    inEach(three) { (dir, folder, format) =>
      build(read(dir, format), folder, "k", "v")
      def query = read(dir, format).where("k = 2 and v < 10")
      val file = folder.listFiles.find(_.getName.endsWith(".skipindex")).get
      val whole = Files.readAllBytes(file.toPath)
      def with_(bytes: Array[Byte]): Long = {
        Files.write(file.toPath, bytes)
        new File(folder, s".${file.getName}.crc").delete()
        SkipIndex.clear()
        indexed(folder)(leftOut(query))
      }
      assert(with_(whole) == 2)
      val random = new scala.util.Random(4)
      for (_ <- 1 to 25) {
        val damaged = whole.clone()
        val at = random.nextInt(whole.length)
        damaged(at) = (damaged(at) ^ (1 << random.nextInt(8))).toByte
        assert(with_(damaged) == 0, s"byte $at")
      }
      for (length <- Seq(0, 3, 15, 16, 40, whole.length / 2, whole.length - 1)) {
        assert(with_(whole.take(length)) == 0, s"$length bytes")
      }
      assert(with_(whole ++ whole) == 0)
      assert(with_("something else".getBytes ++ new Array[Byte](1000)) == 0)
      assert(build(read(dir, format), folder, "k", "v").indexed == 3, "built anew")
      SkipIndex.clear()
      indexed(folder)(assert(leftOut(query) == 2))
      assert(SkipIndexes.drop(spark, folder.getPath, None) == 3)
      assert(!folder.listFiles.exists(_.getName.endsWith(".skipindex")))
    }
  }

  test("confs: off, another folder, and a limit that nothing fits in") {
    inEach(three) { (dir, folder, format) =>
      def query = read(dir, format).where("k = 2")
      build(read(dir, format), folder, "k")
      indexed(folder, "spark.latebloom.index.enabled" -> "false")(assert(leftOut(query) == 0))
      indexed(folder, "spark.latebloom.index.maxBytes" -> "100") {
        assert(leftOut(query) == 0 && IndexFolders.bytes <= 100)
      }
      indexed(new File(dir, "_nowhere"))(assert(leftOut(query) == 0))
      val two = s"$dir/_nowhere, ${folder.getPath}"
      withSQLConf("spark.latebloom.index.path" -> two)(assert(leftOut(query) == 2))
      indexed(folder)(assert(leftOut(query) == 2 && IndexFolders.cached.size == 1))
    }
  }

  test("with the predicate cache both leave out splits") {
    inEach(three) { (dir, folder, format) =>
      build(read(dir, format), folder, "k")
      withSQLConf("spark.latebloom.index.path" -> folder.getPath) {
        def query = read(dir, format).where("k = 2 and v > 5000")
        assert(leftOut(query) == 2)
        assert(leftOut(query) == 2)
        assert(lateScans(query).nonEmpty)
      }
    }
  }

  test("EXPLAIN says after the run what the index left out") {
    inEach(three) { (dir, folder, format) =>
      build(read(dir, format), folder, "k")
      indexed(folder) {
        val df = read(dir, format).where("k = 2")
        df.collect()
        val told = reports(df).flatMap(_.filters.outcomes)
        assert(told == Seq("left out by a skip index: 2 files or splits"))
      }
    }
  }

  test("what has no index is refused with the reason") {
    inEach(three) { (dir, folder, format) =>
      def refused(df: => DataFrame, columns: String*) =
        intercept[IllegalArgumentException](build(df, folder, columns: _*)).getMessage
      assert(refused(read(dir, format), "nothing").contains("no column nothing: it has k, v, w"))
      assert(refused(read(dir, format)).contains("at least one column"))
      assert(refused(read(dir, format).where("k = 1"), "k").contains("not of a query"))
      assert(refused(spark.range(3).toDF("k"), "k").contains("not of a query"))
      val of = new File(dir.getParentFile, "nested")
      spark.range(3).selectExpr("struct(id) s").write.format(format).save(of.getPath)
      assert(refused(read(of, format), "s").contains("is of type STRUCT"))
      assert(refused(read(of, format), "s.id").contains("fields of structs"))
      withSQLConf(SQLConf.IGNORE_CORRUPT_FILES.key -> "true") {
        assert(refused(read(dir, format), "k").contains("ignoreCorruptFiles"))
      }
      val csv = new File(dir.getParentFile, "csv")
      spark.range(3).write.csv(csv.getPath)
      assert(refused(spark.read.csv(csv.getPath), "_c0").contains("plain Parquet or ORC"))
    }
  }

  test("tables of the catalogue, with columns of CHAR and VARCHAR") {
    for (format <- formats) withTable("chars") {
      withTempDir { folder =>
        spark.sql(s"create table chars (c char(5), v varchar(5), k int) using $format")
        spark.sql("insert into chars values ('a', 'a', 1)")
        spark.sql("insert into chars values ('b', 'b', 2)")
        val location = spark.sql("describe detail chars".replace("detail", "formatted"))
          .where("col_name = 'Location'").select("data_type").head().getString(0)
        rest(new File(new java.net.URI(location)))
        spark.catalog.refreshTable("chars")
        val refused = intercept[IllegalArgumentException](build(spark.table("chars"), folder, "c"))
        assert(refused.getMessage.contains("CHAR"))
        build(spark.table("chars"), folder, "v", "k")
        indexed(folder) {
          assert(leftOut(spark.table("chars").where("v = 'a'")) == 1)
          assert(leftOut(spark.table("chars").where("k = 2")) == 1)
          // What pads a CHAR is an expression that may fail.
          assert(leftOut(spark.table("chars").where("k = 2 and c = 'b'")) == 0)
          assert(leftOut(spark.table("chars").where("c = 'b    '")) == 0)
        }
      }
    }
  }

  test("an index of a table's DataFrame that was read by DataSource V2") {
    inEach(three) { (dir, folder, format) =>
      withSQLConf(SQLConf.USE_V1_SOURCE_LIST.key -> "") {
        build(read(dir, format), folder, "k")
        indexed(folder)(assert(leftOut(read(dir, format).where("k = 2")) == 2))
      }
    }
  }

  test("a build that fails to read a file writes nothing") {
    inEach(three) { (dir, folder, format) =>
      Files.write(dataFiles(dir).head.toPath, "no file of this format".getBytes)
      rest(dir)
      intercept[Exception](build(read(dir, format), folder, "k"))
      assert(SkipIndexes.list(spark, folder.getPath).isEmpty)
    }
  }
}

/** The local disk, of which no byte is left. */
final class FullFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("full:///")

  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = throw new IOException(FullFileSystem.Said)
}

object FullFileSystem {
  val Said = "no space left"
}
