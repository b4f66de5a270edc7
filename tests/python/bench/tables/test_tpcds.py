# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from latebloom import LateBloomError
from latebloom_bench.tables import _dsdgen, _tpcds

TEXTS = [[1, "select * from store_sales, store;\n"], [14, " select 1 from item join web_site "]]


@pytest.fixture
def commands(monkeypatch):
    """Answers in place of pip and of the generator, and remembers what was asked of them."""
    asked = []

    def run(command, *, env, **_):
        asked.append(command)
        if "pip" in command:
            Path(command[command.index("--target") + 1]).mkdir()
        else:
            assert Path(env["PYTHONPATH"]).is_dir()
            what, target = command[2:4]
            if what == "queries":
                Path(target).write_text(json.dumps(TEXTS), encoding="utf-8")
            else:
                Path(target).mkdir()
                (Path(target) / "item.parquet").touch()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(_tpcds.subprocess, "run", run)
    return asked


def test_one_run_of_the_generator_makes_all_tables(commands, cache):
    data = _tpcds.Tpcds()
    item = data.table("item", 0.01, cache)
    assert item.is_file()
    assert data.table("store", 0.01, cache) == item.with_name("store.parquet")
    installed, generated = commands
    assert installed[:3] == [sys.executable, "-m", "pip"]
    assert generated[:3] == [sys.executable, _dsdgen.__file__, "tables"]
    assert generated[4] == "0.01"


def test_another_scale_is_made_anew_by_the_tool_that_is_there(commands, cache):
    data = _tpcds.Tpcds()
    assert data.table("item", 1, cache) != data.table("item", 10, cache)
    assert ["pip" in command for command in commands] == [True, False, False]


def test_there_are_the_specifications_24_tables():
    assert len(set(_tpcds.Tpcds().names())) == 24


def test_a_query_has_its_number_its_text_and_the_tables_that_it_reads(commands, cache):
    one, other = _tpcds.queries(cache)
    assert (one.name, one.sql) == ("q01", "select * from store_sales, store")
    assert set(one.tables) == {"store_sales", "store"}
    assert (other.name, other.sql) == ("q14", "select 1 from item join web_site")
    assert set(other.tables) == {"item", "web_site"}
    assert _tpcds.queries(cache) == [one, other]
    assert len(commands) == 2


def test_an_alias_in_quotes_becomes_a_name_that_every_spark_reads(commands, cache, monkeypatch):
    monkeypatch.setitem(globals(), "TEXTS", [[50, 'select 1 AS "31-60 days", 2 ">120 days"']])
    (query,) = _tpcds.queries(cache)
    assert query.sql == "select 1 AS c_31_60_days, 2 c__120_days"


def test_what_a_tool_says_of_its_failure_is_told_and_nothing_is_kept(monkeypatch, cache):
    def failing(command, **_):
        return subprocess.CompletedProcess(command, 1, "", "no matching distribution\n")

    monkeypatch.setattr(_tpcds.subprocess, "run", failing)
    with pytest.raises(LateBloomError, match="no matching distribution") as error:
        _tpcds.Tpcds().table("item", 1, cache)
    assert error.value.where == str(cache.root)
    assert not list(cache.root.iterdir())
