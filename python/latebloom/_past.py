# SPDX-License-Identifier: Apache-2.0
"""What is known of queries that have ended: of the running application, or in an event log."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom import _asking, _eventlog
from latebloom._errors import LateBloomError
from latebloom._render import html_table, seconds, table
from latebloom._session import require_extension

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HEADER = ("id", "time", "scans taken", "query")

# So much of a description is shown: more than one line is no table.
_WIDEST = 80


@dataclass(frozen=True)
class LoggedQuery:
    """A query of an event log of which LateBloom has a report.

    Attributes:
        application: its name.
        id: its number in the application.
        description: as the SQL tab shows it.
        seconds: wall-clock time.
        scans: how many scans of tables and files it has.
        taken: how many of them were LateBloom's.
    """

    application: str
    id: int
    description: str
    seconds: float
    scans: int
    taken: int


@dataclass(frozen=True)
class LoggedQueries:
    """The queries of an event log of which LateBloom has reports."""

    queries: tuple[LoggedQuery, ...]

    def __str__(self) -> str:
        return table(_HEADER, self._rows(), right=(0, 1))

    def _repr_html_(self) -> str:
        return html_table(_HEADER, self._rows())

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (str(q.id), seconds(q.seconds), f"{q.taken} of {q.scans}", _line(q.description))
            for q in self.queries
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return asdict(self)


def logged(path: Path) -> LoggedQueries:
    """The queries of an event log of which LateBloom has reports, in their order.

    Raises:
        LateBloomError: the log cannot be read, or has none.
    """
    return LoggedQueries(tuple(_logged(query, told) for query, told in _reported(path)))


def of_log(path: Path, execution_id: int | None) -> dict[str, Any]:
    """What the JVM's profile says, but for ``rows``, of a query of an event log.

    Args:
        path: of the log.
        execution_id: may be None if the log has one query.

    Raises:
        LateBloomError: the log cannot be read, or has no such query, or more than one.
    """
    found = [(q, t) for q, t in _reported(path) if execution_id in (None, q.id)]
    if len(found) != 1:
        known = LoggedQueries(tuple(_logged(q, t) for q, t in found or _reported(path)))
        asked = "" if execution_id is None else f" {execution_id}"
        raise LateBloomError(
            f"the log has {'several queries' if found else 'no report of query'}{asked}",
            where=str(path),
            fix=f"name one application's log, and the execution_id of one of these:\n{known}",
        )
    query, told = found[0]
    return {"seconds": query.seconds, "plan": query.text, **told}


def of_application(execution_id: int, session: SparkSession | None = None) -> dict[str, Any]:
    """The same of a query of a session's application, of the active one's if there is none.

    Raises:
        LateBloomError: no session is active, or nothing is known of the query.
    """
    spark = session or _asking.active()
    if spark is None:
        raise LateBloomError(
            "no session is active in this process",
            where="profile(execution_id=...)",
            fix="start the session, or pass it as spark=..., or name an event log: "
            "profile(event_log=..., execution_id=...)",
        )
    require_extension(spark)
    found = _asking.of(spark).report(spark, execution_id)
    if found is None:
        raise LateBloomError(
            f"nothing is known of query {execution_id}: it reads no files, has not ended, failed, is "
            "not among the last 200, or ran with spark.latebloom.report.enabled=false",
            where=f"application {spark.conf.get('spark.app.id', '')}",
            fix="take its number from SELECT * FROM latebloom_queries(), or from the tab LateBloom of the "
            "Spark UI",
        )
    told: dict[str, Any] = json.loads(found)
    return told


def _reported(path: Path) -> list[tuple[_eventlog.Query, dict[str, Any]]]:
    found = [(q, json.loads(q.report)) for q in _eventlog.queries(path) if q.report is not None]
    if not found:
        raise LateBloomError(
            "the log has no report of LateBloom",
            where=str(path),
            fix="name the log of an application that ran with LateBloom and has queries of files; "
            "of one without, ask latebloom advise",
        )
    return found


def _logged(query: _eventlog.Query, told: dict[str, Any]) -> LoggedQuery:
    taken = sum(scan["applied"] for scan in told["scans"])
    return LoggedQuery(
        *(query.application, query.id, query.description, query.seconds),
        scans=len(told["scans"]),
        taken=taken,
    )


def _line(description: str) -> str:
    text = " ".join(description.split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
