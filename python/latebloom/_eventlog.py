# SPDX-License-Identifier: Apache-2.0
"""Spark's event logs: the queries of an application, with their plans, metrics and times."""

from __future__ import annotations

import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from latebloom._errors import LateBloomError

_SQL = "org.apache.spark.sql.execution.ui.SparkListener"
_START, _END = f"{_SQL}SQLExecutionStart", f"{_SQL}SQLExecutionEnd"
_REPLANNED, _DRIVER = f"{_SQL}SQLAdaptiveExecutionUpdate", f"{_SQL}DriverAccumUpdates"
_APPLICATION, _JOB, _TASK = (
    *("SparkListenerApplicationStart", "SparkListenerJobStart", "SparkListenerTaskEnd"),
)

# An event of ours: what the scans of a query did.
_REPORTED = "org.apache.spark.sql.latebloom.ui.QueryReported"

_EVENT = re.compile(r'\{"Event":"([^"]+)"')

# A rolling log is a directory of these, in this order.
_PART = re.compile(r"events_(\d+)_")

_ZSTD = (".zstd", ".zst")
_OTHER_CODECS = (".lz4", ".lzf", ".snappy")


@dataclass(frozen=True)
class Node:
    """A node of an executed plan.

    Attributes:
        name: such as ``Scan parquet db.t``, ``Filter``, ``SortMergeJoin``.
        text: the node with its arguments, as Spark shortens it.
        metadata: of a scan: what it pushed down, what it read.
        metrics: sums over all tasks, by Spark's labels.
        identity: of the node, if it has metrics: the same wherever it is reused.
        seconds: run time of the tasks that executed the node, among others of their stage.
        children: the nodes below it.
    """

    name: str
    text: str
    metadata: Mapping[str, str]
    metrics: Mapping[str, int]
    identity: int
    seconds: float
    children: tuple[Node, ...]


@dataclass(frozen=True)
class Query:
    """A query of an application.

    Attributes:
        application: its name.
        id: the execution's number in the application.
        description: as the SQL tab shows it.
        seconds: wall-clock time.
        task_seconds: run time of all of its tasks.
        plan: the plan in its last form.
        text: the plan as EXPLAIN writes it.
        report: what LateBloom's scans did, as JSON; None if the application ran without it, or
            the query reads no files.
    """

    application: str
    id: int
    description: str
    seconds: float
    task_seconds: float
    plan: Node
    text: str
    report: str | None


@dataclass
class _Execution:
    description: str
    began: int
    plan: dict[str, Any]
    text: str
    report: str | None = None
    ended: int = 0
    failed: bool = False
    task_millis: int = 0


@dataclass
class _Log:
    """What the events of one application have told so far."""

    name: str = ""
    executions: dict[int, _Execution] = field(default_factory=dict)
    stages: dict[int, int] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    millis: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, kind: str, event: dict[str, Any]) -> None:
        if kind == _APPLICATION:
            self.name = event.get("App Name") or event.get("App ID") or ""
        elif kind == _START:
            self.executions[event["executionId"]] = _Execution(
                event.get("description") or "",
                event["time"],
                event["sparkPlanInfo"],
                event.get("physicalPlanDescription") or "",
            )
        elif kind == _REPLANNED and event["executionId"] in self.executions:
            execution = self.executions[event["executionId"]]
            execution.plan = event["sparkPlanInfo"]
            execution.text = event.get("physicalPlanDescription") or execution.text
        elif kind == _REPORTED and event["executionId"] in self.executions:
            self.executions[event["executionId"]].report = event["report"]
        elif kind == _END and event["executionId"] in self.executions:
            execution = self.executions[event["executionId"]]
            execution.ended = event["time"]
            execution.failed = bool(event.get("errorMessage"))
        elif kind == _DRIVER:
            for accumulator, value in event["accumUpdates"]:
                self.values[accumulator] += max(value, 0)
        elif kind == _JOB:
            execution_id = (event.get("Properties") or {}).get("spark.sql.execution.id")
            if execution_id is not None:
                self.stages.update(dict.fromkeys(event["Stage IDs"], int(execution_id)))
        elif kind == _TASK:
            self._add_task(event)

    def _add_task(self, event: dict[str, Any]) -> None:
        took = (event.get("Task Metrics") or {}).get("Executor Run Time", 0)
        for update in event["Task Info"].get("Accumulables", ()):
            if update.get("Metadata") == "sql":
                self.values[update["ID"]] += max(int(update.get("Update") or 0), 0)
                self.millis[update["ID"]] += took
        running = self.executions.get(self.stages.get(event["Stage ID"], -1))
        if running is not None:
            running.task_millis += took

    def queries(self) -> Iterator[Query]:
        """Those that ended without an error."""
        for number, e in self.executions.items():
            if e.ended and not e.failed:
                yield Query(
                    application=self.name,
                    id=number,
                    description=e.description,
                    seconds=(e.ended - e.began) / 1e3,
                    task_seconds=e.task_millis / 1e3,
                    plan=self._node(e.plan),
                    text=e.text,
                    report=e.report,
                )

    def _node(self, told: dict[str, Any]) -> Node:
        metrics = told.get("metrics") or []
        return Node(
            name=told["nodeName"].strip(),
            text=told.get("simpleString") or "",
            metadata=told.get("metadata") or {},
            metrics={m["name"]: self.values.get(m["accumulatorId"], 0) for m in metrics},
            identity=min((m["accumulatorId"] for m in metrics), default=0),
            seconds=max((self.millis.get(m["accumulatorId"], 0) for m in metrics), default=0) / 1e3,
            children=tuple(map(self._node, told.get("children") or ())),
        )


