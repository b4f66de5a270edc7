# SPDX-License-Identifier: Apache-2.0
"""The first queries of LateBloom's measurements, with their bars."""

from __future__ import annotations

from latebloom._data import Tpch

from latebloom_bench._suite import Suite
from latebloom_bench.tables import _lineitem

SUITE = Suite(
    "first-light",
    "Nine queries over TPC-H's lineitem: four that select, and five that gain little by design.",
    (
        _lineitem.LIKE,
        _lineitem.PARTKEY,
        _lineitem.DICTIONARY,
        _lineitem.QUANTITY,
        _lineitem.Q1,
        _lineitem.Q6,
        _lineitem.NO_FILTER,
        _lineitem.KEEPS_ALL,
        _lineitem.KEEPS_ALL_UNPROVEN,
    ),
    Tpch("128MB"),
    scale=10,
)
