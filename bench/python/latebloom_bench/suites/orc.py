# SPDX-License-Identifier: Apache-2.0
"""The selective scan of ORC, with its bars."""

from __future__ import annotations

from dataclasses import replace

from latebloom._data import Tpch

from latebloom_bench._suite import NO_BROADCAST, Query, Suite, Variant
from latebloom_bench.suites.joins import Q17, RARE_PARTS
from latebloom_bench.suites.scan import Q28, STRETCH, TABLES
from latebloom_bench.tables import _lineitem
from latebloom_bench.tables._generated import Several

_BROADCAST = {"spark.sql.autoBroadcastJoinThreshold": "1g"}


SUITE = Suite(
    "orc",
    "TPC-H's lineitem and part, and a table of 16 columns, as ORC, as Spark writes it: selective "
    "queries, joins with few keys, and queries that gain little by design.",
    (
        _lineitem.on_lineitem(_lineitem.LIKE, 5),
        _lineitem.on_lineitem(_lineitem.PARTKEY, 2.5),
        Query(
            "three conditions",
            "select * from lineitem where l_shipinstruct = 'DELIVER IN PERSON'"
            " and l_shipmode = 'AIR' and l_discount = 0.05",
            at_least=4,
            tables=("lineitem",),
        ),
        Query("q28-like", Q28, at_least=2, tables=("lineitem",)),
        replace(STRETCH, at_least=0.0),
        # The table is in the order of this key: one row in a hundred at factor 10.
        Query(
            "int 1 % sorted",
            "select * from lineitem where l_orderkey between 30000000 and 30600000",
            tables=("lineitem",),
        ),
        Query("0.1 % of parts, SMJ", RARE_PARTS, 5, ("lineitem", "part"), confs=NO_BROADCAST),
        Query("0.1 % of parts, BHJ", RARE_PARTS, 5, ("lineitem", "part"), confs=_BROADCAST),
        replace(Q17, name="q17, SMJ", confs=NO_BROADCAST, at_least=5),
        _lineitem.on_lineitem(_lineitem.Q1, 0.97),
        _lineitem.on_lineitem(_lineitem.Q6, 0.97),
        _lineitem.on_lineitem(_lineitem.NO_FILTER, 0.97),
        _lineitem.on_lineitem(_lineitem.KEEPS_ALL, 0.97),
        _lineitem.on_lineitem(_lineitem.KEEPS_ALL_UNPROVEN, 0.97),
        Query("keeps half", "select * from lineitem where l_suppkey % 2 = 0", 0.97, ("lineitem",)),
    ),
    Several((Tpch("128MB"), TABLES)),
    scale=10,
    variants=(Variant("orc", format="orc"),),
)
