# SPDX-License-Identifier: Apache-2.0
"""TPC-DS data and texts, by the tpcds extension of a separate DuckDB."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from latebloom._data import Cache
from latebloom._errors import LateBloomError

from latebloom_bench._suite import Query, tables_in
from latebloom_bench.tables import _dsdgen

# The last DuckDB with its extension on PyPI; it would conflict with the DuckDB that is a peer.
_VERSION = "1.5.5"
# Bytes of the generated database, and of its Parquet files, at factor 1.
_BYTES = 1.2e9

_TABLES = (
    *("call_center", "catalog_page", "catalog_returns", "catalog_sales", "customer"),
    *("customer_address", "customer_demographics", "date_dim", "household_demographics"),
    *("income_band", "inventory", "item", "promotion", "reason", "ship_mode", "store"),
    *("store_returns", "store_sales", "time_dim", "warehouse", "web_page", "web_returns"),
    *("web_sales", "web_site"),
)


@dataclass(frozen=True)
class Tpcds:
    """TPC-DS's 24 tables, unpartitioned, in row groups of half a million rows."""

    def names(self) -> Iterable[str]:
        """The tables."""
        return _TABLES

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """One table's Parquet file; the first request generates all tables."""

        def make(target: Path) -> None:
            _generator(cache, "tables", str(target), f"{scale:g}")

        return cache.made(f"tpcds-sf{scale:g}", _BYTES * scale, make) / f"{name}.parquet"


@dataclass(frozen=True)
class ByDay:
    """``store_sales_by_day``: TPC-DS's store_sales as a table that is filled day by day.

    Written by pyarrow in row groups of half a million rows, with a page index.
    """

    def names(self) -> Iterable[str]:
        """The one table."""
        return ("store_sales_by_day",)

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """Its Parquet file, made of store_sales on first use."""

        def make(target: Path) -> None:
            import pyarrow.parquet as pq

            sales = pq.read_table(Tpcds().table("store_sales", scale, cache))
            pq.write_table(
                sales.sort_by("ss_sold_date_sk"),
                target,
                row_group_size=500_000,
                write_page_index=True,
            )

        # A third of all bytes.
        return cache.made(f"tpcds-sf{scale:g}-{name}.parquet", _BYTES * scale / 3, make)


class Days:
    """The tables of a star join: a fact table by day, and its dimension."""

    def names(self) -> tuple[str, ...]:
        """One fact table and one dimension."""
        return ("store_sales_by_day", "date_dim")

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The table, from the set that has it."""
        return (ByDay() if name == "store_sales_by_day" else Tpcds()).table(name, scale, cache)


_QUOTED = re.compile('"([^"]+)"')


def _plain(quoted: re.Match[str]) -> str:
    return "c_" + re.sub(r"\W+", "_", quoted[1])


def queries(cache: Cache) -> list[Query]:
    """The 99 queries, in the extension's texts.

    Their aliases in double quotes become plain names: Spark before 4.0 reads these only in ANSI
    mode, which gives another answer where a number overflows.
    """

    def make(target: Path) -> None:
        _generator(cache, "queries", str(target))

    texts = json.loads(cache.made(f"tpcds-queries-{_VERSION}.json", 1e6, make).read_text("utf-8"))
    found = []
    for number, text in texts:
        sql = _QUOTED.sub(_plain, text.strip().removesuffix(";").strip())
        found.append(Query(f"q{number:02}", sql, tables=tables_in(sql, _TABLES)))
    return found


def _generator(cache: Cache, *arguments: str) -> None:
    def install(target: Path) -> None:
        packages = [f"duckdb=={_VERSION}", f"duckdb-extension-tpcds=={_VERSION}"]
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target)]
        _called([*pip, *packages], dict(os.environ), cache)

    apart = cache.made(f"duckdb-{_VERSION}", 100e6, install)
    script = str(Path(_dsdgen.__file__))
    _called([sys.executable, script, *arguments], {**os.environ, "PYTHONPATH": str(apart)}, cache)


def _called(command: list[str], environment: dict[str, str], cache: Cache) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise LateBloomError(
            f"{' '.join(command[1:4])} failed: {(done.stderr or done.stdout).strip()[-500:]}",
            where=str(cache.root),
            fix="check that PyPI is reachable and the disk has space, then run it again",
        )
