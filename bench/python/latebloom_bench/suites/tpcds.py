# SPDX-License-Identifier: Apache-2.0
"""All 99 queries of TPC-DS; texts and data come from DuckDB's tpcds extension."""

from __future__ import annotations

from dataclasses import replace

from latebloom_bench._suite import Suite
from latebloom_bench.suites.tpch import MEMORY, VARIANTS
from latebloom_bench.tables._tpcds import Tpcds, queries

SUITE = Suite(
    "tpcds",
    "TPC-DS's 99 queries, on Parquet and ORC, with joins as Spark decides and without broadcasts.",
    queries,
    Tpcds(),
    scale=1,
    variants=VARIANTS,
    memory=MEMORY,
)

ADVICE = replace(
    SUITE,
    name="advise",
    about="Which of TPC-DS's 99 queries `latebloom advise` names, and what they gain.",
    variants=SUITE.variants[:1],
    scale=5,
    advised=True,
)
