# SPDX-License-Identifier: Apache-2.0
"""Large row groups of many columns in a small heap."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from latebloom_bench._suite import Query, Suite
from latebloom_bench.tables._generated import Generated, Layout, Made

_COLUMNS = 1000
# Incompressible longs: 128 MiB.
_GROUP_ROWS = 2**27 // (8 * _COLUMNS)


def _random(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    random = np.random.default_rng(start)
    columns = {f"c{i}": random.integers(-(2**62), 2**62, stop - start) for i in range(1, _COLUMNS)}
    # Even numbers, so that no statistics exclude an odd one.
    return {"c0": 2 * random.integers(0, 5000, stop - start), **columns}


_query = partial(Query, at_least=0.95)

SUITE = Suite(
    "memory",
    "1,000 columns in row groups of 128 MiB, in a heap of 1 GiB: all must end, and none be slower.",
    (
        _query("none", "select * from wide1000 where c0 = 77"),
        _query("0.02 %", "select * from wide1000 where c0 = 78"),
        _query("1 %", "select * from wide1000 where c0 % 200 = 14"),
        _query("half", "select * from wide1000 where c0 % 4 = 0"),
        _query("keeps all", "select * from wide1000 where c0 % 2 = 0"),
        _query("no filter", "select * from wide1000"),
    ),
    Generated(
        {
            "wide1000": Made(
                6 * _GROUP_ROWS,
                _random,
                8 * _COLUMNS,
                Layout(group_rows=_GROUP_ROWS),
            )
        }
    ),
    scale=1,
    memory="1g",
)
