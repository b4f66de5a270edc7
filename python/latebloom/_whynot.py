# SPDX-License-Identifier: Apache-2.0
"""What a query leaves to Spark, one root cause each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from latebloom._explain import Explanation, Join, Order, Scan, explain
from latebloom._render import html_table, size, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_HEADER = ("bytes", "part", "of", "code", "why", "to do")

# The reason of such a scan is that of its predicates.
_BY_PREDICATES = "nothing-pushable"


@dataclass(frozen=True)
class Cause:
    """Why Spark alone executes a part of a query.

    Attributes:
        part: ``scan``, ``predicate``, ``join`` or ``order``.
        node: the name of the plan node.
        of: what it is about: a table or path, a predicate, the keys of a join, an order.
        code: the reason's name, the same in all versions.
        reason: the reason as a sentence.
        fix: what could be done about it.
        bytes: the size of the files below the node; None if it is not known.
    """

    part: str
    node: str
    of: str
    code: str
    reason: str
    fix: str
    bytes: int | None


@dataclass(frozen=True)
class WhyNot:
    """The parts of a query that LateBloom leaves to Spark, those with the most bytes first."""

    causes: tuple[Cause, ...]

    def __iter__(self) -> Iterator[Cause]:
        return iter(self.causes)

    def __len__(self) -> int:
        return len(self.causes)

    def __str__(self) -> str:
        return table(_HEADER, self._rows(), right=(0,)) if self.causes else _NOTHING

    def _repr_html_(self) -> str:
        return html_table(_HEADER, self._rows()) if self.causes else f"<p>{_NOTHING}</p>"

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            ("" if c.bytes is None else size(c.bytes), c.part, c.of, c.code, c.reason, c.fix)
            for c in self.causes
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {"causes": [asdict(cause) for cause in self.causes]}


_NOTHING = "LateBloom takes all that it could take of this query."


def whynot(df: DataFrame) -> WhyNot:
    """Plans ``df`` under the session's current settings and says what is left to Spark, and why.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is a Spark Connect client.
    """
    return of(explain(df))


def of(explanation: Explanation) -> WhyNot:
    """What an explained query leaves to Spark."""
    found = [cause for scan in explanation.scans for cause in _of_scan(scan)]
    found += [_of_node("join", join) for join in explanation.joins if not join.applied]
    found += [_of_node("order", order) for order in explanation.orders if not order.applied]
    return WhyNot(tuple(sorted(found, key=lambda cause: -(cause.bytes or 0))))


def _of_scan(scan: Scan) -> Iterator[Cause]:
    if not scan.applied:
        why = scan.residual[0] if scan.code == _BY_PREDICATES and scan.residual else scan
        yield Cause("scan", scan.node, scan.table, why.code, why.reason, why.fix, scan.bytes)
        return
    for r in scan.residual:
        yield Cause("predicate", scan.node, r.conjunct, r.code, r.reason, r.fix, scan.bytes)


def _of_node(part: str, node: Join | Order) -> Cause:
    return Cause(part, node.node, node.on, node.code, node.reason, node.fix, node.bytes)
