# SPDX-License-Identifier: Apache-2.0
"""The time that LateBloom adds to the planning of a query."""

from __future__ import annotations

from dataclasses import replace

from latebloom_bench.suites import tpcds

SUITE = replace(
    tpcds.SUITE,
    name="planning",
    about="TPC-DS's 99 queries, analysed, optimised and planned, but not run.",
    variants=tpcds.SUITE.variants[:1],
    only_planned=True,
)
