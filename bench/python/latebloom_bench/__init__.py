# SPDX-License-Identifier: Apache-2.0
"""``latebloom bench``: suites of queries, measured off and on in one session, and peers.

A suite (``suites/``) is data: queries, tables and variants. ``tables`` generates or finds the
tables, ``_sides`` run a query, ``_run`` compares answers and measures times, ``_advice`` asks
``latebloom advise`` about them, ``_report`` and ``_plots`` show them, ``_diff`` compares two runs.
``_control`` measures the control package itself.
"""

from latebloom_bench._bench import Request, bench
from latebloom_bench._diff import Diff, diff
from latebloom_bench._report import Measured, Report, Result, load
from latebloom_bench._suite import Query, Suite, Variant
from latebloom_bench.suites import SUITES

__all__ = [
    "SUITES",
    "Diff",
    "Measured",
    "Query",
    "Report",
    "Request",
    "Result",
    "Suite",
    "Variant",
    "bench",
    "diff",
    "load",
]
