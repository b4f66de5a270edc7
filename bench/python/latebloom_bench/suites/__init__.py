# SPDX-License-Identifier: Apache-2.0
"""All suites, by name."""

from __future__ import annotations

from latebloom_bench.suites import (
    adaptive,
    again,
    copies,
    dashboard,
    delta,
    first_light,
    iceberg,
    joins,
    memory,
    micro,
    orc,
    orders,
    planned,
    planning,
    scan,
    seeds,
    store,
    topk,
    tpcds,
    tpch,
    worst,
)

SUITES = {
    suite.name: suite
    for suite in (
        adaptive.SUITE,
        again.SUITE,
        again.STORE,
        again.INDEX,
        copies.SUITE,
        dashboard.SUITE,
        delta.SUITE,
        delta.TPCDS,
        first_light.SUITE,
        iceberg.SUITE,
        iceberg.TPCDS,
        joins.SUITE,
        memory.SUITE,
        micro.SUITE,
        micro.FULL_SUITE,
        orc.SUITE,
        orders.SUITE,
        planned.SUITE,
        planned.TPCH,
        planning.SUITE,
        scan.SUITE,
        seeds.SUITE,
        store.SUITE,
        topk.SUITE,
        tpcds.SUITE,
        tpcds.ADVICE,
        tpch.SUITE,
        worst.SUITE,
    )
}
