# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import LateBloomError
from latebloom._data import Tpch
from latebloom_bench import SUITES, Query, Suite, Variant
from latebloom_bench._suite import tables_in


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


def test_a_suite_of_later_texts_asks_the_cache_for_them(cache):
    asked = []

    def texts(given):
        asked.append(given)
        return [Query("a", "select 1"), Query("b", "select 2")]

    suite = Suite("s", "", texts, Tpch("1MB"), scale=1)
    assert [query.name for query in suite.select(["b"], cache)] == ["b"]
    assert asked == [cache]


def test_what_was_asked_for_twice_is_run_once_in_the_order_of_asking(cache):
    queries = tuple(Query(name, "select 1") for name in ("a", "b", "ab"))
    suite = Suite("s", "", queries, None, scale=1)
    assert [q.name for q in suite.select(["b", "a*", "b"], cache)] == ["b", "a", "ab"]
    assert suite.select((), cache) == queries


def test_an_unknown_name_is_told_with_those_that_there_are():
    suite = Suite("s", "", (), None, scale=1, variants=(Variant("one"), Variant("two")))
    with pytest.raises(LateBloomError, match=r"no variant three.*\n.*suite s\n.*one, two"):
        suite.select_variants(["one", "three"])
