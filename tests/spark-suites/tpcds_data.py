# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of Spark's TPCDSQueryTestSuite: ``tpcds_data.py CACHE SCALE`` prints where."""

from __future__ import annotations

import sys
from pathlib import Path

from latebloom._data import Cache
from latebloom_bench.tables._tpcds import Tpcds

# Spark's schema has an older name for it.
_NAMES = {"c_last_review_date_sk": "c_last_review_date"}


def main(cache: Cache, scale: float) -> Path:
    """A directory a table, with names and types as Spark's suite declares them."""

    def make(target: Path) -> None:
        import duckdb

        database = duckdb.connect()
        tables = Tpcds()
        for name in tables.names():
            source = f"'{tables.table(name, scale, cache)}'"
            columns = database.execute(f"describe from {source}").fetchall()
            chosen = ", ".join(
                f"{column}{'::integer' if kind == 'BIGINT' else ''} as {_NAMES.get(column, column)}"
                for column, kind, *_ in columns
            )
            (target / name).mkdir(parents=True)
            part = target / name / "part-0.parquet"
            database.execute(f"copy (select {chosen} from {source}) to '{part}'")

    return cache.made(f"tpcds-suite-sf{scale:g}", 0.4e9 * scale, make)


if __name__ == "__main__":
    print(main(Cache(Path(sys.argv[1])), float(sys.argv[2])).resolve())
