# SPDX-License-Identifier: Apache-2.0
"""The growth of planning with the number of joins on one key, whose keys all filter each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from latebloom_bench._suite import NO_BROADCAST, Query, Suite, Variant
from latebloom_bench.tables._generated import Generated, Layout, Made

_KINDS = 13


def _keyed(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    at = np.arange(start, stop)
    return {"id": at, "k": at % 97, "kind": at % _KINDS}


def _joined(copies: int, first: bool) -> Query:
    """Copies of a table, each with a filter, joined to the first or to the one before."""
    parts = [
        f"(select * from copied where kind = {i % _KINDS}) t{i}"
        + (f" on t{0 if first else i - 1}.k = t{i}.k" if i else "")
        for i in range(copies)
    ]
    sql = "select count(*) from " + " join ".join(parts)
    name = f"{copies} copies, {'all with the first' if first else 'each with the one before'}"
    return Query(name, sql, tables=("copied",))


SUITE = Suite(
    "copies",
    "Filtered copies of one table, joined on one key: analysed, optimised and planned, not run.",
    tuple(_joined(copies, first) for copies in (2, 4, 8, 12, 16) for first in (True, False)),
    Generated({"copied": Made(2_000, _keyed, 8, Layout())}),
    scale=1,
    variants=(
        Variant(),
        Variant("no AQE", confs={"spark.sql.adaptive.enabled": "false"}),
        Variant("no broadcast", confs=NO_BROADCAST),
    ),
    confs={"spark.latebloom.join.minScanBytes": "0"},
    only_planned=True,
)
