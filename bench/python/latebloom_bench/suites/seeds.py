# SPDX-License-Identifier: Apache-2.0
"""The headline queries of the texts that LateBloom grew from, with their figures next to ours.

Their machines, scales and engines were others: only the ratios compare, off to on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from latebloom._data import Cache, Tpch

from latebloom_bench._suite import NO_BROADCAST, Query, Suite, Variant
from latebloom_bench.suites.tpch import QUERIES as TPCH
from latebloom_bench.tables import _lineitem
from latebloom_bench.tables._generated import Generated, Layout, Made, Several
from latebloom_bench.tables._tpcds import Tpcds
from latebloom_bench.tables._tpcds import queries as tpcds_queries

_BROADCAST = {"spark.sql.autoBroadcastJoinThreshold": "1g"}
_DIM_ROWS = 1_000_000
# Prime, so that all multiples of a smaller number differ.
_DIM_RANGE = 1_000_003
# Shares of the keys that the sweep keeps.
_SHARES = (0.0001, 0.001, 0.01, 0.1, 0.2, 0.5, 1)
_MAP_KEYS = ("red", *(f"colour {i}" for i in range(99)))


def _events(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    at = np.arange(start, stop)
    keys = {f"s{i}": at * (2 * i + 1) * 2_654_435_761 % 1_000_000_007 for i in range(3)}
    random = np.random.default_rng(start)
    return {**keys, **{f"d{i}": random.integers(0, 2**40, stop - start) for i in range(117)}}


def _fact(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    random = np.random.default_rng(start)
    keys = random.integers(0, _DIM_ROWS, stop - start)
    payload = {f"p{i}": random.integers(0, 2**62, stop - start) for i in range(9)}
    return {"fact_id": np.arange(start, stop), "dim_id": keys, **payload}


def _dim(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    random = np.random.default_rng(start)
    payload = {f"q{i}": random.integers(0, 2**62, stop - start) for i in range(9)}
    at = np.arange(start, stop)
    return {"id": at, "r": at * 2_654_435_761 % _DIM_RANGE, **payload}


def _maps(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    """A map of a hundred keys in each row."""
    import numpy as np
    import pyarrow as pa

    at = np.arange(start, stop)
    entries = len(at) * len(_MAP_KEYS)
    offsets = pa.array(np.arange(0, entries + 1, len(_MAP_KEYS)), pa.int32())
    counts = np.random.default_rng(start).integers(0, 1000, entries)
    keys = pa.array(_MAP_KEYS * len(at))
    return {"id": at, "counts": pa.MapArray.from_arrays(offsets, keys, pa.array(counts))}


_KEYS_CODED = Layout(dictionary=("dim_id",), compression="none")
_PLAIN = Layout(compression="none")
_TABLES = Generated(
    {
        "events": Made(400_000, _events, 960, Layout(group_rows=50_000)),
        "fact": Made(5_000_000, _fact, 88, _PLAIN),
        "fact_coded": Made(5_000_000, _fact, 88, _KEYS_CODED),
        "dim": Made(_DIM_ROWS, _dim, 88, _PLAIN),
        "maps": Made(
            100_000,
            _maps,
            2 * len(_MAP_KEYS),
            Layout(dictionary=("counts.key_value.key",), group_rows=25_000),
        ),
    }
)


def _among(column: int) -> str:
    """An ``IN`` with a thousand values, few of which are in the table."""
    hits = [at * 50_021 * (2 * column + 1) * 2_654_435_761 % 1_000_000_007 for at in range(5)]
    misses = [1_000_000_007 + i for i in range(995)]
    return f"s{column} in ({', '.join(map(str, hits + misses))})"


def _search(outputs: str) -> str:
    return f"select {outputs} from events where {' or '.join(map(_among, range(3)))}"


def _join(fact: str, select: str) -> str:
    # One key in a thousand: the share of the thesis's simple join.
    return f"select {select} from {fact}, dim where dim_id = id and r < 1000"


def _sweep(kind: str, fact: str, confs: Mapping[str, str]) -> list[Query]:
    """The thesis's joins on a dimension that keeps a growing share of the keys."""
    return [
        Query(
            f"004 sweep, {kind}, {100 * share:g}%",
            f"select sum(fact_id) from {fact}, dim"
            f" where dim_id = id and r < {round(share * _DIM_RANGE)}",
            tables=(fact, "dim"),
            chart=f"004 join, {kind}",
            selectivity=share,
            confs=confs,
        )
        for share in _SHARES
    ]


