# SPDX-License-Identifier: Apache-2.0
"""Tables of Apache Iceberg: TPC-H, a needle, a star join on a clustered table, and TPC-DS."""

from __future__ import annotations

from latebloom._data import Tpch

from latebloom_bench._suite import NO_BROADCAST, Query, Suite, Variant
from latebloom_bench.suites.joins import SIX_DAYS
from latebloom_bench.suites.tpch import MEMORY, QUERIES
from latebloom_bench.tables import _iceberg, _lineitem
from latebloom_bench.tables._generated import Scaled, Several
from latebloom_bench.tables._iceberg import Icebergs
from latebloom_bench.tables._tpcds import Days, Tpcds, queries
from latebloom_bench.tables._written import Layout

_DELETED = (0, 1, 10)
_ICEBERG = (Variant("iceberg", format="iceberg"),)


def _deleted(percent: int) -> str:
    return f"lineitem_less_{percent}"


SUITE = Suite(
    "iceberg",
    "TPC-H's 22 queries on tables of Apache Iceberg; selective queries, one for a single row by "
    "columns that the table is not sorted by; a star join over six scattered days of a table of "
    "200 files; tables with position deletes. Iceberg's own scan is the peer.",
    (
        *QUERIES,
        _lineitem.on_lineitem(_lineitem.LIKE, 5),
        Query(
            "needle",
            "select * from lineitem where l_partkey = 1551894 and l_suppkey = 76910"
            " and l_linenumber = 1",
            tables=("lineitem",),
            at_least=4,
        ),
        Query("six days of 200 files, BHJ", SIX_DAYS, tables=Days().names(), at_least=5),
        Query(
            "six days of 200 files, SMJ",
            SIX_DAYS,
            tables=Days().names(),
            at_least=5,
            confs=NO_BROADCAST,
        ),
        *(
            Query(
                f"{percent} % deleted, {name}",
                sql.format(_deleted(percent)),
                tables=(_deleted(percent),),
            )
            for name, sql in (
                ("one in fifty", "select * from {} where l_quantity = 7"),
                (
                    "half",
                    "select sum(l_extendedprice), max(l_comment) from {} where l_quantity < 26",
                ),
            )
            for percent in _DELETED
        ),
    ),
    Icebergs(
        Several((Tpch("128MB"), Scaled(Days(), 0.5))),
        {
            "store_sales_by_day": Layout(files=200, by="ss_sold_date_sk"),
            **{
                _deleted(p): Layout("lineitem", deleted=p, key="l_orderkey, l_linenumber")
                for p in _DELETED
            },
        },
    ),
    scale=10,
    variants=_ICEBERG,
    memory=MEMORY,
    confs=_iceberg.confs(),
)

TPCDS = Suite(
    "iceberg-tpcds",
    "TPC-DS's 99 queries on tables of Apache Iceberg.",
    queries,
    Icebergs(Tpcds()),
    scale=5,
    variants=_ICEBERG,
    memory=MEMORY,
    confs=_iceberg.confs(),
)
