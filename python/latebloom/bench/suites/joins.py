# SPDX-License-Identifier: Apache-2.0
"""What join filters are for, with the bars that they have to clear, and where they have nothing to do."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from latebloom.bench import _tpch
from latebloom.bench._suite import NO_BROADCAST, Query, Suite
from latebloom.bench.suites.tpch import QUERIES as TPCH

_BROADCAST = {"spark.sql.autoBroadcastJoinThreshold": "1g"}

# One part in a thousand.
_RARE_PARTS = "p_brand = 'Brand#23' and p_container = 'MED BOX'"
_JOIN = f"select l.*, p_name from lineitem l join part on l_partkey = p_partkey where {_RARE_PARTS}"
_Q17 = next(query for query in TPCH if query.name == "q17")

_merge = partial(Query, tables=("lineitem", "part"), confs=NO_BROADCAST)
_broadcast = partial(Query, tables=("lineitem", "part"), confs=_BROADCAST)
_skewed = "(select l_partkey % 100 * (l_linenumber % 2) as k, l_quantity from lineitem)"

SUITE = Suite(
    "joins",
    "Joins with few keys on one side, by sorting and merging and by broadcast, with their bars; joins "
    "that keep everything, tiny joins, empty sides, skewed keys.",
    (
        _merge("0.1 % of parts, SMJ", _JOIN, at_least=6),
        _broadcast("0.1 % of parts, BHJ", _JOIN, at_least=2.5),
        replace(_Q17, name="q17, SMJ", confs=NO_BROADCAST, at_least=6),
        replace(_Q17, name="q17, BHJ", confs=_BROADCAST, at_least=3),
        _merge(
            "keeps everything, SMJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size > 0",
            at_least=0.97,
        ),
        _broadcast(
            "keeps everything, BHJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size > 0",
            at_least=0.97,
        ),
        _merge(
            "keeps half, SMJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size <= 25",
            at_least=0.97,
        ),
        _merge(
            "keeps half, BHJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size <= 25",
            at_least=0.97,
            confs=_BROADCAST,
        ),
        _broadcast(
            "tiny",
            "select count(*) from nation join region on n_regionkey = r_regionkey"
            " where r_name = 'ASIA'",
            at_least=0.97,
            tables=("nation", "region"),
        ),
        _merge(
            "no key, SMJ",
            "select l.*, p_name from lineitem l join part on l_partkey = p_partkey where p_size = 99",
            at_least=0.97,
        ),
        _broadcast(
            "no key, BHJ",
            "select l.*, p_name from lineitem l join part on l_partkey = p_partkey where p_size = 99",
            at_least=0.97,
        ),
        _merge(
            "skewed, SMJ",
            f"select sum(l_quantity), max(p_name) from {_skewed} join part on k = p_partkey"
            " where p_size < 40",
            at_least=0.97,
        ),
    ),
    _tpch.Tpch("128MB"),
    scale=10,
)
