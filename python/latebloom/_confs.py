# SPDX-License-Identifier: Apache-2.0
"""The extension's settings and their values in a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from latebloom import _asking
from latebloom._render import html_table
from latebloom._session import require_extension

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HEADER = ("conf", "value", "default", "type", "meaning")


@dataclass(frozen=True)
class Conf:
    """One setting: its key, default, value in the session, type and documentation."""

    key: str
    default: str
    value: str
    type: str
    doc: str


@dataclass(frozen=True)
class Confs:
    """All settings under ``spark.latebloom``, by key. Iterates over :class:`Conf`."""

    entries: tuple[Conf, ...]

    def __iter__(self) -> Iterator[Conf]:
        return iter(self.entries)

    def __getitem__(self, key: str) -> Conf:
        for conf in self.entries:
            if conf.key == key:
                return conf
        raise KeyError(key)

    def __str__(self) -> str:
        return "\n".join(
            f"{c.key} = {c.value}"
            + ("" if c.value == c.default else f"   (default: {c.default})")
            + f"\n    {c.doc}"
            for c in self.entries
        )

    def _repr_html_(self) -> str:
        return html_table(_HEADER, [(c.key, c.value, c.default, c.type, c.doc) for c in self])

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {"confs": [asdict(conf) for conf in self.entries]}


def confs(spark: SparkSession) -> Confs:
    """The extension's settings with their values in ``spark``.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is neither of a local JVM nor of Spark Connect.
    """
    require_extension(spark)
    found = json.loads(_asking.of(spark).confs(spark))
    return Confs(tuple(Conf(**entry) for entry in sorted(found, key=lambda entry: entry["key"])))
