# SPDX-License-Identifier: Apache-2.0
"""All suites, by name."""

from __future__ import annotations

from latebloom.bench.suites import first_light, tpcds, tpch

SUITES = {suite.name: suite for suite in (first_light.SUITE, tpch.SUITE, tpcds.SUITE)}
