# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os

import latebloom
import pytest
from latebloom import index


@pytest.fixture
def table(spark, tmp_path):
    """A table of eight files that have rested, with keys that lie anywhere."""
    path = tmp_path / "t"
    spark.range(0, 8_000, 1, 8).selectExpr(
        "id", "abs(hash(id)) % 1000000 k", "concat('s', id) s"
    ).write.parquet(str(path))
    for file in path.iterdir():
        os.utime(file, (1_600_000_000, 1_600_000_000))
    latebloom.cache(spark).clear()
    return str(path)


@pytest.fixture
def use(spark):
    """Sets the folders in which scans look for indexes, until the test ends."""
    key = "spark.latebloom.index.path"
    yield lambda folder: spark.conf.set(key, str(folder))
    spark.conf.unset(key)


def test_a_query_opens_the_files_that_may_have_its_key(spark, table, tmp_path, use):
    built = index.build(spark, spark.read.parquet(table), columns=["id", "s"], into=tmp_path / "i")
    assert (built.indexed, built.known, built.fresh, built.dropped) == (8, 0, 0, 0)
    assert built.bytes > 0
    assert "8 files indexed" in str(built)
    use(tmp_path / "i")
    df = spark.read.parquet(table).where("s = 's4321'").select("id")
    assert [row.id for row in df.collect()] == [4321]
    told = latebloom.profile(spark.read.parquet(table).where("s = 's4321'").select("id"))
    assert "left out by a skip index: 7 files or splits" in str(told)
    with latebloom.disabled(spark):
        assert [row.id for row in df.collect()] == [4321]
    again = index.build(spark, spark.read.parquet(table), columns=["id"], into=tmp_path / "i")
    assert (again.indexed, again.known) == (0, 8)


def test_a_table_by_name(spark, table, tmp_path, use):
    spark.read.parquet(table).createOrReplaceTempView("indexed_view")
    assert index.build(spark, "indexed_view", columns=["k"], into=str(tmp_path / "i")).indexed == 8
    use(tmp_path / "i")
    told = latebloom.profile(spark.sql("select * from indexed_view where k = -1"))
    assert "left out by a skip index: 8 files or splits" in str(told)


def test_list_and_drop(spark, table, tmp_path):
    folder = tmp_path / "i"
    assert len(index.list(spark, folder)) == 0
    index.build(spark, spark.read.parquet(table), columns=["id", "s"], into=folder)
    files = sorted(f for f in os.listdir(table) if f.startswith("part-"))
    os.utime(os.path.join(table, files[2]), (1_600_000_010, 1_600_000_010))
    found = index.list(spark, folder)
    assert [os.path.basename(f.path) for f in found] == files
    assert [f.stale for f in found] == [i == 2 for i in range(8)]
    assert [c.name for c in found[0].columns] == ["id", "s"]
    assert found[0].columns[0].kinds == ("bitmap",)
    assert found[0].columns[1].kinds == ("bloom",)
    assert 0 < found[0].bytes < 10_000
    assert "id (bitmap), s (bloom)" in str(found)
    assert "<table>" in found._repr_html_()
    told = json.loads(json.dumps(found.to_dict()))["files"]
    assert told[2]["stale"] and told[0]["columns"][1]["kinds"] == ["bloom"]
    assert index.drop(spark, folder, of=os.path.join(table, files[0])) == 1
    assert len(index.list(spark, folder)) == 7
    assert index.drop(spark, folder) == 7
    assert len(index.list(spark, folder)) == 0


def test_what_can_have_no_index_is_refused_with_the_reason(spark, table, tmp_path):
    from pyspark.errors import IllegalArgumentException

    files = spark.read.parquet(table)
    with pytest.raises(IllegalArgumentException, match="no column x: it has id, k, s"):
        index.build(spark, files, columns=["x"], into=tmp_path)
    with pytest.raises(IllegalArgumentException, match="not of a query"):
        index.build(spark, files.where("k > 1"), columns=["k"], into=tmp_path)
    with pytest.raises(TypeError, match=r"\['k'\]"):
        index.build(spark, files, columns="k", into=tmp_path)


def test_without_the_extension_it_says_how_to_get_it(session_without, tmp_path):
    for call in (
        lambda: index.build(session_without, "t", columns=["k"], into=tmp_path),
        lambda: index.list(session_without, tmp_path),
        lambda: index.drop(session_without, tmp_path),
    ):
        with pytest.raises(latebloom.ExtensionNotLoadedError, match="configure"):
            call()
