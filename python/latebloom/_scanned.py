# SPDX-License-Identifier: Apache-2.0
"""What one scan of a query did: rows, columns, visits of row groups, metrics."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from latebloom._explain import Scan, to_scan
from latebloom._render import amount, html_table, seconds, table

_HEADER = ("step", "rows left", "of all", "time", "a row")
_COLUMNS_HEADER = ("column", "read as", "values decoded", "by Spark's reader", "skipped")

# Columns of a wide table that text and HTML show: those with the most decoded values.
_MOST_COLUMNS = 12

# Metrics of a scan that stand beside its funnel, in this order.
_BESIDE = (
    *("filesExcluded", "rowGroupsPruned", "rowGroupsAnswered", "rowGroupsSkipped"),
    *("pagesRead", "pagesSkipped"),
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
class Visits:
    """In how many visits a scan read row groups that had a surviving row, and why.

    Attributes:
        kind: ``late``, filter columns first and then what the surviving rows need, or ``eager``,
            all at once.
        code: the reason's name, the same in all versions.
        reason: the reason as a sentence.
        row_groups: how many.
    """

    kind: str
    code: str
    reason: str
    row_groups: int

    def __str__(self) -> str:
        how = "late" if self.kind == "late" else "eagerly"
        return f"row groups read {how}, as {self.reason}: {self.row_groups:,}"


@dataclass(frozen=True)
class Column:
    """What a scan read of a column, in the row groups that it opened.

    Attributes:
        name: with the structs around it; ``3 more columns`` for the others of a wide table.
        read_as: ``filter``, ``payload`` or ``filter and payload``.
        decoded: values that were decoded, each as often as that: a filter and the output may each
            decode one. Of a list or map, its entries.
        by_spark: values that Spark's own reader decoded.
        skipped: values that nothing decoded. Where a filter reads a column, its nulls are among them.
    """

    name: str
    read_as: str
    decoded: int
    by_spark: int
    skipped: int


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
        visits: of a LateScan, in how many visits it read row groups, and why.
        columns: of a LateScan, what it decoded and skipped of each column. Of a query that had
            ended, of a wide table, only those with the most decoded values, and one entry for the
            others.
    """

    scan: Scan
    steps: tuple[Step, ...]
    outcomes: tuple[str, ...]
    metrics: tuple[Metric, ...]
    visits: tuple[Visits, ...] = ()
    columns: tuple[Column, ...] = ()

    def metric(self, key: str) -> int:
        """A metric's value, 0 if the scan has none of this name."""
        return next((m.value for m in self.metrics if m.key == key), 0)

    def __str__(self) -> str:
        scan = self.scan
        lines = [f"{scan.node}  {scan.location}".rstrip()]
        if not scan.applied:
            return "\n".join([*lines, f"  left to Spark: [{scan.code}] {scan.reason}"])
        lines += [f"  {line}" for line in self._table().splitlines()]
        lines += [f"  {outcome}" for outcome in self.outcomes]
        lines += [f"  {visits}" for visits in self.visits]
        lines += [f"  {m.label}: {m}" for m in self._beside()]
        if self.columns:
            columns = table(_COLUMNS_HEADER, self._columns(), right=(2, 3, 4))
            lines += [f"  {line}" for line in columns.splitlines()]
        return "\n".join(lines)

    def to_html(self) -> str:
        """Tables for a notebook, in its own colours."""
        scan = self.scan
        title = f"{scan.node} {scan.location}".strip()
        if not scan.applied:
            return f"<p><b>{html.escape(title)}</b> [{scan.code}] {html.escape(scan.reason)}</p>"
        notes = "".join(f"<li>{html.escape(str(n))}</li>" for n in (*self.outcomes, *self.visits))
        beside = [(m.label, str(m)) for m in self._beside()]
        return (
            html_table(_HEADER, self._rows(), caption=title)
            + (f"<ul>{notes}</ul>" if notes else "")
            + html_table(("metric", "value"), beside)
            + (html_table(_COLUMNS_HEADER, self._columns()) if self.columns else "")
        )

    def _table(self) -> str:
        return table(_HEADER, self._rows(), right=(1, 2, 3, 4))

    def _rows(self) -> list[tuple[str, ...]]:
        whole = self.steps[0].rows if self.steps else 0
        return [_row(step, whole) for step in self.steps]

    def _columns(self) -> list[tuple[str, ...]]:
        return [
            (c.name, c.read_as, *(f"{n:,}" for n in (c.decoded, c.by_spark, c.skipped)))
            for c in _fewer(self.columns)
        ]

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
            "visits": [asdict(visits) for visits in self.visits],
            "columns": [asdict(column) for column in self.columns],
        }


def to_scan_profile(told: dict[str, Any]) -> ScanProfile:
    """A scan of the extension's answer, also of one of an earlier version."""
    return ScanProfile(
        scan=to_scan(told),
        steps=tuple(map(_step, told["steps"])),
        outcomes=tuple(told["outcomes"]),
        metrics=tuple(Metric(**metric) for metric in told["metrics"]),
        visits=tuple(map(_visits, told.get("visits", ()))),
        columns=tuple(map(_column, told.get("columns", ()))),
    )


def _step(told: dict[str, Any]) -> Step:
    nanos = told.get("nanos")
    return Step(told["name"], told["rows"], told["left"], None if nanos is None else nanos / 1e9)


def _visits(told: dict[str, Any]) -> Visits:
    return Visits(told["kind"], told["code"], told["reason"], told["rowGroups"])


def _column(told: dict[str, Any]) -> Column:
    return Column(
        *(told["name"], told["readAs"], told["decoded"], told["bySpark"], told["skipped"])
    )


def _fewer(columns: tuple[Column, ...]) -> list[Column]:
    """Those with the most decoded values, in their order, and the sum of the others."""
    if len(columns) <= _MOST_COLUMNS:
        return list(columns)
    by_work = sorted(
        range(len(columns)), key=lambda i: (-columns[i].decoded - columns[i].by_spark, i)
    )
    others = [columns[i] for i in by_work[_MOST_COLUMNS - 1 :]]
    rest = Column(
        f"{len(others)} more columns",
        "",
        sum(c.decoded for c in others),
        sum(c.by_spark for c in others),
        sum(c.skipped for c in others),
    )
    return [*(columns[i] for i in sorted(by_work[: _MOST_COLUMNS - 1])), rest]


def _row(step: Step, whole: int) -> tuple[str, ...]:
    took, of_row = "", ""
    if step.seconds is not None:
        took = seconds(step.seconds)
        of_row = f"{step.seconds * 1e9 / step.rows:.1f} ns" if step.rows else ""
    share = f"{step.left / whole:.2%}" if whole else ""
    return step.name, f"{step.left:,}", share, took, of_row
