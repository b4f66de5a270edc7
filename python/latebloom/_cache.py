# SPDX-License-Identifier: Apache-2.0
"""What scans remember for later queries, on the driver."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from latebloom import _asking
from latebloom._render import html_table, size, table
from latebloom._session import require_extension

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Cache:
    """The predicate cache: which stretches of which files had rows that met a condition.

    One for all sessions of an application, on the driver. The numbers are those of the moment of
    the call. Those of metadata (footers, tails and indexes of files) are of the driver's process:
    with a local master all tasks run there, and on a cluster each executor has a cache of its own.

    Attributes:
        conditions: conditions that are cached.
        files: files that something is known of, over all conditions.
        bytes: memory that it takes on the driver, about.
        max_bytes: ``spark.latebloom.cache.maxBytes`` of the last scan, 0 before the first.
        lookups: scans that could use it.
        hits: those of them that it knew something for.
        splits: files or splits that were not opened.
        rows: rows that were not read, of splits that were opened.
        metadata_files: files whose metadata are cached.
        metadata_bytes: memory that these take, about.
        metadata_hits: how often metadata were there when a scan needed them.
    """

    conditions: int
    files: int
    bytes: int
    max_bytes: int
    lookups: int
    hits: int
    splits: int
    rows: int
    metadata_files: int
    metadata_bytes: int
    metadata_hits: int
    _spark: SparkSession = field(repr=False, compare=False)

    def clear(self) -> None:
        """Forgets everything, and begins to count anew; no answer depends on it.

        Use it before a measurement of first runs, or to free the memory.
        """
        _asking.of(self._spark).clear_cache(self._spark)

    def __str__(self) -> str:
        return table(_HEADER, self._rows(), right=(1,))

    def _repr_html_(self) -> str:
        return html_table(_HEADER, self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("conditions", f"{self.conditions:,}"),
            ("files", f"{self.files:,}"),
            ("memory", f"{size(self.bytes)} of {size(self.max_bytes)}"),
            ("scans that looked", f"{self.lookups:,}"),
            ("scans that it knew something for", f"{self.hits:,}"),
            ("files or splits not opened", f"{self.splits:,}"),
            ("rows not read", f"{self.rows:,}"),
            ("metadata of files", f"{self.metadata_files:,}, {size(self.metadata_bytes)}"),
            ("metadata that need not be read", f"{self.metadata_hits:,} times"),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, ready for JSON."""
        return {"cache": {key: value for key, value in vars(self).items() if key != "_spark"}}


_HEADER = ("cache", "")


def cache(spark: SparkSession) -> Cache:
    """What scans of this application remember, and what that has saved so far.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is neither of a local JVM nor of Spark Connect.
    """
    require_extension(spark)
    told = json.loads(_asking.of(spark).cache(spark))
    return Cache(**{_snake(key): value for key, value in told.items()}, _spark=spark)


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
