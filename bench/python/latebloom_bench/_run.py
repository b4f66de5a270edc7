# SPDX-License-Identifier: Apache-2.0
"""Runs a suite: answers first, which also warms up, then timed runs in turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from latebloom import _jvm, cache, index
from latebloom._compare import in_turns
from latebloom._data import Cache
from latebloom._digest import Digest, digest_query, has_floating_column, to_digest
from latebloom._errors import LateBloomError
from latebloom._names import INDEX_PATH_KEY

from latebloom_bench import _advice, _answers
from latebloom_bench._estimates import Estimates, estimates
from latebloom_bench._jvm import drain, shuffled
from latebloom_bench._jvm import plan as plan_only
from latebloom_bench._report import ALIKE, DIFFERENT, EQUAL, FAILED, ROUNDED, Measured, Result
from latebloom_bench._sides import (
    DUCKDB,
    Cost,
    Duck,
    Meter,
    SparkSide,
    confs_set,
    spark_meter,
)
from latebloom_bench._suite import Query, Suite, Variant
from latebloom_bench.tables._data import Data, as_orc, size_of
from latebloom_bench.tables._delta import Deltas
from latebloom_bench.tables._written import Written

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """The queries of a suite to run, and how often."""

    suite: Suite
    queries: tuple[Query, ...]
    variants: tuple[Variant, ...]
    data: Data
    scale: float
    runs: int
    cache: Cache


@dataclass
class Run:
    """The results so far; an interrupted run keeps them."""

    results: list[Result] = field(default_factory=list)
    data: dict[str, int] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = False
    interrupted: bool = False

    def go_on(self) -> None:
        """Raises KeyboardInterrupt if the run was interrupted; called between two calls."""
        if self.interrupted:
            raise KeyboardInterrupt

    def add(self, result: Result) -> None:
        """Adds a query's result."""
        self.results.append(result)


def run(
    plan: Plan,
    spark: SparkSession,
    sides: Sequence[SparkSide],
    duck: Duck | None,
    progress: Progress,
    done: Run,
) -> None:
    """Measures every query in every variant, and adds each result to ``done`` at once.

    A failure is named in its result, and the run continues.
    """
    total = len(plan.queries) * len(plan.variants)
    for variant in plan.variants:
        tables = _Tables(plan, spark, duck, variant, done.data)
        bench = _Bench(plan, spark, sides, duck, spark_meter(spark, variant.scheme), done)
        for query in plan.queries:
            progress(f"[{len(done.results) + 1}/{total}] {variant.name}, {query.name} ...")
            problem = tables.missing(query)
            result = (
                _result(
                    variant, query, tuple(Measured(s.name, FAILED, problem=problem) for s in sides)
                )
                if problem
                else bench.result(variant, query)
            )
            done.go_on()
            done.add(result)
            progress("    " + ", ".join(map(_told, result.sides)))
    done.complete = True


class _Tables:
    """The views of one variant, each created for the first query that uses it."""

    def __init__(
        self,
        plan: Plan,
        spark: SparkSession,
        duck: Duck | None,
        variant: Variant,
        sizes: dict[str, int],
    ) -> None:
        self._plan, self._spark, self._duck, self._variant = plan, spark, duck, variant
        self._sizes = sizes
        self._problems: dict[str, str] = {}

    def missing(self, query: Query) -> str:
        """Creates the query's tables; returns why one of them failed, or nothing."""
        for name in query.tables or self._plan.data.names():
            if name not in self._problems:
                self._problems[name] = self._view(name)
            if self._problems[name]:
                return self._problems[name]
        return ""

    def _view(self, name: str) -> str:
        plan, form = self._plan, self._variant.format
        try:
            path = plan.data.table(name, plan.scale, plan.cache)
            if self._duck and form == "parquet":
                self._duck.view(name, path)
            if form == "orc":
                path = as_orc(self._spark, path, plan.cache)
            if isinstance(plan.data, Written):
                path = plan.data.written(self._spark, name, path, plan.cache)
            where = f"{self._variant.scheme}:{path.resolve()}"
            table = self._spark.read.format(form).load(where)
            table.createOrReplaceTempView(name)
            if name in plan.suite.indexed:
                folder = f"{where}-index"
                index.build(self._spark, table, columns=plan.suite.indexed[name], into=folder)
                self._spark.conf.set(INDEX_PATH_KEY, folder)
            self._sizes[name if form == "parquet" else f"{name} ({form})"] = size_of(path)
        except failures() as error:
            return f"{name}: {said(error)}"
        return ""


