# SPDX-License-Identifier: Apache-2.0
"""The JVM's micro-benchmarks (``jvm/bench``), run by sbt and reported like the other suites."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from latebloom._errors import LateBloomError

from latebloom_bench import _machine
from latebloom_bench._report import Measured, Report, Result

NAME = "jmh"
# The name of the method that does the same work with Spark's own code, if a class has one.
_SPARK = "spark"
_SECONDS = {"ns/op": 1e-9, "us/op": 1e-6, "ms/op": 1e-3, "s/op": 1.0}


def run(arguments: str) -> Report:
    """Runs JMH with these arguments (regular expressions of benchmarks, its own options)."""
    root = Path(__file__).parents[4]
    sbt = root / "dev" / "sbt"
    if not sbt.is_file():
        raise LateBloomError(
            "suite jmh builds and runs the sources of jvm/bench, which no package carries",
            where=str(root),
            fix="run ./dev/bench jmh in a checkout",
        )
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    with tempfile.TemporaryDirectory() as scratch:
        answer = Path(scratch, "jmh.json")
        task = f"bench/Jmh/run -rf json -rff {answer} {arguments}".strip()
        done = subprocess.run([str(sbt), task], check=False, stdout=sys.stderr)
        if done.returncode or not answer.is_file():
            raise LateBloomError(
                f"JMH ended with status {done.returncode}",
                where=task,
                fix="see its output above",
            )
        found = json.loads(answer.read_text(encoding="utf-8"))
    return report(found, started, _machine.host())


def report(found: Sequence[Mapping[str, Any]], date: str, facts: Mapping[str, Any]) -> Report:
    """Folds JMH's JSON: each method next to ``spark`` of its class with the same parameters."""
    measured = {_key(entry): _seconds(entry) for entry in found}
    results = []
    for (group, method, parameters), seconds in measured.items():
        base = measured.get((group, _SPARK, parameters))
        if method != _SPARK:
            sides = (Measured(_SPARK, seconds=base),) if base else ()
            results.append(
                Result(
                    variant=group,
                    query=" ".join((method, *parameters)),
                    sql="",
                    sides=(*sides, Measured("latebloom", seconds=seconds)),
                )
            )
    return Report(
        suite=NAME,
        about="JMH: one operation of ours next to Spark's own code on the same bytes. Times are of "
        "one operation, runs are its measured iterations.",
        date=date,
        runs=max((len(seconds) for seconds in measured.values()), default=0),
        scale=1,
        complete=True,
        sides={_SPARK: "Spark's own code", "latebloom": "ours"},
        facts=facts,
        data={},
        results=tuple(results),
    )


def _key(entry: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    group, _, method = entry["benchmark"].rpartition(".")
    parameters = tuple(f"{k}={v}" for k, v in sorted(entry.get("params", {}).items()))
    return group.rpartition(".")[2].removesuffix("Benchmark"), method, parameters


def _seconds(entry: Mapping[str, Any]) -> tuple[float, ...]:
    metric = entry["primaryMetric"]
    unit = _SECONDS.get(metric["scoreUnit"])
    if unit is None:
        raise LateBloomError(
            f"{entry['benchmark']} is measured in {metric['scoreUnit']}",
            where="JMH's JSON",
            fix="measure average time: -bm avgt",
        )
    return tuple(value * unit for fork in metric["rawData"] for value in fork)
