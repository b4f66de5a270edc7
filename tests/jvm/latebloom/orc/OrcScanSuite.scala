// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector._
import org.apache.orc.{CompressionKind, OrcConf, OrcFile, TypeDescription}

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest
import latebloom.read.RandomCases
import latebloom.read.io.KnownStore
import latebloom.read.task.Counter

/** Compares whole files off and on. Off reads without pushed filters, some of which ORC evaluates
  * wrongly.
  */
class OrcScanSuite extends LateBloomTest with RandomCases {

  private def truth(query: => DataFrame): Seq[Row] =
    off(under(SQLConf.ORC_FILTER_PUSHDOWN_ENABLED.key -> "false")(query.collect().toSeq))

  private def check(query: => DataFrame): DataFrame = {
    val expected = truth(query)
    val df = query
    checkAnswer(df, expected)
    assert(lateScans(df).nonEmpty, df.queryExecution.executedPlan)
    df
  }

  private def counted(df: DataFrame, counter: Counter): Long =
    lateScans(df).map(_.metrics(counter.key).value).sum

  // ---- files by orc-core, every choice at random

  private val schema = TypeDescription.fromString(
    "struct<id:bigint,i:int,l:bigint,y:tinyint,h:smallint,f:float,d:double,s:string,c:char(5)," +
      "v:varchar(6),b:boolean,n:decimal(12,2),w:decimal(25,3),dt:date,ts:timestamp,bin:binary," +
      "st:struct<a:int,b:string>,arr:array<int>,m:map<string,int>>"
  )

  private def write(random: Random, file: File): Unit = {
    val conf = new Configuration()
    OrcConf.DICTIONARY_KEY_SIZE_THRESHOLD.setDouble(conf, random.oneOf(0.0, 0.8, 1.0))
    OrcConf.STRIPE_ROW_COUNT.setLong(conf, random.oneOf(1500L, 4000L, 100000L))
    val options = OrcFile
      .writerOptions(conf)
      .setSchema(schema)
      .compress(random.oneOf(CompressionKind.values.filter(_.name != "BROTLI").toSeq: _*))
      .bufferSize(random.oneOf(1024, 65536))
      .enforceBufferSize()
      .version(random.oneOf(OrcFile.Version.V_0_11, OrcFile.Version.V_0_12))
      .rowIndexStride(random.oneOf(1000, 1000, 2500, 0))
      .setProlepticGregorian(random.nextBoolean())
      .bloomFilterColumns(random.oneOf("", "i,l,s,v,c,d,dt,ts,n"))
    val rows = random.oneOf(1, 900, 6000)
    val distinct = random.oneOf(1, 5, 300, 1000000)
    val nulls = random.oneOf(0.0, 0.05, 0.9)
    val clustered = random.nextBoolean()
    val emptyFrom = if (random.nextBoolean()) 1000 + random.nextInt(2000) else Int.MaxValue
    val writer = OrcFile.createWriter(new Path(file.toURI), options)
    val batch = schema.createRowBatch(1024)
    def flush(): Unit = {
      writer.addRowBatch(batch)
      batch.reset()
    }
    (0 until rows).foreach { id =>
      val k = if (clustered) id.toLong * distinct / rows else random.nextInt(distinct).toLong
      val r = batch.size
      batch.size += 1
      batch.cols.zipWithIndex.foreach { case (c, i) =>
        // Whole strides of nulls have streams in which nothing is to be sought.
        val isNull =
          i > 0 && (random.nextDouble() < nulls || id >= emptyFrom && id < emptyFrom + 2500)
        set(random, c, r, schema.getChildren.get(i), if (i == 0) id.toLong else k, isNull)
      }
      if (batch.size == batch.getMaxSize) flush()
    }
    flush()
    writer.close()
  }

