# SPDX-License-Identifier: Apache-2.0
"""The decision about each scan of a query, and why."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from latebloom import _asking
from latebloom._names import EXPLAINED
from latebloom._render import html_text
from latebloom._session import require_extension

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Residual:
    """A predicate that stays in Spark's Filter above the scan, and why."""

    conjunct: str
    code: str
    reason: str
    fix: str

    def __str__(self) -> str:
        return f"{self.conjunct}  [{self.code}] {self.reason}"


@dataclass(frozen=True)
class Scan:
    """One file scan of a plan.

    Attributes:
        node: the name of the plan node.
        table: the table, or the path.
        format: the file format.
        applied: True if LateBloom reads the scan; else ``code``, ``reason`` and ``fix`` explain why
            Spark does.
        filter_columns: the columns that the scan reads first, in this order.
        scan_filters: the predicates that the scan evaluates.
        join_filters: the keys of joins by which the scan tests rows.
        top_rows: what the scan knows of the first rows of an order: the column by which it is
            searched for them, or that it reads no others.
        planned: the rows that Spark planned with, if an earlier scan has counted those that meet the
            condition; else None.
        residual: the predicates that stay in Spark's Filter above it, each with its reason.
        payload: the columns that the scan reads only for rows that pass.
        bytes: the size of its files, before any of them is left out; None if it is not known.
    """

    node: str
    table: str
    format: str
    applied: bool
    code: str
    reason: str
    fix: str
    filter_columns: tuple[str, ...]
    scan_filters: tuple[str, ...]
    join_filters: tuple[str, ...]
    top_rows: tuple[str, ...]
    planned: int | None
    residual: tuple[Residual, ...]
    payload: tuple[str, ...]
    bytes: int | None

    @property
    def location(self) -> str:
        """The table or the path; empty if the node's name ends with it, as that of a catalog's does."""
        return "" if self.node.endswith(self.table) else self.table

    def __str__(self) -> str:
        lines = [f"{self.node}  {self.location}".rstrip()]
        if self.applied:
            lines += [
                f"  filter columns: {', '.join(self.filter_columns) or 'none'}",
                f"  scan filters:   {' AND '.join(self.scan_filters) or 'none'}",
                *(f"  join filter:    {join_filter}" for join_filter in self.join_filters),
                *(f"  first rows:     {top}" for top in self.top_rows),
                *(
                    [f"  planned with:   {self.planned:,} rows, as an earlier scan counted"]
                    if self.planned is not None
                    else []
                ),
                *(f"  residual:       {residual}" for residual in self.residual or ("none",)),
                f"  payload:        {', '.join(self.payload) or 'none'}",
            ]
        else:
            lines += [f"  left to Spark:  [{self.code}] {self.reason}"]
            lines += [f"  to do:          {self.fix}"] if self.fix else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Join:
    """One side of an equi-join, whose scans the keys of the other side may filter.

    Attributes:
        node: Spark's join node.
        on: the keys of this side.
        of: the same, and the tables that it reads.
        applied: True if its scans have filters; else ``code``, ``reason`` and ``fix`` explain why
            not.
        filters: the filters of the scans, with the sources of their keys.
        bytes: the size of the files below the join; None if it is not known.
    """

    node: str
    on: str
    of: str
    applied: bool
    code: str
    reason: str
    fix: str
    filters: tuple[str, ...]
    bytes: int | None

    def __str__(self) -> str:
        told = ", ".join(self.filters) if self.applied else f"none  [{self.code}] {self.reason}"
        return f"{self.node}, keys of {self.of}\n  join filter:    {told}"


@dataclass(frozen=True)
class Order:
    """An ORDER BY with LIMIT, whose first rows may be searched before their other columns are read.

    Attributes:
        node: Spark's node that orders.
        on: the order.
        applied: True if the rows are searched first; else ``code``, ``reason`` and ``fix`` explain
            why all columns are read at once.
        bytes: the size of the files below the node; None if it is not known.
    """

    node: str
    on: str
    applied: bool
    code: str
    reason: str
    fix: str
    bytes: int | None

    def __str__(self) -> str:
        told = (
            "before the other columns are read"
            if self.applied
            else f"none  [{self.code}] {self.reason}"
        )
        return f"{self.node}, first rows by {self.on}\n  search:         {told}"


@dataclass(frozen=True)
class Explanation:
    """A query's physical plan as Spark formats it, and what was decided about its parts."""

    plan: str
    scans: tuple[Scan, ...]
    joins: tuple[Join, ...]
    orders: tuple[Order, ...]

    def __str__(self) -> str:
        if EXPLAINED in self.plan:
            return self.plan.rstrip()
        all_decisions = (*self.scans, *self.joins, *self.orders)
        decisions = "\n".join(map(str, all_decisions)) or "no file scan in this plan"
        return f"{self.plan.rstrip()}\n\n== LateBloom ==\n{decisions}"

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return asdict(self)


def explain(df: DataFrame) -> Explanation:
    """Plans ``df`` under the session's current settings, without running it.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is neither of a local JVM nor of Spark Connect.
    """
    require_extension(df.sparkSession)
    # A DataFrame keeps its first plan; a new one over it is planned under the current settings.
    return to_explanation(json.loads(_asking.of(df.sparkSession).explain(df.select("*"))))


def to_explanation(answer: dict[str, Any]) -> Explanation:
    """The explanation of the extension's answer."""
    return Explanation(
        answer["plan"],
        tuple(map(to_scan, answer["scans"])),
        tuple(map(_join, answer["joins"])),
        tuple(map(_order, answer["orders"])),
    )


def _why(told: dict[str, Any]) -> dict[str, str]:
    return {key: told.get(key) or "" for key in ("code", "reason", "fix")}


def to_scan(scan: dict[str, Any]) -> Scan:
    """A scan of the extension's answer."""
    return Scan(
        node=scan["node"],
        table=scan["table"],
        format=scan["format"],
        applied=scan["applied"],
        **_why(scan),
        filter_columns=tuple(scan["filterColumns"]),
        scan_filters=tuple(scan["scanFilters"]),
        join_filters=tuple(scan["joinFilters"]),
        top_rows=tuple(scan["topRows"]),
        planned=scan.get("planned"),
        residual=tuple(Residual(**residual) for residual in scan["residual"]),
        payload=tuple(scan["payload"]),
        bytes=scan.get("bytes"),
    )


def _join(join: dict[str, Any]) -> Join:
    return Join(
        node=join["node"],
        on=join["on"],
        of=join["of"],
        applied=join["applied"],
        **_why(join),
        filters=tuple(join["filters"]),
        bytes=join.get("bytes"),
    )


def _order(order: dict[str, Any]) -> Order:
    return Order(
        node=order["node"],
        on=order["on"],
        applied=order["applied"],
        **_why(order),
        bytes=order.get("bytes"),
    )
