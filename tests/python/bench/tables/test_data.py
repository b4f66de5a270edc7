# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import LateBloomError
from latebloom_bench.tables._data import Directory, as_orc, size_of


def test_tables_of_a_directory_are_found_or_missed_by_name(cache, orders):
    there = Directory(orders.parent)
    assert there.names() == ["orders"]
    assert there.table("orders", 1, cache) == orders
    with pytest.raises(LateBloomError, match=r"no lineitem\.parquet"):
        there.table("lineitem", 1, cache)


def test_orc_is_written_beside_the_parquet_file_and_once(spark, orders, cache):
    parquet = cache.root / "sf1" / "orders.parquet"
    parquet.parent.mkdir()
    parquet.write_bytes(orders.read_bytes())
    orc = as_orc(spark, parquet, cache)
    assert orc == cache.root / "sf1" / "orders.orc"
    assert spark.read.orc(str(orc)).agg({"id": "sum"}).head()[0] == sum(range(50_000))
    parquet.unlink()
    assert as_orc(spark, parquet, cache) == orc


def test_orc_of_a_table_outside_the_cache_lies_in_the_cache(spark, orders, cache):
    assert as_orc(spark, orders, cache) == cache.root / "orc" / "orders.orc"


def test_the_size_of_a_directory_is_that_of_all_its_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"12345")
    (tmp_path / "c").write_bytes(b"678")
    assert size_of(tmp_path) == 8
    assert size_of(tmp_path / "c") == 3
