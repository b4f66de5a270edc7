# SPDX-License-Identifier: Apache-2.0
"""The first rows of an order, LIMIT, counts, extremes and distinct values, with their bars."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from latebloom._data import Tpch

from latebloom_bench._suite import Query, Suite
from latebloom_bench.suites import scan
from latebloom_bench.tables import _lineitem
from latebloom_bench.tables._generated import Generated, Several

_LINES = Tpch("128MB")

# Pages of as many rows as Spark writes: ten rows then lie in few of them.
_WIDE = scan.TABLES.tables["wide166"]
_PAGES = replace(_WIDE, layout=replace(_WIDE.layout, page_bytes=2**17))

_on_lineitem = partial(Query, tables=("lineitem",))
_by_date = partial(Query, tables=("lineitem_by_date",))
_wide = partial(Query, tables=("wide166_pages",))

SUITE = Suite(
    "topk",
    "The first rows of an order by an unclustered and by a clustered column, with filters and in "
    "joins; LIMIT without an order; counts, extremes and distinct values.",
    (
        _wide(
            "166 columns, first 10",
            "select * from wide166_pages order by p0 desc, k1, k2 limit 10",
            at_least=20,
            decided=True,
        ),
        _wide("166 columns, any 10", "select * from wide166_pages limit 10", settled=False),
        _wide(
            "166 columns, any 10 of few",
            "select * from wide166_pages where k1 = 77 limit 10",
            settled=False,
        ),
        _on_lineitem(
            "first 100 by price",
            "select * from lineitem order by l_extendedprice desc, l_orderkey, l_linenumber"
            " limit 100",
            at_least=3,
            decided=True,
        ),
        _by_date(
            "first 100 by clustered date",
            "select * from lineitem_by_date order by l_shipdate desc limit 100",
            at_least=20,
            settled=False,
        ),
        _by_date(
            "first 100 by clustered date, ascending",
            "select * from lineitem_by_date order by l_shipdate, l_orderkey, l_linenumber"
            " limit 100",
            at_least=20,
            decided=True,
        ),
        _on_lineitem(
            "first 1,000 by price",
            "select * from lineitem order by l_extendedprice desc, l_orderkey, l_linenumber"
            " limit 1000",
            decided=True,
        ),
        _on_lineitem(
            "first 100 by price of a rare shipment",
            "select * from lineitem where l_comment like '%express%' and l_quantity = 7"
            " order by l_extendedprice desc, l_orderkey, l_linenumber limit 100",
            decided=True,
        ),
        Query(
            "first 100 by price of a nation",
            "select l.*, s_name, n_name from lineitem l join supplier on l_suppkey = s_suppkey"
            " join nation on s_nationkey = n_nationkey where n_name = 'CANADA'"
            " order by l_extendedprice desc, l_orderkey, l_linenumber limit 100",
            tables=("lineitem", "supplier", "nation"),
            decided=True,
        ),
        _on_lineitem(
            "first 10 prices",
            "select l_extendedprice from lineitem order by l_extendedprice desc limit 10",
            decided=True,
        ),
        _on_lineitem(
            "counts and extremes",
            "select count(*), count(l_comment), min(l_shipdate), max(l_shipdate),"
            " min(l_orderkey), max(l_orderkey) from lineitem",
            at_least=20,
        ),
        _by_date(
            "counts and extremes since a day",
            "select count(*), count(l_comment), min(l_shipdate), max(l_shipdate),"
            " max(l_orderkey) from lineitem_by_date where l_shipdate >= date '1996-03-13'",
        ),
        _on_lineitem(
            "extremes of a rare shipment",
            "select count(*), min(l_shipdate), max(l_shipdate) from lineitem where l_quantity = 7",
        ),
        _on_lineitem("modes of shipment", "select distinct l_shipmode from lineitem"),
        _on_lineitem(
            "how many instructions", "select count(distinct l_shipinstruct) from lineitem"
        ),
        _by_date(
            "modes of shipment since a day",
            "select distinct l_shipmode from lineitem_by_date where l_shipdate >= date '1996-03-13'",
        ),
        # Of a column that has no dictionary: nothing to gain.
        _on_lineitem("greatest comment", "select max(l_comment) from lineitem"),
        Query(
            "whether a comment exists",
            "select n_name from nation where exists"
            " (select * from lineitem where l_comment like '%pending%foxes%slyly%')",
            tables=("nation", "lineitem"),
        ),
    ),
    Several(
        (
            _LINES,
            _lineitem.ByDate(_LINES),
            Generated({"wide166_pages": _PAGES}),
        )
    ),
    scale=10,
)
