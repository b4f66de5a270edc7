# SPDX-License-Identifier: Apache-2.0
"""TPC-H data by ``tpchgen-cli`` (parquet-rs, a writer that is not Spark's), and queries over it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from latebloom._errors import LateBloomError


@dataclass(frozen=True)
class Query:
    """A query with the name it is reported under.

    ``at_least`` is the speed-up that a benchmark expects of it, 0 where it expects none.
    """

    name: str
    sql: str
    at_least: float = 0.0


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


def cache_directory() -> Path:
    """Where generated data is kept unless the caller says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "latebloom"


def lineitem(scale: int, row_group: str, cache: Path) -> Path:
    """The directory that holds ``lineitem.parquet``, made on first use and then reused.

    Args:
        scale: TPC-H scale factor; 1 is six million rows.
        row_group: uncompressed size of a row group, as tpchgen-cli takes it (``128MB``).
        cache: the directory under which the data is kept.
    """
    directory = cache / f"tpch-sf{scale}-{row_group}"
    if (directory / "lineitem.parquet").is_file():
        return directory
    cache.mkdir(parents=True, exist_ok=True)
    # Made aside and then renamed: an interrupted run leaves no half a table under the real name.
    with tempfile.TemporaryDirectory(dir=cache, prefix="making-") as making:
        command = [_generator(), "parquet", "-s", str(scale), "--tables", "lineitem"]
        command += ["--row-group-bytes", row_group, "--output-dir", making, "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LateBloomError(
                f"tpchgen-cli failed: {done.stderr.strip() or done.stdout.strip()}",
                where=str(cache),
                fix="make room there, or name another directory with --cache",
            )
        directory.mkdir(exist_ok=True)
        Path(making, "lineitem.parquet").replace(directory / "lineitem.parquet")
    return directory


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
