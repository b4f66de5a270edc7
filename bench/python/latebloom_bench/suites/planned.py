# SPDX-License-Identifier: Apache-2.0
"""Queries that Spark plans with the rows that the same query's scans have counted before."""

from __future__ import annotations

from dataclasses import replace

from latebloom_bench._sides import OFF, ON, PLANNED
from latebloom_bench.suites import tpcds, tpch

SUITE = replace(
    tpcds.SUITE,
    name="planned",
    about="TPC-DS's 99 queries, planned with the rows of filtered scans, against the sizes of files.",
    variants=tpcds.SUITE.variants[:1],
    scale=5,
    sides=(ON, PLANNED, OFF),
    estimated=True,
)

TPCH = replace(
    tpch.SUITE,
    name="planned-tpch",
    about="TPC-H's 22 queries, planned with the rows of filtered scans, against the sizes of files.",
    variants=tpch.SUITE.variants[:1],
    scale=10,
    sides=(ON, PLANNED, OFF),
    estimated=True,
)