  private def set(
      random: Random,
      vector: ColumnVector,
      r: Int,
      t: TypeDescription,
      k: Long,
      isNull: Boolean
  ): Unit =
    if (isNull) {
      vector.noNulls = false
      vector.isNull(r) = true
    } else {
      vector match {
        case v: LongColumnVector =>
          v.vector(r) = t.getCategory match {
            case TypeDescription.Category.BOOLEAN => k & 1
            case TypeDescription.Category.BYTE    => k.toByte.toLong
            case TypeDescription.Category.SHORT   => (k * 7).toShort.toLong
            case TypeDescription.Category.DATE    => k % 400000 * 10 - 500000
            case TypeDescription.Category.INT     => (k - 2) * 3
            case _                                => if (t.getId == 1) k else k * 1000003 - 7
          }
        case v: DoubleColumnVector =>
          v.vector(r) = k % 10 match {
            case 3 => Double.NaN
            case 4 => -0.0
            case 5 => 0.0
            case _ => k / 8.0
          }
        case v: BytesColumnVector =>
          v.setVal(
            r,
            s"${if (k % 3 == 0) "é" else "a"}$k".getBytes("UTF-8").take(t.getCategory match {
              case TypeDescription.Category.CHAR | TypeDescription.Category.VARCHAR => 4
              case _                                                                => 99
            })
          )
        case v: DecimalColumnVector =>
          v.set(
            r,
            org.apache.hadoop.hive.common.`type`.HiveDecimal.create(
              java.math.BigDecimal.valueOf(k * 12345 - 99999, t.getScale)
            )
          )
        case v: TimestampColumnVector =>
          v.time(r) = k % 4000 * 3600000L * 24 * 30 - 1300000000000L * 10
          v.nanos(r) = (k % 1000 * 1000).toInt
        case v: StructColumnVector =>
          v.fields.indices.foreach { f =>
            set(random, v.fields(f), r, t.getChildren.get(f), k + f, random.nextInt(5) == 0)
          }
        case v: ListColumnVector =>
          v.offsets(r) = v.childCount
          v.lengths(r) = random.nextInt(3)
          v.childCount += v.lengths(r).toInt
          v.child.ensureSize(v.childCount, true)
          (v.offsets(r).toInt until v.childCount).foreach { e =>
            set(random, v.child, e, t.getChildren.get(0), k, random.nextInt(4) == 0)
          }
        case v: MapColumnVector =>
          v.offsets(r) = v.childCount
          v.lengths(r) = random.nextInt(2)
          v.childCount += v.lengths(r).toInt
          v.keys.ensureSize(v.childCount, true)
          v.values.ensureSize(v.childCount, true)
          (v.offsets(r).toInt until v.childCount).foreach { e =>
            set(random, v.keys, e, t.getChildren.get(0), k, isNull = false)
            set(random, v.values, e, t.getChildren.get(1), k, random.nextBoolean())
          }
      }
    }

  private val conditions = Seq(
    "i = 6",
    "i between 3 and 100",
    "i in (3, 9, 300, null)",
    "i not in (3, 9)",
    "not (i <=> 6)",
    "l > 500000000",
    "y < 3",
    "h >= 14",
    "f = 0.0",
    "f > 20",
    "d = double('NaN')",
    "d in (0.0, 1.5, double('NaN'))",
    "d < 0.5",
    "d >= -0.0",
    "s = 'a2'",
    "s >= 'a4'",
    "s like '%1%'",
    "s < 'é'",
    "c = 'a1'",
    "c = 'a1   '",
    "c > 'a2'",
    "v = 'a2'",
    "b",
    "not b",
    "n = -876.54",
    "n > 100.5",
    "w < 0",
    "w in (-99.999, -87.654)",
    "dt < date'1500-01-01'",
    "dt = date'0601-01-10'",
    "dt between date'1570-01-01' and date'1600-01-01'",
    "dt > date'2001-05-05'",
    "ts < timestamp'1582-01-01 00:00:00'",
    "ts between timestamp'1600-01-01 00:00:00' and timestamp'1800-01-01 00:00:00'",
    "bin = cast('a4' as binary)",
    "st.a = 9",
    "st.b is null",
    "st.a is not null and st.b > 'a2'",
    "st is null",
    "size(arr) > 1",
    "get(arr, 0) = 6",
    "m is not null and size(m) = 1",
    "i is null",
    "s is not null and i is null",
    "id between 1900 and 2100",
    "id = 5999 or id = 3",
    "id < 10 and s like 'a%'",
    "i + id > 4000",
    "i = 6 or s = 'a7'"
  )

  test("random files, random conditions, random columns") {
    forSeeds(10) { random =>
      withTempPath { dir =>
        dir.mkdirs()
        write(random, new File(dir, "part-0.orc"))
        val all = spark.read.orc(dir.getPath)
        (1 to 6).foreach { _ =>
          val where = (1 to 1 + random.nextInt(2)).map(_ => random.oneOf(conditions: _*))
          val payload =
            random.oneOf("*", "id, st, n, dt", "s, arr", "id, c, v, w, ts", "m, b, y, bin")
          withClue(s"$payload where ${where.mkString(" and ")}\n") {
            check(all.where(where.mkString(
              "(",
              ") and (",
              ")"
            )).selectExpr(payload.split(", ").toSeq: _*))
          }
        }
      }
    }
  }

