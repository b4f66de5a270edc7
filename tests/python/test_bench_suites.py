# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from latebloom import __main__ as cli
from latebloom.bench import SUITES, Query, Suite, _data, _tpch
from latebloom.bench._generated import Generated, Layout, Made
from latebloom.bench._suite import tables_in
from latebloom.bench.suites import micro, seeds

WITH_TEXTS = [suite for suite in SUITES.values() if not callable(suite.queries)]


@pytest.fixture
def cache(tmp_path):
    return _data.Cache(tmp_path)


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
    assert read == set(_tpch.Tpch("1MB").names())


def test_spark_takes_every_text(spark, cache):
    parser = spark._jsparkSession.sessionState().sqlParser()
    for suite in WITH_TEXTS:
        for query in suite.select((), cache):
            parser.parsePlan(query.sql)


def test_an_unknown_query_or_variant_is_refused_before_data_is_made(capsys, tmp_path):
    for flag, choices in (("--query", "like, partkey"), ("--variant", "parquet")):
        wrong = ["bench", "first-light", flag, "q99", "--cache", str(tmp_path)]
        assert cli.main(wrong) == 2
        assert f"choose of {choices}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_shell_pattern_chooses_the_queries_that_it_fits(cache):
    def names(suite, *asked):
        return [query.name for query in SUITES[suite].select(asked, cache)]

    assert names("first-light", "keeps*", "like", "k*") == [
        "keeps-all",
        "keeps-all-unproven",
        "like",
    ]
    halves = names("micro", "*, 50%")
    assert len(halves) == 11 and all(name.endswith(", 50%") for name in halves)


def test_a_name_is_a_name_before_it_is_a_pattern(cache):
    queries = (Query("a[b]", "select 1"), Query("ab", "select 2"))
    suite = Suite("s", "", queries, None, scale=1)
    assert suite.select(["a[b]"], cache) == queries[:1]
    assert suite.select(["a[a-c]"], cache) == queries[1:]


def test_a_suite_is_asked_for(capsys):
    assert cli.main(["bench"]) == 2
    assert "first-light" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        ("select 1 limit 10", "select 1 "),
        ("select 1\nLIMIT 10", "select 1\n"),
        ("select * from (select 1 limit 3) x", "select * from (select 1 limit 3) x"),
    ],
)
def test_answers_are_compared_without_the_last_limit(sql, kept):
    assert Query("q", sql).unlimited == kept
    assert Query("q", sql, settled=False).unlimited == sql


def test_a_table_is_mentioned_by_its_whole_name():
    assert tables_in("select ps_partkey from partsupp", ("part", "partsupp")) == ("partsupp",)


class TestCache:
    def test_what_is_there_is_not_made_again(self, cache):
        made = []
        for _ in range(2):
            cache.made("a/b", 1, lambda target: (made.append(target), target.write_text("x")))
        assert len(made) == 1
        assert (cache.root / "a" / "b").read_text() == "x"

    def test_an_interrupted_making_leaves_nothing(self, cache):
        def half(target):
            target.write_text("half")
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            cache.made("a", 1, half)
        assert not list(cache.root.iterdir())

    def test_a_disk_too_small_is_named_before_anything_is_made(self, cache):
        with pytest.raises(_data.LateBloomError, match=r"tpcds-sf9999 takes about .* GiB"):
            cache.made("tpcds-sf9999", 1e18, lambda target: pytest.fail("made"))

    def test_tables_of_a_directory_are_found_or_missed_by_name(self, cache, orders):
        there = _data.Directory(orders.parent)
        assert there.names() == ["orders"]
        assert there.table("orders", 1, cache) == orders
        with pytest.raises(_data.LateBloomError, match=r"no lineitem\.parquet"):
            there.table("lineitem", 1, cache)


def test_without_the_generator_the_error_says_what_to_install(monkeypatch, tmp_path, cache):
    monkeypatch.setattr(_tpch.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(_data.LateBloomError, match=r"pip install 'latebloom\[demo\]'"):
        _tpch.Tpch("64MB").table("lineitem", 1, cache)


def test_tpch_goes_by_scale_and_row_group(monkeypatch, cache):
    there = cache.root / "tpch-sf0.1-64MB" / "lineitem.parquet"
    there.parent.mkdir()
    there.touch()
    monkeypatch.setattr(_tpch, "_generator", lambda: pytest.fail("made again"))
    assert _tpch.Tpch("64MB").table("lineitem", 0.1, cache) == there


def test_a_suite_of_later_texts_asks_the_cache_for_them(cache):
    asked = []

    def texts(given):
        asked.append(given)
        return [Query("a", "select 1"), Query("b", "select 2")]

    suite = Suite("s", "", texts, _tpch.Tpch("1MB"), scale=1)
    assert [query.name for query in suite.select(["b"], cache)] == ["b"]
    assert asked == [cache]


@pytest.mark.parametrize("shape", micro.FULL, ids=lambda shape: shape.name)
def test_a_micro_query_passes_the_share_of_rows_that_it_is_plotted_at(shape, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    cache, made = _data.Cache(tmp_path), micro.FULL_SUITE.data
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


def test_tables_are_written_as_their_layout_says(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    at = lambda rows, start, stop: {"a": range(start, stop), "b": range(start, stop)}
    layout = Layout(dictionary=("a",), compression="zstd", group_rows=300, page_index=False)
    made = Generated({"t": Made(1000, at, 16, layout), "f": Made(10, at, 16, Layout(files=5))})
    one = made.table("t", 1, _data.Cache(tmp_path))
    file = pq.ParquetFile(one)
    assert [file.metadata.row_group(i).num_rows for i in range(4)] == [300, 300, 300, 100]
    coded, plain = (file.metadata.row_group(0).column(i) for i in (0, 1))
    assert coded.has_dictionary_page and not plain.has_dictionary_page
    assert coded.compression == "ZSTD" and not coded.has_offset_index
    assert pq.read_table(one)["b"].to_pylist() == list(range(1000))
    many = made.table("f", 1, _data.Cache(tmp_path))
    assert len(list(many.iterdir())) == 5
    assert sorted(pq.read_table(many)["b"].to_pylist()) == list(range(10))


def test_a_suite_on_the_slow_store_says_what_it_needs(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("LATEBLOOM_BENCH_JAR", raising=False)
    assert cli.main(["bench", "store", "--data", str(tmp_path)]) == 2
    assert "./dev/bench store" in capsys.readouterr().err


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
