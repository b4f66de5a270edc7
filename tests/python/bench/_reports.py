# SPDX-License-Identifier: Apache-2.0
"""Reports to test with."""

from __future__ import annotations

from latebloom_bench import Measured, Report, Result

FACTS = {
    "machine": {"cores": 2},
    "versions": {"spark": "4.1.3"},
    "commit": "abc",
    "confs": {"spark.master": "local[2]"},
}


def measured(side, *seconds, answer="equal", **more):
    answer = "" if side == "off" else answer
    read = tuple(1_000_000 for _ in seconds)
    return Measured(side, answer, "1 rows", "", seconds, seconds, read, **more)


def result(query, *sides, **more):
    return Result("parquet", query, "select 1", sides, 1, **more)


def report(*results, **more):
    sides = {"off": "Spark alone", "on": "with LateBloom"}
    given = {"complete": True, "sides": sides, "problems": (), **more}
    return Report(
        suite="s",
        about="About.",
        date="now",
        runs=3,
        scale=1,
        facts=FACTS,
        data={"t": 10},
        results=results,
        **given,
    )


FASTER = result("faster", measured("off", 4.0, 4.1), measured("on", 1.0, 1.1))
SLOWER = result("slower", measured("off", 1.0, 1.1), measured("on", 2.0, 2.1), at_least=0.95)