def queries(path: Path) -> Iterator[Query]:
    """The queries of an event log, or of all event logs in a directory.

    Args:
        path: a log file, the directory of a rolling log (``eventlog_v2_…``), or one with such logs.

    Raises:
        LateBloomError: there is no log, or it is not one, or it is compressed by a codec that is
            not at hand.
    """
    found = list(_logs(path))
    if not found:
        raise LateBloomError(
            "there is no event log",
            where=str(path),
            fix="name the directory of spark.eventLog.dir, or a log in it; applications write one "
            "with spark.eventLog.enabled=true",
        )
    for parts in found:
        log = _Log()
        for part in parts:
            _read(part, log)
        yield from log.queries()


def _logs(path: Path) -> Iterator[list[Path]]:
    """The files of each log, in order."""
    if path.is_file():
        yield [path]
        return
    files = sorted(f for f in path.iterdir() if f.name[0] not in "._") if path.is_dir() else []
    parts = [(int(m[1]), f) for f in files if (m := _PART.match(f.name))]
    if parts:
        yield [f for _, f in sorted(parts)]
        return
    for entry in files:
        if entry.is_file() or any(_PART.match(f.name) for f in entry.iterdir()):
            yield from _logs(entry)


def _read(part: Path, log: _Log) -> None:
    wanted = {_APPLICATION, _START, _END, _REPLANNED, _DRIVER, _JOB, _TASK, _REPORTED}
    first = True
    with _opened(part) as lines:
        try:
            for line in lines:
                kind = _EVENT.match(line)
                if kind is None and first:
                    raise ValueError("it does not begin with an event")
                first = False
                if kind is not None and kind[1] in wanted:
                    log.add(kind[1], json.loads(line))
        except (ValueError, KeyError, UnicodeDecodeError) as error:
            # The last line of an application that still runs, or was killed, may be incomplete.
            if not first and isinstance(error, json.JSONDecodeError):
                return
            raise LateBloomError(
                f"this is not an event log of Spark: {error}",
                where=str(part),
                fix="name a log that Spark wrote with spark.eventLog.enabled=true",
            ) from None


@contextmanager
def _opened(part: Path) -> Iterator[TextIO]:
    name = part.name.removesuffix(".inprogress").removesuffix(".compact")
    if name.endswith(_OTHER_CODECS):
        raise LateBloomError(
            f"the log is compressed by {name.rpartition('.')[2]}, which only Spark reads",
            where=str(part),
            fix="write logs with spark.eventLog.compression.codec=zstd, or spark.eventLog.compress"
            "=false",
        )
    with part.open("rb") as raw:
        source = _unzstd(part, raw) if name.endswith(_ZSTD) else raw
        yield io.TextIOWrapper(io.BufferedReader(source), "utf-8")


def _unzstd(part: Path, raw: io.BufferedReader) -> Any:
    try:
        import zstandard
    except ImportError:
        raise LateBloomError(
            "the log is compressed by zstd, and this Python has no reader for it",
            where=str(part),
            fix="pip install zstandard, which the extra latebloom[advise] brings",
        ) from None
    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
