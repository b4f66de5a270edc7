# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
import time

import pytest
from latebloom import LateBloomError
from latebloom_bench import _sides

SHUFFLE, UNKNOWN = "spark.sql.shuffle.partitions", "spark.sql.nobody.knows"


def test_confs_hold_within_the_block_and_are_put_back_after_an_error(spark, set_confs):
    before = set_confs(spark)
    with (
        pytest.raises(ZeroDivisionError),
        _sides.confs_set(spark, {SHUFFLE: "7", UNKNOWN: "x"}),
    ):
        assert (spark.conf.get(SHUFFLE), spark.conf.get(UNKNOWN)) == ("7", "x")
        raise ZeroDivisionError
    assert set_confs(spark) == before


def test_off_and_on_differ_in_the_switch_and_peers_run_without_latebloom():
    assert {**_sides.OFF.confs, **_sides.ON.confs} == _sides.ON.confs
    assert _sides.OFF.confs != _sides.ON.confs
    for peer in _sides.SPARK_PEERS:
        assert peer.confs.items() > _sides.OFF.confs.items()
    assert set(_sides.PEERS) == {"spark-rf", "orc-sarg", "duckdb"}


def test_spark_has_each_setting_of_its_peers(spark):
    from latebloom._jvm import setting

    for peer in _sides.SPARK_PEERS:
        for key in peer.confs:
            assert key.startswith("orc.") or setting(key) is not None, key


def test_a_meter_counts_what_the_block_took(tmp_path):
    pytest.importorskip("psutil")
    file = tmp_path / "x"
    file.write_bytes(bytes(3_000_000))
    meter = _sides.Meter(os.getpid())
    with meter.measured() as taken:
        end = time.process_time() + 0.2
        file.read_bytes()
        while time.process_time() < end:
            pass
    (cost,) = taken
    assert cost.seconds > 0.1 and 0.1 < cost.cpu < cost.seconds + 5
    assert cost.read is None or cost.read >= 3_000_000
    assert cost.requests == 0


def test_what_a_store_counted_goes_before_what_the_process_read():
    pytest.importorskip("psutil")
    counted = iter([(2, 100), (5, 1100), (5, 1100), (5, 1100)])
    meter = _sides.Meter(os.getpid(), lambda: next(counted))
    with meter.measured() as taken:
        pass
    assert (taken[0].requests, taken[0].read) == (3, 1000)
    with meter.measured() as taken:
        pass
    assert taken[0].requests == 0 and taken[0].read != 0


def test_duckdb_reads_a_file_and_a_directory_of_them(orders, tmp_path):
    pytest.importorskip("duckdb")
    folder = tmp_path / "it's a folder" / "more"
    folder.mkdir(parents=True)
    for part in ("a", "b"):
        (folder / f"{part}.parquet").write_bytes(orders.read_bytes())
    duck = _sides.Duck(1)
    duck.view("one", orders)
    duck.view("two", folder.parent)
    assert duck.rows("select count(*), max(id) from one") == [(50_000, 49_999)]
    assert duck.rows("select count(*), max(id) from two") == [(100_000, 49_999)]
    assert duck.run("select * from two").seconds > 0
    # Some statements have no answer to let go of.
    assert duck.run("set threads = 1").seconds >= 0


def test_without_duckdb_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(LateBloomError, match=r"pip install 'latebloom\[bench\]'"):
        _sides.Duck(1)
