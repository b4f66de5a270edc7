# SPDX-License-Identifier: Apache-2.0
"""A separate program, for a Python whose DuckDB has the tpcds extension.

``tables DIRECTORY SCALE`` writes each table as Parquet, ``queries FILE`` the texts as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path


def main(what: str, target: Path, scale: str = "") -> None:
    """Writes the requested tables or queries."""
    import duckdb
    import duckdb_extension_tpcds

    found = Path(duckdb_extension_tpcds.__path__[0]).rglob("tpcds.duckdb_extension")
    # The database goes next to the tables, on a disk that has the space.
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        database = duckdb.connect(str(Path(scratch, "tpcds.db")), config={"memory_limit": "4GB"})
        database.execute(f"load '{next(found)}'")
        if what == "queries":
            texts = database.execute("select query_nr, query from tpcds_queries()").fetchall()
            target.write_text(json.dumps(texts), encoding="utf-8")
            return
        database.execute(f"call dsdgen(sf = {float(scale)})")
        target.mkdir()
        for (table,) in database.execute("show tables").fetchall():
            database.execute(f"copy {table} to '{target / table}.parquet' (row_group_size 500_000)")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
