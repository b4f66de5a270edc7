# SPDX-License-Identifier: Apache-2.0
"""TPC-H data by ``tpchgen-cli`` (parquet-rs, a writer that is not Spark's), and queries over it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from latebloom._errors import LateBloomError
from latebloom.bench._data import Cache
from latebloom.bench._suite import Query

LIKE = Query(
    "like", "select * from lineitem where l_comment like '%pending%foxes%slyly%'", at_least=4
)
DICTIONARY = Query(
    "dictionary",
    "select * from lineitem where l_shipinstruct = 'DELIVER IN PERSON'"
    " and l_shipmode in ('AIR', 'REG AIR') and l_returnflag = 'R' and l_discount = 0.05",
    at_least=2,
)
PARTKEY = Query("partkey", "select * from lineitem where l_partkey < 100", at_least=2)
QUANTITY = Query(
    "quantity",
    "select avg(l_extendedprice), count(l_extendedprice), count(distinct l_extendedprice)"
    " from lineitem where l_quantity > 3 and l_quantity < 5",
    at_least=1.5,
)
POINT = Query("point", "select * from lineitem where l_orderkey = 3000000")
Q1 = Query(
    "q1",
    "select l_returnflag, l_linestatus, sum(l_quantity) sum_qty,"
    " sum(l_extendedprice) sum_base_price,"
    " sum(l_extendedprice * (1 - l_discount)) sum_disc_price,"
    " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) sum_charge,"
    " avg(l_quantity) avg_qty, avg(l_extendedprice) avg_price, avg(l_discount) avg_disc,"
    " count(*) count_order from lineitem"
    " where l_shipdate <= date '1998-12-01' - interval '90' day"
    " group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus",
    at_least=0.95,
)
Q6 = Query(
    "q6",
    "select sum(l_extendedprice * l_discount) revenue from lineitem"
    " where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'"
    " and l_discount between 0.05 and 0.07 and l_quantity < 24",
    at_least=0.95,
)
NO_FILTER = Query("no-filter", "select * from lineitem", at_least=0.95)
KEEPS_ALL = Query("keeps-all", "select * from lineitem where l_orderkey > 0", at_least=0.95)
# No statistics prove that this one keeps every row: each value has to be looked at.
KEEPS_ALL_UNPROVEN = Query(
    "keeps-all-unproven", "select * from lineitem where l_comment <> 'x'", at_least=0.95
)


def on_lineitem(query: Query, at_least: float = 0.0) -> Query:
    """The query in a suite that has other tables as well, with that suite's bar."""
    return replace(query, tables=("lineitem",), at_least=at_least)


def cache_directory() -> Path:
    """Where generated data is kept unless the caller says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "latebloom"


@dataclass(frozen=True)
class Tpch:
    """TPC-H's eight tables, with row groups of the given uncompressed size (``128MB``)."""

    row_group: str

    def names(self) -> Iterable[str]:
        """The tables, in no order that matters."""
        return _SIZES

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """One table's Parquet file, made on first use; scale factor 1 is six million lines."""

        def make(target: Path) -> None:
            command = [_generator(), "parquet", "-s", f"{scale:g}", "--tables", name]
            command += ["--row-group-bytes", self.row_group, "--quiet"]
            command += ["--output-dir", str(target.parent)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LateBloomError(
                    f"tpchgen-cli failed: {done.stderr.strip() or done.stdout.strip()}",
                    where=str(cache.root),
                    fix="make room there, or name another directory with --cache",
                )

        key = f"tpch-sf{scale:g}-{self.row_group}/{name}.parquet"
        return cache.made(key, _SIZES[name] * scale, make)


# Bytes at scale factor 1, about.
_SIZES = {
    "customer": 14e6,
    "lineitem": 232e6,
    "nation": 4e3,
    "orders": 64e6,
    "part": 7e6,
    "partsupp": 45e6,
    "region": 2e3,
    "supplier": 1e6,
}


def _generator() -> str:
    beside = Path(sys.executable).parent / "tpchgen-cli"
    found = str(beside) if beside.is_file() else shutil.which("tpchgen-cli")
    if found is None:
        raise LateBloomError(
            "the TPC-H generator tpchgen-cli is not installed",
            where=f"{beside.parent} and the PATH",
            fix="pip install 'latebloom[demo]'",
        )
    return found