  // ---- what is not read

  private def writeSorted(dir: File, options: (String, String)*): Unit =
    spark.range(0, 60000, 1, 1)
      .selectExpr(
        "id",
        "concat('w', pmod(hash(id), 50) * 2) word",
        "sha2(cast(id as string), 512) text",
        "if(id < 30000, null, id) late",
        "named_struct('a', id, 'b', cast(hash(id) as string)) st"
      )
      .write.options(options.toMap).orc(dir.getPath)

  /** A test of the bytes fetched from a store that answers at once. */
  private def testFetching(name: String)(body: File => Unit): Unit =
    test(name)(withTempPath(dir => KnownStore.roundTrip(dir, 0)(body(dir))))

  testFetching("of a stripe only those strides are fetched that have rows that pass") { dir =>
    writeSorted(dir, "orc.row.index.stride" -> "1000", "orc.compress.size" -> "4096")
    val file = dir.listFiles.filter(_.getName.endsWith(".orc")).map(_.length).sum
    withSQLConf("spark.latebloom.io.mergeGapBytes" -> "0") {
      // Neither by statistics nor by the first of the columns alone.
      val df = check(spark.read.orc(dir.getPath).where("id % 20000 = 77 and id >= 5"))
      assert(counted(df, Counter.PAGES_SKIPPED) > counted(df, Counter.PAGES_READ))
      assert(counted(df, Counter.BYTES_FETCHED) < file / 4)
      assert(counted(df, Counter.BYTES_AVOIDED) > file / 2)
      val pruned = check(spark.read.orc(dir.getPath).where("id = 44077"))
      assert(counted(pruned, Counter.BYTES_FETCHED) < file / 20)
      assert(counted(pruned, Counter.ROWS_PRUNED) == 59000)
      val nulls = check(spark.read.orc(dir.getPath).where("late = 31000"))
      assert(nulls.collect().length == 1)
    }
  }

  testFetching("a dictionary is tested before data is fetched") { dir =>
    writeSorted(dir)
    val df = check(spark.read.orc(dir.getPath).where("word = 'w33'"))
    assert(counted(df, Counter.ROW_GROUPS_SKIPPED) == 1)
    assert(counted(df, Counter.BYTES_FETCHED) < 10000)
  }

  test("stripes are pruned by the statistics of their strides") {
    withTempPath { dir =>
      writeSorted(dir, "orc.stripe.row.count" -> "10000")
      val df = check(spark.read.orc(dir.getPath).where("id = 44077"))
      assert(counted(df, Counter.ROWS_PRUNED) == 50000)
      assert(counted(df, Counter.ROW_GROUPS_SKIPPED) == 5)
    }
  }

  test("Bloom filters prune strides") {
    withTempPath { dir =>
      writeSorted(dir, "orc.bloom.filter.columns" -> "text", "orc.row.index.stride" -> "1000")
      val text = truth(spark.read.orc(dir.getPath).where("id = 4321").select("text"))
      val wanted = text.head.getString(0)
      val df = check(spark.read.orc(dir.getPath).where(s"text = '$wanted'"))
      assert(counted(df, Counter.ROWS_PRUNED) > 40000)
    }
  }

  // ---- schemas

  test("columns of another type, missing columns, other letters and order") {
    withTempPath { dir =>
      writeSorted(dir)
      Seq(
        "late long, id int, none string, WORD string",
        "id string, word string, st struct<b: string, c: int>",
        "id decimal(20, 3), text string",
        "st struct<a: int>, id double"
      ).foreach { schema =>
        val fields = spark.read.schema(schema).orc(dir.getPath)
        Seq("id > 59000", "id = 30007", "id is null").foreach { where =>
          withClue(s"$schema where $where\n")(check(fields.where(where)))
        }
      }
      val added =
        spark.read.schema("id long, none string, st struct<a: long, z: int>").orc(dir.getPath)
      check(added.where("none is null and id < 3"))
      assert(check(added.where("none = 'x'")).collect().isEmpty)
      check(added.where("st.z is null and st.a > 59990"))
      assert(check(added.where("st.z = 1")).collect().isEmpty)
    }
  }

