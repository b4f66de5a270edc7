# SPDX-License-Identifier: Apache-2.0
"""Tables of Delta Lake: TPC-H, a star join on a clustered table, deletion vectors, and TPC-DS."""

from __future__ import annotations

from latebloom._data import Tpch

from latebloom_bench._suite import NO_BROADCAST, Query, Suite, Variant
from latebloom_bench.suites.joins import SIX_DAYS
from latebloom_bench.suites.tpch import MEMORY, QUERIES
from latebloom_bench.tables import _delta, _lineitem
from latebloom_bench.tables._delta import Deltas
from latebloom_bench.tables._generated import Scaled, Several
from latebloom_bench.tables._tpcds import Days, Tpcds, queries
from latebloom_bench.tables._written import Layout

_DELETED = (0, 1, 10, 50)
_ROWS = "l_orderkey, l_linenumber"
_TARGET = "lineitem_by_order"
_CHANGES = "lineitem_changes"
_MERGE = (
    f"merge into {_TARGET} t using {_CHANGES} s"
    " on t.l_orderkey = s.l_orderkey and t.l_linenumber = s.l_linenumber"
    " when matched then update set t.l_comment = s.l_comment, t.l_shipdate = s.l_shipdate"
    " when not matched then insert *"
)
_DELTA = (Variant("delta", format="delta"),)


def _deleted(percent: int) -> str:
    return f"lineitem_less_{percent}"


SUITE = Suite(
    "delta",
    "TPC-H's 22 queries on tables of Delta Lake, with its statistics; selective queries; a star join "
    "over six scattered days of a table of 200 files; tables with deletion vectors; a MERGE of 0.1 % "
    "of the rows, in one file of 100, which leaves the table as it is.",
    (
        *QUERIES,
        _lineitem.on_lineitem(_lineitem.LIKE, 5),
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
        Query("MERGE of 0.1 %", _MERGE, tables=(_TARGET, _CHANGES)),
    ),
    Deltas(
        Several((Tpch("128MB"), Scaled(Days(), 0.5))),
        {
            "store_sales_by_day": Layout(files=200, by="ss_sold_date_sk"),
            **{_deleted(p): Layout("lineitem", deleted=p, key=_ROWS) for p in _DELETED},
            _TARGET: Layout("lineitem", files=100, by="l_orderkey"),
            _CHANGES: Layout("lineitem", where="l_orderkey between 30000001 and 30060000"),
        },
    ),
    scale=10,
    variants=_DELTA,
    memory=MEMORY,
    confs=_delta.confs(),
)

TPCDS = Suite(
    "delta-tpcds",
    "TPC-DS's 99 queries on tables of Delta Lake.",
    queries,
    Deltas(Tpcds()),
    scale=5,
    variants=_DELTA,
    memory=MEMORY,
    confs=_delta.confs(),
)
