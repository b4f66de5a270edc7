# SPDX-License-Identifier: Apache-2.0
"""One benchmark: a suite, the requested sides, a session, a report."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom._data import Cache
from latebloom._errors import LateBloomError
from latebloom._local import local_session

from latebloom_bench import _advice, _machine, _other, _plots
from latebloom_bench._report import Report
from latebloom_bench._run import Plan, Run, failures, run
from latebloom_bench._sides import DUCKDB, SPARK_PEERS, Duck, SparkSide
from latebloom_bench._suite import Suite
from latebloom_bench.tables._data import Directory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TESTKIT_JAR = "LATEBLOOM_TESTKIT_JAR"


@dataclass(frozen=True)
class Request:
    """The options of a run.

    Attributes:
        cache: the directory of generated data.
        out: the directory for the report.
        data: a directory with the suite's tables as ``<name>.parquet``, in place of generated ones.
        queries: the queries to run, by name or shell pattern; all if empty.
        variants: the variants to run them in, likewise.
        peers: further sides that run them: see ``_sides.PEERS``.
        runs: timed runs of each side.
        scale: scale factor in place of the suite's.
        master: where Spark runs in place of the suite's.
        memory: the driver's memory in place of the suite's.
        jars: another extension's jars; it runs in its own session, with ``confs``.
        confs: that session's settings.
    """

    cache: Path
    out: Path
    data: Path | None = None
    queries: Sequence[str] = ()
    variants: Sequence[str] = ()
    peers: Sequence[str] = ()
    runs: int = 3
    scale: float | None = None
    master: str = ""
    memory: str = ""
    jars: str = ""
    confs: Mapping[str, str] = field(default_factory=dict)


def bench(suite: Suite, request: Request) -> int:
    """Measures the suite, and writes ``<out>/<suite>.md``, ``.json`` and plots.

    Returns:
        0 if all answers are equal, 1 if one differs or failed, 130 if it was interrupted. A missed
        bar and a peer that cannot run are reported and are no errors.
    """
    cache = Cache(request.cache.resolve())
    suite = replace(
        suite, master=request.master or suite.master, memory=request.memory or suite.memory
    )
    plan = Plan(
        suite,
        suite.select(request.queries, cache),
        suite.select_variants(request.variants),
        Directory(request.data) if request.data else suite.data,
        request.scale or suite.scale,
        request.runs,
        cache,
    )
    sides = [*suite.sides, *(peer for peer in SPARK_PEERS if peer.name in request.peers)]
    about = {side.name: side.about for side in sides}
    problems: list[str] = []
    duck = _duck(suite, about, problems) if DUCKDB in request.peers else None
    confs = _confs(suite)
    other = _other_side(request, {**confs, **request.confs}, about, problems)
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    done = Run()
    try:
        _measure(plan, sides, duck, confs, done)
        if other:
            _other.measure(plan, other, _progress, done, problems)
    except KeyboardInterrupt:
        if not done.results:
            _progress("interrupted before anything was measured: no report is written")
            return 130
        done.complete = False
        _progress("interrupted: writing what there is")
    report = Report(
        suite=suite.name,
        about=suite.about,
        date=started,
        runs=request.runs,
        scale=plan.scale,
        complete=done.complete,
        sides=about,
        facts=done.facts,
        data=done.data,
        results=tuple(done.results),
        problems=tuple(problems),
    )
    return conclude(report, request.out)


def _measure(
    plan: Plan,
    sides: Sequence[SparkSide],
    duck: Duck | None,
    confs: Mapping[str, str],
    done: Run,
) -> None:
    """Runs the suite in its session."""
    suite = plan.suite
    with ExitStack() as stack:
        if suite.advised:
            logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latebloom-")))
            confs = {**confs, **_advice.confs(logs)}
        with local_session(
            f"bench {suite.name}", master=suite.master, memory=suite.memory, confs=confs
        ) as spark:
            _cancel_when_interrupted(spark, done)
            done.facts = _machine.describe(spark)
            run(plan, spark, sides, duck, _progress, done)
        if suite.advised:
            done.results[:] = _advice.expecting(done.results, sides[0].name, logs)


def _cancel_when_interrupted(spark: SparkSession, done: Run) -> None:
    """Ctrl-C cancels Spark's jobs, and the run ends when the waiting call returns.

    PySpark's own handler calls the JVM during another call, and mistakes that call's answer for its
    own.
    """

    def cancel() -> None:
        # The run and its session may have ended by now: a stopped context has no JVM to call.
        with suppress(AttributeError, *failures()):
            spark.sparkContext.cancelAllJobs()

    def interrupt(*_: object) -> None:
        done.interrupted = True
        # A separate thread has its own connection.
        threading.Thread(target=cancel, daemon=True).start()

    signal.signal(signal.SIGINT, interrupt)


def conclude(report: Report, out: Path) -> int:
    """Writes a report with its plots, prints its path, and returns the exit status."""
    out.mkdir(parents=True, exist_ok=True)
    _plots.draw(report, out)
    stem = report.write(out)
    for failure in report.failures:
        _progress(f"FAILED: {failure}")
    _progress(f"written: {stem}.md and .json")
    if not report.complete:
        return 130
    return 1 if report.failures else 0


def _confs(suite: Suite) -> dict[str, str]:
    if not suite.needs_testkit:
        return dict(suite.confs)
    jar = os.environ.get(TESTKIT_JAR, "")
    if not Path(jar).is_file():
        raise LateBloomError(
            f"suite {suite.name} needs the classes of jvm/testkit, which no package carries",
            where=f"{TESTKIT_JAR} = {jar!r}",
            fix=f"run ./dev/bench {suite.name} in a checkout",
        )
    # On the driver's own class path, so that tasks and Python count in one class.
    return {**suite.confs, "spark.driver.extraClassPath": jar}


def _other_side(
    request: Request, confs: Mapping[str, str], about: dict[str, str], problems: list[str]
) -> _other.Settings | None:
    if not (request.jars or request.confs):
        return None
    try:
        checked = _other.checked(request.jars, confs)
    except LateBloomError as error:
        problems.append(f"{_other.NAME}: {error.what}")
        _progress(str(error))
        return None
    about[_other.NAME] = _other.about(request.jars, request.confs)
    return checked


def _duck(suite: Suite, about: dict[str, str], problems: list[str]) -> Duck | None:
    asked = suite.master.removeprefix("local[").removesuffix("]")
    threads = int(asked) if asked.isdecimal() else os.cpu_count() or 1
    try:
        duck = Duck(threads)
    except LateBloomError as error:
        problems.append(error.what)
        _progress(str(error))
        return None
    about[DUCKDB] = f"DuckDB {duck.version} with {threads} threads over the same Parquet files"
    return duck


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
