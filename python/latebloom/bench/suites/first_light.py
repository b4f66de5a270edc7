# SPDX-License-Identifier: Apache-2.0
"""The first queries that LateBloom was measured with, and the bars that they have to clear."""

from __future__ import annotations

from latebloom.bench import _tpch
from latebloom.bench._suite import Suite

SUITE = Suite(
    "first-light",
    "Nine queries over TPC-H's lineitem: four that select, and five that gain little by design.",
    (
        _tpch.LIKE,
        _tpch.PARTKEY,
        _tpch.DICTIONARY,
        _tpch.QUANTITY,
        _tpch.Q1,
        _tpch.Q6,
        _tpch.NO_FILTER,
        _tpch.KEEPS_ALL,
        _tpch.KEEPS_ALL_UNPROVEN,
    ),
    _tpch.Tpch("128MB"),
    scale=10,
)