  test("files whose columns have no names, or are resolved by position") {
    withTempPath { dir =>
      spark.range(0, 5000, 1, 1)
        .selectExpr("id _col0", "concat('x', id) _col1", "named_struct('p', id, 'q', 2 * id) _col2")
        .write.orc(dir.getPath)
      val named =
        spark.read.schema("a long, b string, c struct<p: long, q: long>, d int").orc(dir.getPath)
      check(named.where("a = 77"))
      check(named.where("b = 'x78'").select("a"))
      check(named.where("c.q = 98").select("a", "d"))
      check(named.where("d is null and a < 4"))
    }
    withTempPath { dir =>
      spark.range(0, 5000, 1, 1).selectExpr("id b", "id * 2 a").write.orc(dir.getPath)
      withSQLConf("orc.force.positional.evolution" -> "true") {
        val swapped = spark.read.option("orc.force.positional.evolution", "true")
          .schema("a long, b long").orc(dir.getPath)
        assert(check(swapped.where("a = 4999")).collect().toSeq == Seq(Row(4999L, 9998L)))
      }
    }
  }

  test("rows where Spark accepts no batches") {
    withTempPath { dir =>
      writeSorted(dir)
      withSQLConf(SQLConf.WHOLESTAGE_CODEGEN_ENABLED.key -> "false") {
        check(spark.read.orc(dir.getPath).where("id > 59990").groupBy("word").count())
        check(spark.read.orc(dir.getPath).where("id > 59990").orderBy("text"))
      }
    }
  }

  test("files of transactional tables are left to Spark's reader") {
    withTempPath { dir =>
      dir.mkdirs()
      val acid = TypeDescription.fromString(
        "struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint," +
          "currentTransaction:bigint,row:struct<x:int>>"
      )
      val options = OrcFile.writerOptions(new Configuration()).setSchema(acid)
      val writer = OrcFile.createWriter(new Path(new File(dir, "a.orc").toURI), options)
      val batch = acid.createRowBatch(10)
      (0 until 10).foreach { r =>
        (0 until 5).foreach(c => batch.cols(c).asInstanceOf[LongColumnVector].vector(r) = r.toLong)
        val row = batch.cols(5).asInstanceOf[StructColumnVector]
        row.fields(0).asInstanceOf[LongColumnVector].vector(r) = r.toLong
      }
      batch.size = 10
      writer.addRowBatch(batch)
      writer.close()
      val df = check(spark.read.orc(dir.getPath).where("rowId > 6"))
      assert(counted(df, Counter.FILES_ACID) == 1)
    }
  }

  // ---- tables

  test("char and varchar, columns added with a default, partitions") {
    withTable("people") {
      spark.sql(
        "create table people (id int, c char(5), v varchar(4), p int) using orc partitioned by (p)"
      )
      spark.sql(
        "insert into people select id, concat('c', id % 3), concat('v', id % 1000), id % 2 from range(3000)"
      )
      spark.sql("alter table people add columns (e int default 7)")
      spark.sql(
        "alter table people add columns (st struct<x: int, y: string> default named_struct('x', 1, 'y', 'q'))"
      )
      spark.sql("insert into people (id, c, v, e, p) values (5000, 'c1', 'v', 8, 1)")
      Seq(
        "c = 'c1'",
        "c = 'c1   '",
        "v = 'v77' or v = 'v'",
        "e = 7 and id < 5",
        "e = 8",
        "e is null",
        "st.x = 1 and id > 2990",
        "st.y is null",
        "p = 1 and id > 2990"
      ).foreach(where => withClue(where)(check(spark.sql(s"select * from people where $where"))))
      check(spark.sql("select id from people where st.y = 'q' and id = 8"))
    }
  }

  test("the keys of a join filter the scan of the other side") {
    withTable("fact", "dim") {
      spark.range(0, 50000, 1, 1).selectExpr("id", "pmod(hash(id), 1000) k", "repeat('x', 20) pad")
        .write.format("orc").saveAsTable("fact")
      spark.range(200).selectExpr("id * 3 k", "id % 40 few").write.format("orc").saveAsTable("dim")
      withSQLConf("spark.latebloom.join.minScanBytes" -> "0") {
        val df = check(
          spark.sql("select f.id, f.pad from fact f join dim d on f.k = d.k where d.few = 3")
        )
        assert(lateScans(df).exists(_.joinFilters.nonEmpty))
        assert(counted(df, Counter.JOIN_ROWS_DROPPED) > 40000)
      }
    }
  }
}
