# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom._demo import QUERIES
from latebloom_bench import Query
from latebloom_bench.tables import _lineitem

ALL = [query for query in vars(_lineitem).values() if isinstance(query, Query)]


@pytest.fixture(scope="module")
def lineitem(spark):
    """The table without a row, as TPC-H has its columns."""
    columns = (
        "l_orderkey long, l_partkey long, l_quantity decimal(12,2), l_extendedprice decimal(12,2),"
        " l_discount decimal(12,2), l_tax decimal(12,2), l_returnflag string, l_linestatus string,"
        " l_shipdate date, l_shipinstruct string, l_shipmode string, l_comment string"
    )
    spark.createDataFrame([], columns).createOrReplaceTempView("lineitem")
    yield
    spark.catalog.dropTempView("lineitem")


@pytest.mark.parametrize("query", ALL, ids=lambda query: query.name)
def test_a_query_reads_lineitem_and_has_a_bar(spark, lineitem, query):
    assert spark.sql(query.sql).schema
    assert query.at_least >= 0.95


def test_names_are_the_queries_own_and_the_demos_texts_are_the_demos():
    assert len({query.name for query in ALL}) == len(ALL) >= 9
    shared = [query for query in ALL if query.name in QUERIES]
    assert len(shared) == 4
    assert all(query.sql == QUERIES[query.name] for query in shared)


def test_in_a_suite_of_other_tables_a_query_names_its_own_and_has_that_suites_bar():
    moved = _lineitem.on_lineitem(_lineitem.LIKE, at_least=1.5)
    assert (moved.tables, moved.at_least, moved.sql) == (
        ("lineitem",),
        1.5,
        _lineitem.LIKE.sql,
    )
    assert _lineitem.on_lineitem(_lineitem.LIKE).at_least == 0