_ALL_COLUMNS = ", ".join([*(f"sum(p{i} % 9) p{i}" for i in range(9)), "sum(q1 % 9) q"])
_Q17 = next(query for query in TPCH if query.name == "q17")


def _queries(cache: Cache) -> list[Query]:
    tpcds = {query.name: query for query in tpcds_queries(cache)}
    search = ("d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "d12", "d13")
    lineitem = partial(Query, tables=("lineitem",))
    joined = partial(Query, tables=("fact", "dim"))
    return [
        replace(
            _lineitem.QUANTITY,
            name="000 one filter",
            at_least=0.0,
            tables=("store_sales",),
            sql="select avg(ss_list_price), count(ss_list_price), count(distinct ss_list_price)"
            " from store_sales where ss_quantity > 3 and ss_quantity < 5",
            seed="1.31x (6.8 to 5.2 s)",
        ),
        replace(tpcds["q28"], name="000 TPC-DS q28", seed="1.31x (55.6 to 42.4 s)"),
        replace(tpcds["q52"], name="000 TPC-DS q52", seed="1.00x (12.2 to 12.2 s)"),
        replace(tpcds["q55"], name="000 TPC-DS q55", seed="0.95x (11.8 to 12.4 s)"),
        Query(
            "001 16 columns",
            _search(", ".join(("s0", "s1", "s2", *search))),
            tables=("events",),
            seed="I/O -45%, CPU -47%",
        ),
        Query("001 all columns", _search("*"), tables=("events",), seed="I/O -70%, CPU -87%"),
        lineitem(
            "002 all columns",
            "select * from lineitem where l_comment like 'blithely unusual pinto bean'",
            seed="33 s, to come near the 11 s of one column",
        ),
        lineitem(
            "002 one column",
            "select l_orderkey from lineitem where l_comment like 'blithely unusual pinto bean'",
            seed="11 s",
        ),
        lineitem(
            "003 one supplier",
            "select sum(l_extendedprice) from lineitem where l_suppkey = 4711",
            seed="CPU of scans 2x to 3x less, the aim",
        ),
        Query(
            "003 one key of a map",
            "select counts['red'] red from maps",
            tables=("maps",),
            seed="CPU of scans 2x to 3x less, the aim",
        ),
        Query(
            "003 one key of a map, 1 row in 100",
            "select counts['red'] red from maps where id % 100 = 7",
            tables=("maps",),
        ),
        joined(
            "004 join, SMJ", _join("fact", "count(fact_id)"), confs=NO_BROADCAST, seed="10x to 11x"
        ),
        joined("004 join, BHJ", _join("fact", "count(fact_id)"), confs=_BROADCAST, seed="1.5x"),
        joined(
            "004 join on a dictionary, BHJ",
            _join("fact_coded", "count(fact_id)"),
            confs=_BROADCAST,
            tables=("fact_coded", "dim"),
            seed="2.5x",
        ),
        joined(
            "004 join, all columns, BHJ",
            _join("fact_coded", _ALL_COLUMNS),
            confs=_BROADCAST,
            tables=("fact_coded", "dim"),
            seed="4.5x",
        ),
        replace(_Q17, name="004 TPC-H q17, SMJ", confs=NO_BROADCAST, seed="10x"),
        replace(_Q17, name="004 TPC-H q17, BHJ", confs=_BROADCAST, seed="6x"),
        *_sweep("SMJ", "fact", NO_BROADCAST),
        *_sweep("BHJ", "fact", _BROADCAST),
        *_sweep("on a dictionary, BHJ", "fact_coded", _BROADCAST),
    ]


SUITE = Suite(
    "seeds",
    "The headline queries of five texts: openLooKeng's selective ORC pushdown (000), ORC's lazy "
    "filters (001), Impala's late materialisation (002), Presto Aria (003) and Braams' thesis "
    "(004). Their engines, machines and scales were others: only the ratios compare.",
    _queries,
    Several((Tpch("128MB"), Tpcds(), _TABLES)),
    scale=1,
    variants=(Variant("parquet"), Variant("orc", format="orc")),
)
