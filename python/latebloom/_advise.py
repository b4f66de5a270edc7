# SPDX-License-Identifier: Apache-2.0
"""Which queries of a Spark without LateBloom would gain, by its event logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from latebloom._eventlog import Node, Query, queries
from latebloom._render import html_table, seconds, table

DEFAULT_LEAST = 1.25

_HEADER = ("query", "time", "expected", "because")

# Nodes through which rows pass as they are, or nearly.
_PASS_ON = re.compile(
    r"WholeStageCodegen|InputAdapter|ColumnarToRow|Project|AQEShuffleRead|.*QueryStage|Sort$|"
    r"AdaptiveSparkPlan|BroadcastExchange"
)
_EXCHANGE = re.compile(r"Exchange$")
_JOIN = re.compile(r"(BroadcastHashJoin|ShuffledHashJoin|SortMergeJoin)")
_FORMATS = re.compile(r"parquet|orc|delta", re.IGNORECASE)
_ROWS = "number of output rows"

# Nanoseconds of a core that a row costs which is dropped later than in the scan: to make it of
# columns and to filter it, to look it up in a join, to shuffle and sort it.
_ROW, _PROBE, _SHUFFLE = 40, 60, 400

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
    filter and the joins above it left, the columns that only these need, and the time of the scan.

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
    findings = {}
    for path in _scans(query.plan, ()):
        finding = _finding(path)
        if finding is not None:
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


def _finding(path: Sequence[Node]) -> Finding | None:
    scan = path[-1]
    rows = scan.metrics.get(_ROWS, 0)
    if not rows:
        return None
    left = joined = rows
    late = 0.0
    shuffled = False
    for i in range(len(path) - 2, -1, -1):
        node = path[i]
        after = min(node.metrics.get(_ROWS, joined), joined)
        if node.name == "Filter":
            late += (joined - after) * _ROW
            left, joined = (after, after) if left == joined else (left, after)
        elif _JOIN.match(node.name) and re.search(r"\b(Inner|LeftSemi)\b", node.text):
            late += (joined - after) * (_PROBE + (_SHUFFLE if shuffled else 0))
            joined = after
        elif _EXCHANGE.search(node.name) and "Broadcast" not in node.name:
            shuffled = True
        elif not _PASS_ON.match(node.name):
            break
    spared = _payload(scan) * (1 - _payload_left(joined / rows))
    time = scan.metrics.get("scan time", 0) / 1e3
    return Finding(
        scan=_source(scan),
        rows=rows,
        left=left,
        joined=joined,
        seconds=time * spared + late / 1e9,
    )


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
