# SPDX-License-Identifier: Apache-2.0
"""Shows where the scans of a query spent rows, bytes and time."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom import _asking, _past, _whynot
from latebloom._errors import LateBloomError
from latebloom._explain import Explanation, Scan, to_explanation, to_scan
from latebloom._render import amount, html_table, seconds, table
from latebloom._session import require_extension

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame

_HEADER = ("step", "rows left", "of all", "time", "a row")

# Metrics of a scan that stand beside its funnel, in this order.
_BESIDE = (
    *("filesExcluded", "rowGroupsPruned", "rowGroupsAnswered", "rowGroupsSkipped"),
    *("rowGroupsLate", "rowGroupsEager", "pagesRead", "pagesSkipped"),
    *("valuesDecoded", "valuesSkipped", "bytesFetched", "bytesAvoided", "requests"),
    *("fetchTime", "filterTime", "payloadTime", "peakMemory"),
)


@dataclass(frozen=True)
class Metric:
    """A metric of a scan, summed over its tasks.

    Attributes:
        key: its name in the plan node.
        label: its name in the Spark UI.
        kind: ``sum``, ``size`` (bytes), ``timing`` (milliseconds) or ``nsTiming`` (nanoseconds).
        value: in this unit.
    """

    key: str
    label: str
    kind: str
    value: int

    def __str__(self) -> str:
        return amount(self.value, self.kind)


@dataclass(frozen=True)
class Step:
    """A step of a scan's funnel.

    Attributes:
        name: a filter as SQL, or what else drops rows.
        rows: how many reached the step.
        left: how many it left.
        seconds: the time that all tasks together spent in it; None if it is not measured.
    """

    name: str
    rows: int
    left: int
    seconds: float | None


@dataclass(frozen=True)
class ScanProfile:
    """What one scan did.

    Attributes:
        scan: the decision about it.
        steps: of a LateScan, from the rows of the row groups that were opened to those that were
            output. Filters that tested rows follow each other by how many: the scan orders them
            as it learns, so one may have tested fewer rows than the one above it left, or more.
        outcomes: what became of each filter by the keys of a join, and what the scan left out
            because an earlier query had seen it.
        metrics: all metrics of the node.
    """

    scan: Scan
    steps: tuple[Step, ...]
    outcomes: tuple[str, ...]
    metrics: tuple[Metric, ...]

    def metric(self, key: str) -> int:
        """A metric's value, 0 if the scan has none of this name."""
        return next((m.value for m in self.metrics if m.key == key), 0)

    def __str__(self) -> str:
        scan = self.scan
        lines = [f"{scan.node}  {scan.table}".rstrip()]
        if not scan.applied:
            return "\n".join([*lines, f"  left to Spark: [{scan.code}] {scan.reason}"])
        lines += [f"  {line}" for line in self._table().splitlines()]
        lines += [f"  {outcome}" for outcome in self.outcomes]
        lines += [f"  {m.label}: {m}" for m in self._beside()]
        return "\n".join(lines)

    def to_html(self) -> str:
        """Tables for a notebook, in its own colours."""
        scan = self.scan
        title = f"{scan.node} {scan.table}".strip()
        if not scan.applied:
            return f"<p><b>{html.escape(title)}</b> [{scan.code}] {html.escape(scan.reason)}</p>"
        outcomes = "".join(f"<li>{html.escape(outcome)}</li>" for outcome in self.outcomes)
        beside = [(m.label, str(m)) for m in self._beside()]
        return (
            html_table(_HEADER, self._rows(), caption=title)
            + (f"<ul>{outcomes}</ul>" if outcomes else "")
            + html_table(("metric", "value"), beside)
        )

    def _table(self) -> str:
        return table(_HEADER, self._rows(), right=(1, 2, 3, 4))

    def _rows(self) -> list[tuple[str, ...]]:
        whole = self.steps[0].rows if self.steps else 0
        return [_row(step, whole) for step in self.steps]

    def _beside(self) -> Iterator[Metric]:
        by_key = {m.key: m for m in self.metrics}
        return (by_key[key] for key in _BESIDE if key in by_key and by_key[key].value > 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {
            "scan": asdict(self.scan),
            "steps": [asdict(step) for step in self.steps],
            "outcomes": list(self.outcomes),
            "metrics": {m.key: m.value for m in self.metrics},
        }


@dataclass(frozen=True)
class Profile:
    """A query that was run.

    Attributes:
        seconds: wall-clock time of the run.
        rows: of the answer, which were counted and dropped; None of a query that had ended.
        scans: what each scan did, in plan order.
        whynot: what was left to Spark.
        explanation: the plan and all decisions.
    """

    seconds: float
    rows: int | None
    scans: tuple[ScanProfile, ...]
    whynot: _whynot.WhyNot
    explanation: Explanation

    def __str__(self) -> str:
        parts = [self._headline(), *map(str, self.scans)]
        if self.whynot.causes:
            parts.append(f"left to Spark:\n{self.whynot}")
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        left = f"<p>Left to Spark:</p>{self.whynot._repr_html_()}" if self.whynot.causes else ""
        scans = "".join(scan.to_html() for scan in self.scans)
        return f"<p>{self._headline()}</p>{scans}{left}"

    def _headline(self) -> str:
        rows = "" if self.rows is None else f", {self.rows:,} rows"
        return f"{seconds(self.seconds)}{rows}"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {
            "seconds": self.seconds,
            "rows": self.rows,
            "scans": [scan.to_dict() for scan in self.scans],
            **self.whynot.to_dict(),
        }

    def to_df(self) -> pandas.DataFrame:
        """The steps of all scans as a pandas DataFrame.

        Columns: ``scan``, ``table``, ``step``, ``rows``, ``left``, ``seconds``.

        Raises:
            LateBloomError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise LateBloomError(
                "pandas is not installed",
                where="this Python's environment",
                fix="pip install pandas, or use to_dict()",
            ) from None
        rows = [
            (i, s.scan.table, step.name, step.rows, step.left, step.seconds)
            for i, s in enumerate(self.scans)
            for step in s.steps
        ]
        return pandas.DataFrame(rows, columns=["scan", "table", "step", "rows", "left", "seconds"])


def profile(
    df: DataFrame | None = None,
    *,
    execution_id: int | None = None,
    event_log: str | os.PathLike[str] | None = None,
) -> Profile:
    """Tells what the scans of a query did.

    Args:
        df: a query, which is run once; its rows are dropped.
        execution_id: instead of ``df``, a query that has ended: its number in the SQL tab of the
            Spark UI. Of the active session's application, which keeps the last 200, or of
            ``event_log``.
        event_log: an event log of Spark that an application with LateBloom has written.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is neither of a local JVM nor of Spark Connect, or a query
            that has ended is asked for over Spark Connect.
        LateBloomError: no query is named, or more than one; nothing is known of it; the log cannot
            be read.
    """
    past = execution_id is not None or event_log is not None
    if (df is None) != past:
        raise LateBloomError(
            "profile takes a DataFrame, or a query that has ended",
            where="its arguments",
            fix="profile(df), profile(execution_id=3), or profile(event_log=FILE, execution_id=3)",
        )
    if df is not None:
        require_extension(df.sparkSession)
        return _profile(json.loads(_asking.of(df.sparkSession).profile(df.select("*"))))
    if event_log is not None:
        return _profile(_past.of_log(Path(event_log), execution_id))
    assert execution_id is not None
    return _profile(_past.of_application(execution_id))


def _profile(told: dict[str, Any]) -> Profile:
    explanation = to_explanation(told)
    return Profile(
        seconds=told["seconds"],
        rows=told.get("rows"),
        scans=tuple(map(_scan, told["scans"])),
        whynot=_whynot.of(told),
        explanation=explanation,
    )


def _scan(told: dict[str, Any]) -> ScanProfile:
    return ScanProfile(
        scan=to_scan(told),
        steps=tuple(map(_step, told["steps"])),
        outcomes=tuple(told["outcomes"]),
        metrics=tuple(Metric(**metric) for metric in told["metrics"]),
    )


def _step(told: dict[str, Any]) -> Step:
    nanos = told.get("nanos")
    return Step(told["name"], told["rows"], told["left"], None if nanos is None else nanos / 1e9)


def _row(step: Step, whole: int) -> tuple[str, ...]:
    took, of_row = "", ""
    if step.seconds is not None:
        took = seconds(step.seconds)
        of_row = f"{step.seconds * 1e9 / step.rows:.1f} ns" if step.rows else ""
    share = f"{step.left / whole:.2%}" if whole else ""
    return step.name, f"{step.left:,}", share, took, of_row
