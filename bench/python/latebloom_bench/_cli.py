# SPDX-License-Identifier: Apache-2.0
"""``latebloom bench``: its arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from latebloom._arguments import above_zero, add_cache, add_runs, pair
from latebloom._data import Cache
from latebloom._errors import LateBloomError

from latebloom_bench import _control
from latebloom_bench._bench import Request, bench, conclude
from latebloom_bench._diff import diff
from latebloom_bench._report import load
from latebloom_bench._sides import PEERS
from latebloom_bench.suites import SUITES, jmh

_SUITES = sorted([*SUITES, _control.NAME, jmh.NAME])


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns the exit status: see ``latebloom.__main__.main``."""
    options = _parser().parse_args(arguments)
    if options.compare:
        before, after = map(load, options.compare)
        found = diff(before, after)
        print(found)
        return 1 if found.regressed else 0
    if options.suite is None:
        raise LateBloomError(
            "no suite is named",
            where="latebloom bench",
            fix=f"choose one of {', '.join(_SUITES)}, or --compare two reports",
        )
    if options.suite == jmh.NAME:
        return conclude(jmh.run(options.jmh), options.out)
    if options.suite == _control.NAME:
        report = _control.run(Cache(options.cache.resolve()), options.runs, options.scale)
        return conclude(report, options.out)
    return bench(
        SUITES[options.suite],
        Request(
            cache=options.cache,
            out=options.out,
            data=options.data,
            queries=options.query,
            variants=options.variant,
            peers=options.peer,
            runs=options.runs,
            scale=options.scale,
            master=options.master,
            memory=options.memory,
            jars=options.jars,
            confs=dict(options.conf),
        ),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="latebloom bench", description="Measure a suite of queries off and on; report it."
    )

    def repeatable(flag: str, metavar: str, about: str, **more: Any) -> None:
        parser.add_argument(
            flag, action="append", default=[], metavar=metavar, help=f"{about} (repeatable)", **more
        )

    parser.add_argument("suite", nargs="?", choices=_SUITES)
    parser.add_argument("--scale", type=above_zero, help="scale factor in place of the suite's")
    add_cache(parser)
    add_runs(parser)
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="use DIR's <table>.parquet, generate nothing"
    )
    repeatable("--query", "NAME", "only queries of this name or shell pattern")
    repeatable("--variant", "NAME", "only variants of this name or shell pattern")
    repeatable("--peer", "NAME", f"also measure: {', '.join(PEERS)}", choices=PEERS)
    parser.add_argument("--master", default="", help="Spark's master in place of the suite's")
    parser.add_argument(
        "--memory", default="", metavar="SIZE", help="the driver's memory in place of the suite's"
    )
    parser.add_argument(
        "--jars", default="", help="another extension's jars, in a separate session"
    )
    repeatable("--conf", "KEY=VALUE", "a setting of that session", type=pair)
    parser.add_argument("--jmh", default="", metavar="ARGS", help="arguments of JMH for suite jmh")
    parser.add_argument(
        "--out", type=Path, default=Path(), help="directory for the report, default: here"
    )
    parser.add_argument(
        "--compare",
        nargs=2,
        type=Path,
        metavar=("A.json", "B.json"),
        help="list changes from report A to B beyond noise; measures nothing",
    )
    return parser
