# SPDX-License-Identifier: Apache-2.0
"""What a query leaves to Spark, one root cause each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from latebloom import _asking
from latebloom._render import html_table, size, table
from latebloom._session import require_extension

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_HEADER = ("bytes", "part", "of", "code", "why", "to do")


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
        UnsupportedSessionError: the session is neither of a local JVM nor of Spark Connect.
    """
    require_extension(df.sparkSession)
    return of(json.loads(_asking.of(df.sparkSession).explain(df.select("*"))))


def of(answer: dict[str, Any]) -> WhyNot:
    """What a query leaves to Spark, of the extension's answer to :func:`explain` or a profile."""
    return WhyNot(tuple(Cause(**{"bytes": None, **cause}) for cause in answer["causes"]))