@dataclass(frozen=True)
class _Answer:
    digest: Digest
    rounded: Digest | None
    scan: Mapping[str, int]
    shuffled: int | None


_T = TypeVar("_T")


class _Bench:
    def __init__(
        self,
        plan: Plan,
        spark: SparkSession,
        sides: Sequence[SparkSide],
        duck: Duck | None,
        meter: Meter,
        done: Run,
    ) -> None:
        self._spark, self._sides, self._runs = spark, sides, plan.runs
        self._only_planned, self._advised = plan.suite.only_planned, plan.suite.advised
        self._estimated = plan.suite.estimated
        # Below a write to a DataSource V2 Delta does not prepare its scans.
        self._drains = isinstance(plan.data, Deltas)
        self._duck = None if self._only_planned else duck
        self._meter, self._done = meter, done

    def result(self, variant: Variant, query: Query) -> Result:
        with confs_set(self._spark, {**variant.confs, **query.confs}):
            duck = self._duck if variant.format == "parquet" else None
            ask: Callable[[SparkSide, Query], _Answer | None]
            ask = self._planned if self._only_planned else self._answer
            answers = {s.name: self._caught(partial(ask, s, query)) for s in self._sides}
            problems = {name: a.text for name, a in answers.items() if isinstance(a, _Problem)}
            base = answers[self._sides[0].name]
            verdicts = {side.name: _verdict(base, answers[side.name]) for side in self._sides[1:]}
            if duck:
                check = self._noted(DUCKDB, partial(self._alike, duck, query), problems)
                if check is not None:
                    verdicts[DUCKDB] = ALIKE if check else DIFFERENT
            costs = self._timed(query, duck, problems)
            planned = self._planned_as(query, problems) if self._estimated else {}
        names = [side.name for side in self._sides] + ([DUCKDB] if duck else [])
        measured = []
        for name in names:
            answer = answers.get(name)
            took = () if name in problems else costs[name]
            known = answer if isinstance(answer, _Answer) else None
            measured.append(
                Measured(
                    name,
                    answer=FAILED if name in problems else verdicts.get(name, ""),
                    digest=str(known.digest) if known else "",
                    rounded_digest=str(known.rounded) if known and known.rounded else "",
                    seconds=tuple(c.seconds for c in took),
                    cpu=tuple(c.cpu for c in took),
                    read=tuple(c.read for c in took if c.read is not None),
                    requests=tuple(c.requests for c in took if c.requests),
                    scan=known.scan if known else {},
                    shuffled=known.shuffled if known else None,
                    estimates=planned.get(name),
                    problem=problems.get(name, ""),
                )
            )
        rows = base.digest.rows if isinstance(base, _Answer) else None
        return _result(variant, query, tuple(measured), rows)

    def _planned(self, side: SparkSide, query: Query) -> None:
        """Warms up a side without comparing an answer."""
        self._run(side, query)

    def _answer(self, side: SparkSide, query: Query) -> _Answer:
        with confs_set(self._spark, side.confs):
            df = self._spark.sql(query.unlimited)
            digested = digest_query(df)
            digest = to_digest(digested)
            scan: dict[str, int] = {}
            for node in json.loads(_jvm.metrics(digested)) if side.latebloom else ():
                for key, value in node.items():
                    if key != "node":
                        scan[key] = scan.get(key, 0) + int(value)
            floating = query.settled and has_floating_column(df)
            rounded = to_digest(digest_query(df, approximate=True)) if floating else None
            if not query.settled:
                digest = Digest(digest.rows, 0, 0)
            written = shuffled(digested) if side.latebloom else None
            return _Answer(digest, rounded, scan, written)

    def _alike(self, duck: Duck, query: Query) -> bool:
        with confs_set(self._spark, self._sides[0].confs):
            summary = _answers.summary_sql(self._spark.sql(query.unlimited), query.unlimited)
            return _answers.alike(self._spark.sql(summary).collect()[0], duck.rows(summary)[0])

    def _planned_as(self, query: Query, problems: dict[str, str]) -> dict[str, Estimates]:
        found = {}
        for side in self._sides:
            if side.latebloom and side.name not in problems:
                made = self._noted(side.name, partial(self._estimates, side, query), problems)
                if made is not None:
                    found[side.name] = made
        return found

    def _estimates(self, side: SparkSide, query: Query) -> Estimates:
        with confs_set(self._spark, side.confs):
            return estimates(self._spark, query.sql)

    def _timed(
        self, query: Query, duck: Duck | None, problems: dict[str, str]
    ) -> dict[str, list[Cost]]:
        turns: list[tuple[str, Callable[[], Cost]]] = [
            (side.name, partial(self._run, side, query)) for side in self._sides
        ]
        if duck:
            turns.append((DUCKDB, partial(duck.run, query.sql)))
        turns = [turn for turn in turns if turn[0] not in problems]
        costs: dict[str, list[Cost]] = {name: [] for name, _ in turns}
        for name, turn in in_turns(turns, self._runs):
            if name not in problems:
                cost = self._noted(name, turn, problems)
                if cost is not None:
                    costs[name].append(cost)
        return costs

    def _noted(self, side: str, call: Callable[[], _T], problems: dict[str, str]) -> _T | None:
        """A call's answer; None if it failed, which is then a problem of that side."""
        found = self._caught(call)
        if isinstance(found, _Problem):
            problems[side] = found.text
            return None
        return found

    def _caught(self, call: Callable[[], _T]) -> _T | _Problem:
        """A call's answer or its error: one query's failure does not end the run."""
        self._done.go_on()
        try:
            return call()
        except failures() as error:
            return _Problem(said(error))

    def _run(self, side: SparkSide, query: Query) -> Cost:
        described = (
            _advice.described(self._spark, side.name, query.name)
            if self._advised
            else nullcontext()
        )
        with confs_set(self._spark, side.confs), described:
            if side.follows:
                cache(self._spark).clear()
                self._end(query.before)
            with self._meter.measured() as taken:
                self._end(query.sql)
        return taken[0]

    def _end(self, sql: str) -> None:
        """Plans a query, and runs it to its last row."""
        df = self._spark.sql(sql)
        if self._only_planned:
            plan_only(df)
        elif self._drains:
            drain(df)
        else:
            _positional(df).write.format("noop").mode("overwrite").save()


