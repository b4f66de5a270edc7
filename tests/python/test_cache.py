# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os

import latebloom
import pytest


@pytest.fixture
def table(spark, tmp_path):
    """A table whose files have rested; what is remembered of it is forgotten before and after."""
    path = tmp_path / "t"
    spark.range(0, 60_000, 1, 4).selectExpr(
        "id", "if(id in (100, 20000), 7, id % 5) k", "concat('s', id) s"
    ).write.parquet(str(path))
    for file in path.iterdir():
        os.utime(file, (1_600_000_000, 1_600_000_000))
    latebloom.cache(spark).clear()
    yield str(path)
    latebloom.cache(spark).clear()


def test_a_repeated_query_opens_fewer_files_with_the_same_answer(spark, table):
    def query():
        return spark.read.parquet(table).where("k = 7").select("id", "s").collect()

    first = query()
    learnt = latebloom.cache(spark)
    assert (learnt.conditions, learnt.files, learnt.splits) == (1, 4, 0)
    assert 0 < learnt.bytes < learnt.max_bytes
    assert sorted(query()) == sorted(first)
    used = latebloom.cache(spark)
    assert used.hits == learnt.hits + 1
    assert used.splits == 2
    assert used.rows > 20_000
    assert used.metadata_files == 4
    assert used.metadata_hits > 0


def test_clear_forgets_and_counts_anew(spark, table):
    spark.read.parquet(table).where("k = 7").count()
    latebloom.cache(spark).clear()
    empty = latebloom.cache(spark)
    assert (empty.conditions, empty.files, empty.bytes, empty.lookups) == (0, 0, 0, 0)


def test_profile_shows_what_an_earlier_query_spared(spark, table):
    df = spark.read.parquet(table).where("k = 7").select("s")
    latebloom.profile(df)
    again = latebloom.profile(spark.read.parquet(table).where("k = 7").select("s"))
    assert "left out, as an earlier query found: 2 files or splits" in str(again)
    assert any("earlier query" in step.name for step in again.scans[0].steps)


def test_text_html_and_json(spark, table):
    spark.read.parquet(table).where("k = 7").count()
    found = latebloom.cache(spark)
    assert "scans that looked" in str(found)
    assert "<table>" in found._repr_html_()
    numbers = json.loads(json.dumps(found.to_dict()))["cache"]
    assert numbers["conditions"] == 1
    assert set(numbers) >= {"bytes", "hits", "lookups", "rows", "splits"}


def test_without_the_extension_it_says_how_to_get_it(session_without):
    with pytest.raises(latebloom.ExtensionNotLoadedError, match="configure"):
        latebloom.cache(session_without)
