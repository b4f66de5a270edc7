# SPDX-License-Identifier: Apache-2.0
"""A run's figures: JSON for programs, Markdown for people."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from latebloom._errors import LateBloomError

from latebloom_bench import _advice, _estimates
from latebloom_bench._estimates import Estimates

EQUAL, ROUNDED, ALIKE, DIFFERENT, FAILED = "equal", "rounded", "alike", "DIFFERENT", "failed"
# A smaller relative difference never counts as a change, however steady the runs were.
_NOISE, _NOISE_OF_ONE_RUN = 0.03, 0.10


@dataclass(frozen=True)
class Measured:
    """The measurements of one side on one query.

    Attributes:
        answer: ``equal`` to the baseline's; ``rounded``: equal in ten digits of its floating-point
            columns; ``alike``: another engine's, equal in row count and one figure per column;
            ``DIFFERENT``; ``failed``; empty if nothing is compared.
        digest: row count and digest of its answer.
        rounded_digest: the same in ten digits of floating-point columns, empty without any.
        seconds: wall-clock time of each timed run.
        cpu: processor time of each.
        read: bytes that each read, empty if the operating system does not report them.
        requests: requests to a slow store, empty for other file systems.
        scan: metrics of its LateScans, summed.
        shuffled: bytes that its shuffles wrote, None if unknown.
        estimates: what it was planned with, None if the suite does not ask.
        problem: why it failed.
    """

    side: str
    answer: str = ""
    digest: str = ""
    rounded_digest: str = ""
    seconds: tuple[float, ...] = ()
    cpu: tuple[float, ...] = ()
    read: tuple[int, ...] = ()
    requests: tuple[int, ...] = ()
    scan: Mapping[str, int] = field(default_factory=dict)
    shuffled: int | None = None
    estimates: Estimates | None = None
    problem: str = ""

    @property
    def median(self) -> float:
        """Median of the seconds."""
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """Distance between the fastest and the slowest run, over the median."""
        return (max(self.seconds) - min(self.seconds)) / self.median


@dataclass(frozen=True)
class Result:
    """One query in one variant: all its sides, the baseline first.

    Attributes:
        expected: the speed-up that ``latebloom advise`` expects by the baseline's event log, 0 if
            it was not asked.
    """

    variant: str
    query: str
    sql: str
    sides: tuple[Measured, ...]
    rows: int | None = None
    at_least: float = 0.0
    chart: str = ""
    selectivity: float = 0.0
    seed: str = ""
    expected: float = 0.0

    def side(self, name: str) -> Measured | None:
        """The side of that name, if it took part and was timed."""
        return next((s for s in self.sides if s.side == name and s.seconds), None)

    def speedup(self, of: str, over: str) -> float | None:
        """Median of ``over`` over the median of ``of``; None if one of them has no times."""
        one, other = self.side(of), self.side(over)
        return other.median / one.median if one and other else None


@dataclass(frozen=True)
class Report:
    """One run of a suite.

    Attributes:
        complete: False if it was interrupted.
        sides: descriptions of the sides, the baseline first, the measured side second.
        facts: machine, versions, commit and confs.
        data: bytes of each table.
        problems: failures other than those of single results.
    """

    suite: str
    about: str
    date: str
    runs: int
    scale: float
    complete: bool
    sides: Mapping[str, str]
    facts: Mapping[str, Any]
    data: Mapping[str, int]
    results: tuple[Result, ...]
    problems: tuple[str, ...] = ()

    @property
    def baseline(self) -> str:
        """The side with which the others are compared."""
        return next(iter(self.sides))

    @property
    def subject(self) -> str:
        """The side that the suite is about."""
        return list(self.sides)[min(1, len(self.sides) - 1)]

    @property
    def failures(self) -> list[str]:
        """Answers that differ, and queries that one of the two main sides could not run."""
        return [
            f"{r.variant}, {r.query}: {s.side} {s.answer}{': ' if s.problem else ''}{s.problem}"
            for r in self.results
            for s in r.sides
            if s.answer == DIFFERENT
            and s.side != "duckdb"
            or s.answer == FAILED
            and s.side in (self.baseline, self.subject)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return asdict(self)

    def write(self, directory: Path) -> Path:
        """Writes ``<suite>.json`` and ``<suite>.md``, and returns their path without suffix."""
        directory.mkdir(parents=True, exist_ok=True)
        stem = directory / self.suite
        _replace(stem.with_suffix(".json"), json.dumps(self.to_dict(), indent=1) + "\n")
        _replace(stem.with_suffix(".md"), markdown(self, directory))
        return stem


def _replace(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    aside = path.with_name(f".{path.name}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def load(path: Path) -> Report:
    """Reads a report's JSON."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        results = tuple(
            Result(
                **{
                    **result,
                    "sides": tuple(
                        Measured(
                            **{
                                **side,
                                **{
                                    key: tuple(side[key])
                                    for key in ("seconds", "cpu", "read", "requests")
                                },
                                "estimates": _to_estimates(side.get("estimates")),
                            }
                        )
                        for side in result["sides"]
                    ),
                }
            )
            for result in read["results"]
        )
        return Report(**{**read, "results": results, "problems": tuple(read["problems"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LateBloomError(
            f"not a report of a benchmark: {error}",
            where=str(path),
            fix="name the .json that latebloom bench wrote",
        ) from None


def _to_estimates(read: Mapping[str, Any] | None) -> Estimates | None:
    return Estimates(**{**read, "q_errors": tuple(read["q_errors"])}) if read else None


def beyond_noise(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two series of times differ by more than their own scatter."""
    a, b = statistics.median(one), statistics.median(other)
    floor = _NOISE if min(len(one), len(other)) > 1 else _NOISE_OF_ONE_RUN
    apart = max(one) < min(other) or max(other) < min(one)
    return apart and abs(a - b) > floor * min(a, b)


def markdown(report: Report, directory: Path) -> str:
    """The report for people: losses first."""
    lines = [f"# {report.suite}", "", report.about, ""]
    if not report.complete:
        lines += ["**Interrupted: the report is incomplete.**", ""]
    lines += [_method(report), ""]
    wrong = [*report.failures, *report.problems, *_peer_problems(report)]
    if wrong:
        lines += ["## What went wrong", "", *(f"- {line}" for line in wrong), ""]
    lines += ["## In short", "", *_used(_SHORT, _in_short(report)), ""]
    advised = _advice.quality(report.results, report.baseline, report.subject)
    if advised:
        lines += [f"{advised}", ""]
    planned = _estimates.told(
        [
            (one.estimates, other.estimates)
            for one, other in _pairs(report, report.results)
            if one.estimates and other.estimates
        ]
    )
    if planned:
        lines += [planned, ""]
    for image in sorted(directory.glob(f"{report.suite}-*.png")):
        lines += [f"![{image.stem}]({image.name})", ""]
    for variant in dict.fromkeys(r.variant for r in report.results):
        found = [r for r in report.results if r.variant == variant]
        lines += [f"## {variant}", "", *_results(report, found), ""]
    return "\n".join([*lines, *_facts(report), ""])


def _method(report: Report) -> str:
    sides = "; ".join(f"`{name}`: {about}" for name, about in report.sides.items())
    if not report.data:
        return f"{report.date}. {sides}. Median (fastest) of {report.runs} timed runs."
    return (
        f"{report.date}, scale factor {report.scale:g}, {sum(report.data.values()):,} bytes in "
        f"{len(report.data)} tables. {sides}. Sides that share a session take turns, "
        f"{report.runs} timed runs each after one run that warms up and compares the answers; "
        "results go to the `noop` sink. Seconds of wall-clock time, median (fastest); spread is "
        "slowest less fastest over the median; the speed-up is of the medians. CPU is that of the "
        "engine's whole process, JIT and garbage collection included; read is what the process "
        "read through system calls, cached files and shuffle files included. Answers are equal as "
        "multisets of rows, a last `LIMIT` left out; `rounded`: in ten digits of floating-point "
        "columns; another engine's are only `alike`: row count, and a sum for each column."
    )


def _peer_problems(report: Report) -> list[str]:
    told = (report.baseline, report.subject)
    return [
        f"{r.variant}, {r.query}: {s.side} {s.answer}{': ' if s.problem else ''}{s.problem}"
        for r in report.results
        for s in r.sides
        if s.side not in told and s.answer == FAILED or s.side == "duckdb" and s.answer == DIFFERENT
    ]


_SHORT = (
    *("variant", "queries", "faster", "slower", "geometric mean", "median difference", "total"),
    "total of baseline",
)


def _in_short(report: Report) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for variant in dict.fromkeys(r.variant for r in report.results):
        pairs = _pairs(report, [r for r in report.results if r.variant == variant])
        if not pairs:
            continue
        changed = [(a, b) for a, b in pairs if beyond_noise(a.seconds, b.seconds)]
        faster = sum(a.median > b.median for a, b in changed)
        more = statistics.median(b.median - a.median for a, b in pairs)
        mean = statistics.geometric_mean([a.median / b.median for a, b in pairs])
        rows.append(
            (
                variant,
                str(len(pairs)),
                str(faster),
                str(len(changed) - faster),
                f"{mean:.2f}x",
                f"{1e3 * more:+,.1f} ms" if abs(more) >= 1e-4 else "",
                f"{sum(b.median for _, b in pairs):.1f} s",
                f"{sum(a.median for a, _ in pairs):.1f} s",
            )
        )
    return rows


def _pairs(report: Report, results: Sequence[Result]) -> list[tuple[Measured, Measured]]:
    """The baseline and the subject of each query that ran on both."""
    sides = [(r.side(report.baseline), r.side(report.subject)) for r in results]
    return [(one, other) for one, other in sides if one and other]


def _results(report: Report, results: Sequence[Result]) -> list[str]:
    base, subject = report.baseline, report.subject
    peers = [name for name in report.sides if name not in (base, subject)]
    header = ["query", "speed-up", "at least", "expected", base, subject, "spread"]
    header += [*peers, f"CPU {base}", f"CPU {subject}", f"read {base}", f"read {subject}"]
    header += [f"requests {base}", f"requests {subject}"]
    header += [f"shuffled {base}", f"shuffled {subject}"]
    header += [f"broadcasts {base}", f"broadcasts {subject}"]
    header += ["rows", "answer", "the seed's"]
    rows = []
    for r in sorted(results, key=lambda r: r.speedup(subject, base) or float("inf")):
        one, other = r.side(base), r.side(subject)
        speedup = r.speedup(subject, base)
        row = [r.query, "" if speedup is None else f"{speedup:.2f}x"]
        missed = " **missed**" if speedup is not None and speedup < r.at_least else ""
        row.append(f"{r.at_least:g}x{missed}" if r.at_least else "")
        row.append(f"{r.expected:.2f}x" if r.expected else "")
        row += [_time(one), _time(other)]
        row.append(" ".join(f"{100 * s.spread:.0f}%" for s in (one, other) if s))
        row += [_time(r.side(name)) for name in peers]
        row += [_median(s.cpu if s else (), "{:.1f}") for s in (one, other)]
        row += [_median([b / 1e6 for b in s.read] if s else (), "{:,.0f} MB") for s in (one, other)]
        row += [_median(s.requests if s else (), "{:,.0f}") for s in (one, other)]
        row += [f"{s.shuffled / 1e6:,.1f} MB" if s and s.shuffled else "" for s in (one, other)]
        row += [f"{s.estimates.broadcasts}" if s and s.estimates else "" for s in (one, other)]
        row += ["" if r.rows is None else f"{r.rows:,}", _answers(r)]
        rows.append([*row, r.seed])
    return _used(header, rows)


def _answers(result: Result) -> str:
    return ", ".join(
        s.answer if len(result.sides) == 2 else f"{s.side} {s.answer}"
        for s in result.sides
        if s.answer
    )


_UNITS = ((0.1, 1.0, ""), (1e-3, 1e3, " ms"), (0.0, 1e9, " ns"))


def _time(side: Measured | None) -> str:
    if side is None:
        return ""
    # Queries take seconds, their planning milliseconds, and JMH's operations nanoseconds.
    factor, unit = next((f, u) for least, f, u in _UNITS if side.median >= least)
    return f"{factor * side.median:,.2f} ({factor * min(side.seconds):,.2f}){unit}"


def _median(values: Sequence[float], form: str) -> str:
    return form.format(statistics.median(values)) if values else ""


def _used(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of the columns that are not empty."""
    used = [i for i in range(len(header)) if any(row[i] for row in rows)]
    return _table([header[i] for i in used], [[row[i] for i in used] for row in rows])


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def _facts(report: Report) -> list[str]:
    facts = report.facts
    flat = {**facts["machine"], **facts["versions"], "commit": facts["commit"]}
    return [
        "## Run on",
        "",
        *(f"- {key}: {value}" for key, value in flat.items()),
        *(f"- `{key}` = `{value}`" for key, value in facts["confs"].items()),
    ]