def _positional(df: DataFrame) -> DataFrame:
    """The same columns, numbered if two have one name, which no sink accepts."""
    names = df.columns
    return df if len(set(names)) == len(names) else df.toDF(*map(str, range(len(names))))


@dataclass(frozen=True)
class _Problem:
    text: str


def failures() -> tuple[type[Exception], ...]:
    """Errors of an engine, its connection or the disk; any other is a bug of ours."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    known: list[type[Exception]] = [LateBloomError, Py4JError, PySparkException, OSError]
    with suppress(ImportError):
        import duckdb

        known.append(duckdb.Error)
    return tuple(known)


def said(error: Exception) -> str:
    """An engine's message for a failure, in one line."""
    said = _jvm.failure(error) or str(error) or type(error).__name__
    return " ".join(said.split())[:500]


def _verdict(base: _Answer | _Problem | None, other: _Answer | _Problem | None) -> str:
    if not (isinstance(base, _Answer) and isinstance(other, _Answer)):
        return ""
    if base.digest == other.digest:
        return EQUAL
    return ROUNDED if base.rounded and base.rounded == other.rounded else DIFFERENT


def _result(
    variant: Variant, query: Query, sides: tuple[Measured, ...], rows: int | None = None
) -> Result:
    return Result(
        variant=variant.name,
        query=query.name,
        sql=query.sql,
        sides=sides,
        rows=rows,
        at_least=query.at_least,
        chart=query.chart,
        selectivity=query.selectivity,
        seed=query.seed,
    )


def _told(side: Measured) -> str:
    time = f"{side.median:.2f} s" if side.seconds else side.problem
    return f"{side.side} {time}{' ' if side.answer else ''}{side.answer}"
