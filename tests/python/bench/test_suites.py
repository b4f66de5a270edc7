# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from latebloom._data import Tpch
from latebloom_bench import SUITES, Query
from latebloom_bench.suites import micro, seeds

WITH_TEXTS = [suite for suite in SUITES.values() if not callable(suite.queries)]


@pytest.mark.parametrize("suite", WITH_TEXTS, ids=lambda suite: suite.name)
def test_queries_have_names_of_their_own_and_read_tables_that_the_suite_has(suite, cache):
    queries = suite.select((), cache)
    assert len({query.name for query in queries}) == len(queries) > 0
    assert {table for query in queries for table in query.tables} <= set(suite.data.names())
    assert len({variant.name for variant in suite.variants}) == len(suite.variants)


def test_every_tpch_query_is_there_and_every_table_is_read(cache):
    queries = SUITES["tpch"].select((), cache)
    assert [query.name for query in queries] == [f"q{n:02}" for n in range(1, 23)]
    read = {table for query in queries for table in query.tables}
    assert read == set(Tpch("1MB").names())


def test_spark_takes_every_text(spark, cache):
    parser = spark._jsparkSession.sessionState().sqlParser()
    for suite in WITH_TEXTS:
        for query in suite.select((), cache):
            parser.parsePlan(query.sql)


@pytest.mark.parametrize("shape", micro.FULL, ids=lambda shape: shape.name)
def test_a_micro_query_passes_the_share_of_rows_that_it_is_plotted_at(shape, cache):
    duckdb = pytest.importorskip("duckdb")
    made = micro.FULL_SUITE.data
    scale = 20_000 / shape.made().rows
    for share in (0, 0.1, 1):
        query = shape.query(share)
        path = made.table(query.tables[0], scale, cache)
        one = duckdb.connect()
        one.execute(f"create view {query.tables[0]} as from '{path}'")
        text = re.sub(r"(?<=\d)[LD]\b", "", query.sql)
        passed = len(one.execute(text).fetchall())
        # A dictionary of 64 has no tenth: the nearest share that it has is asked for.
        assert passed == pytest.approx(20_000 * share, abs=0.02 * 20_000 if 0 < share < 1 else 1)


class TestSweep:
    @pytest.fixture
    def queries(self, monkeypatch, cache):
        named = [Query(f"q{n}", "select 1") for n in (28, 52, 55)]
        monkeypatch.setattr(seeds, "tpcds_queries", lambda cache: named)
        return SUITES["seeds"].select((), cache)

    def test_a_join_is_swept_over_shares_of_the_keys_in_both_kinds(self, queries):
        sweeps = [query for query in queries if query.chart]
        assert len({query.name for query in queries}) == len(queries)
        charts = {query.chart for query in sweeps}
        assert charts == {"004 join, SMJ", "004 join, BHJ", "004 join, on a dictionary, BHJ"}
        for chart in charts:
            shares = [query.selectivity for query in sweeps if query.chart == chart]
            assert (min(shares), max(shares)) == (0.0001, 1)
            assert shares == sorted(set(shares))

    def test_a_dimension_keeps_the_share_of_its_keys_that_it_is_plotted_at(self, queries):
        rows = 1_000_000
        r = seeds._dim(rows, 0, rows)["r"]
        for query in queries:
            if query.chart:
                kept = (r < int(query.sql.rpartition(" ")[2])).sum() / rows
                assert kept == pytest.approx(query.selectivity, rel=0.02)

    def test_a_map_has_the_key_that_is_asked_for(self, cache):
        duckdb = pytest.importorskip("duckdb")
        path = SUITES["seeds"].data.table("maps", 0.001, cache)
        asked = f"select count(counts['red']), count(*) from '{path}'"
        assert duckdb.sql(asked).fetchall() == [(100, 100)]
