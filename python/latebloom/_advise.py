# SPDX-License-Identifier: Apache-2.0
"""Which queries of a Spark without LateBloom would gain, by its event logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from latebloom._eventlog import Node, Query, queries
from latebloom._render import html_table, seconds, table

DEFAULT_LEAST = 1.25

_HEADER = ("query", "time", "expected", "because")

# Nodes through which rows pass as they are, or nearly.
_PASS_ON = re.compile(
    r"WholeStageCodegen|InputAdapter|ColumnarToRow|Project|AQEShuffleRead|.*QueryStage|Sort$|"
    r"AdaptiveSparkPlan|Exchange$"
)
# Joins that keep all rows of their left, or their right, side.
_KEEPS = (r"\b(LeftOuter|LeftAnti|ExistenceJoin)", r"\bRightOuter\b")
_JOIN = re.compile(r"(BroadcastHashJoin|ShuffledHashJoin|SortMergeJoin)")
_FORMATS = re.compile(r"parquet|orc|delta", re.IGNORECASE)
_ROWS = "number of output rows"

# The part of what a stage does with rows besides reading them, which a filter in the scan spares
# for those that it drops.
_IN_SCAN = 0.7

# What a row costs that is left, over what one costs that is dropped.
_LEFT_COSTS = 8.0

# Rows of a page; the part of a page's time that is spent on it whole, for whatever rows.
_PAGE, _WHOLE_PAGE = 20_000, 0.4

# Most of a query's time that a better scan can save.
_MOST = 0.95

_WIDTHS = {
    **dict.fromkeys(("boolean", "byte", "tinyint"), 1),
    **dict.fromkeys(("short", "smallint"), 2),
    **dict.fromkeys(("date", "float", "int", "integer"), 4),
    **dict.fromkeys(("bigint", "double", "long", "timestamp"), 8),
}
_OTHER_WIDTH = 20


@dataclass(frozen=True)
class Finding:
    """What LateBloom would spare one scan.

    Attributes:
        scan: the scan's table or path.
        rows: that it read.
        left: that a filter above it left.
        joined: that were left by the joins above it, where these are on equal keys.
        seconds: of cores that a selective scan would save.
    """

    scan: str
    rows: int
    left: int
    joined: int
    seconds: float

    def __str__(self) -> str:
        text = f"{self.scan}: {self.left / self.rows:.2%} of {self.rows:,} rows pass its filter"
        if self.joined < self.left:
            text += f", {self.joined / self.rows:.2%} the joins"
        return text


@dataclass(frozen=True)
class Advice:
    """A query that would gain.

    Attributes:
        application: its application's name.
        id: the number of its execution there.
        description: as the SQL tab of Spark's UI shows it.
        seconds: its wall-clock time.
        speedup: the expected one, an estimate.
        findings: by scan, the greatest saving first.
    """

    application: str
    id: int
    description: str
    seconds: float
    speedup: float
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Advices:
    """The queries of event logs that would gain, those with the most time to save first.

    Attributes:
        advices: the queries.
        queries: how many the logs have.
    """

    advices: tuple[Advice, ...]
    queries: int

    def __iter__(self) -> Iterator[Advice]:
        return iter(self.advices)

    def __len__(self) -> int:
        return len(self.advices)

    def __str__(self) -> str:
        said = f"{len(self.advices)} of {self.queries} queries are expected to gain"
        return f"{said}\n\n{table(_HEADER, self._rows(), right=(1, 2))}" if self.advices else said

    def _repr_html_(self) -> str:
        return html_table(_HEADER, self._rows(), caption=f"of {self.queries} queries")

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                f"{a.application} {a.id}: {' '.join(a.description.split())[:60]}",
                seconds(a.seconds),
                f"{a.speedup:.1f}x",
                str(a.findings[0]),
            )
            for a in self.advices
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {"queries": self.queries, "advices": [asdict(a) for a in self.advices]}


def advise(logs: str | Path, least: float = DEFAULT_LEAST) -> Advices:
    """Reads the event logs of applications without LateBloom, and names the queries that would gain.

    What a scan would save follows from what Spark counted: the rows that it read, those that the
    filter and the joins above it left, the columns that only these need, and the times of the
    stages in which the others were read, joined and sorted. ``./dev/bench advise`` compares it with
    what TPC-DS gains.

    Args:
        logs: a log, or a directory of logs, as Spark writes them to ``spark.eventLog.dir``.
        least: the least expected speed-up of a query that is named.

    Raises:
        LateBloomError: there is no log there, or none that can be read.
    """
    number = 0
    found = []
    for query in queries(Path(logs)):
        number += 1
        advice = of(query)
        if advice is not None and advice.speedup >= least:
            found.append(advice)
    found.sort(key=lambda a: -a.seconds * (1 - 1 / a.speedup))
    return Advices(tuple(found), number)


def of(query: Query) -> Advice | None:
    """What is expected of one query; None without a scan of files that LateBloom reads."""
    findings: dict[int, Finding] = {}
    for path in _scans(query.plan, ()):
        finding = _finding(path)
        # Spark reads a scan once for all places that reuse it: each of them must spare the rows.
        known = findings.get(path[-1].identity)
        if finding is not None and (known is None or finding.seconds < known.seconds):
            findings[path[-1].identity] = finding
    if not findings or not query.task_seconds:
        return None
    ordered = tuple(sorted(findings.values(), key=lambda f: -f.seconds))
    saved = min(sum(f.seconds for f in ordered) / query.task_seconds, _MOST)
    return Advice(
        application=query.application,
        id=query.id,
        description=query.description,
        seconds=query.seconds,
        speedup=1 / (1 - saved),
        findings=ordered,
    )


def _scans(node: Node, above: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """The paths from the root to the scans."""
    path = (*above, node)
    if node.name.startswith("Scan ") and _FORMATS.search(node.metadata.get("Format", "")):
        yield path
    for child in node.children:
        yield from _scans(child, path)


@dataclass
class _Walk:
    """The rows of a scan on their way up through the plan.

    Attributes:
        rows: how many reach the present node.
        share: of the scan's rows, those that the filters and joins so far have left.
        stages: by stage above an exchange, the seconds that it spent on these rows, and the share
            that entered it.
    """

    rows: float
    share: float = 1.0
    stages: list[tuple[float, float]] = field(default_factory=list)

    def dropped(self, after: float) -> None:
        self.share *= min(after / self.rows, 1) if self.rows else 1
        self.rows = after

    def joined(self, join: Node, side: Node) -> bool:
        """Passes a join, one side of which has the rows; returns whether they can."""
        own = next(i for i, child in enumerate(join.children) if child is side)
        after = join.metrics.get(_ROWS, self.rows)
        records = [_records(child) for child in join.children]
        if records[own] and sum(records):
            self.stages.append((join.seconds * records[own] / sum(records), self.share))
        if re.search(r"\b(Inner|LeftSemi)\b", join.text):
            self.dropped(after)
        elif re.search(_KEEPS[own], join.text):
            self.rows = after
        else:
            return False
        return True


def _records(side: Node) -> int:
    """What a join gets from the exchange of one of its sides, 0 without an exchange there."""
    while side.name != "Exchange" and side.children and not _JOIN.match(side.name):
        side = side.children[0]
    return side.metrics.get("shuffle records written", 0) if side.name == "Exchange" else 0


def _finding(path: Sequence[Node]) -> Finding | None:
    scan = path[-1]
    rows = scan.metrics.get(_ROWS, 0)
    if not rows:
        return None
    walk = _Walk(rows)
    left = None
    for below, node in zip(path[::-1], path[-2::-1]):
        if node.name == "Filter":
            walk.dropped(node.metrics.get(_ROWS, walk.rows))
        elif _JOIN.match(node.name):
            left = walk.share if left is None else left
            if not walk.joined(node, below):
                break
        elif not _PASS_ON.match(node.name):
            break
    share = walk.share
    left = share if left is None else left
    reading = min(scan.metrics.get("scan time", 0) / 1e3, scan.seconds)
    spared = _payload(scan) * (1 - _payload_left(share))
    saved = reading * spared + (scan.seconds - reading) * _IN_SCAN * _dropped_work(share)
    saved += sum(
        seconds * _dropped_work(share / entered) for seconds, entered in walk.stages if entered
    )
    return Finding(
        scan=_source(scan),
        rows=rows,
        left=round(left * rows),
        joined=round(share * rows),
        seconds=saved,
    )


def _dropped_work(share: float) -> float:
    """The part of a stage's work on rows that is not done if only such a share of them comes.

    Rows that are left in the end are also joined further, aggregated and written.
    """
    return (1 - share) / (1 + (_LEFT_COSTS - 1) * share)


def _payload_left(share: float) -> float:
    """The part of a column's time that is left if only such a share of the rows is read."""
    pages = 1 - (1 - share) ** _PAGE
    return _WHOLE_PAGE * pages + (1 - _WHOLE_PAGE) * share


def _payload(scan: Node) -> float:
    """The part of the bytes that no filter needs."""
    columns = _columns(scan.metadata.get("ReadSchema", ""))
    filters = scan.metadata.get("DataFilters", "") + scan.metadata.get("PushedFilters", "")
    named = set(re.findall(r"\w+", filters))
    whole = sum(columns.values())
    return sum(w for name, w in columns.items() if name not in named) / whole if whole else 0


def _columns(schema: str) -> dict[str, int]:
    """The widths in bytes of the columns of ``struct<a:int,b:string>``, by name."""
    inside = re.sub(r"^struct<|>$", "", schema)
    found = {}
    for name, kind in re.findall(r"(\w+):((?:[^,<(]|<[^>]*>|\([^)]*\))+)", inside):
        decimal = re.match(r"decimal\((\d+)", kind)
        known = _WIDTHS.get(kind, _OTHER_WIDTH)
        found[name] = (8 if int(decimal[1]) <= 18 else 16) if decimal else known
    return found


def _source(scan: Node) -> str:
    named = scan.name.split(maxsplit=2)[2:]
    if named:
        return named[0]
    location = re.search(r"\[([^\],]+)", scan.metadata.get("Location", ""))
    return location[1].rstrip("/").rpartition("/")[2] if location else scan.name
