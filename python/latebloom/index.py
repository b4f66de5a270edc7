# SPDX-License-Identifier: Apache-2.0
"""Skip indexes of files: which keys occur in which file, kept beside the data.

Build one, name its folder in ``spark.latebloom.index.path``, and queries open only the files that may
have their keys::

    latebloom.index.build(spark, "lineitem", columns=["l_partkey"], into="/indexes/lineitem")
    spark.conf.set("spark.latebloom.index.path", "/indexes/lineitem")
    print(latebloom.index.list(spark, "/indexes/lineitem"))
    latebloom.index.drop(spark, "/indexes/lineitem")

See docs/skip-index.md.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import fspath
from typing import TYPE_CHECKING, Any

from latebloom import _jvm
from latebloom._render import html_table, seconds, size, table
from latebloom._session import require_extension

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Built", "IndexedColumn", "IndexedFile", "IndexedFiles", "build", "drop", "list"]


@dataclass(frozen=True)
class Built:
    """What a build did.

    Attributes:
        indexed: files that it read.
        known: files that the folder had complete entries of already.
        fresh: files that were written less than five seconds ago, which it left for the next
            build.
        dropped: files that are gone or have changed, whose entries it dropped.
        bytes: that it wrote.
        seconds: that it took.
    """

    indexed: int
    known: int
    fresh: int
    dropped: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.indexed:,} files indexed in {seconds(self.seconds)}, {size(self.bytes)}; "
            f"{self.known:,} known, {self.fresh:,} too fresh, {self.dropped:,} dropped"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, ready for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class IndexedColumn:
    """What an index has of a column in a file.

    Attributes:
        name: of the column.
        kinds: forms of its keys, over the splits of the file: ``set``, ``bitmap``, ``bloom``,
            ``range``, ``empty`` (there are only nulls) or ``none`` (there are too many keys).
        bytes: that they take.
    """

    name: str
    kinds: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class IndexedFile:
    """A file that an index has entries of.

    Attributes:
        path: of the file.
        columns: that have entries.
        stale: whether the file is gone, or is not as it was when it was indexed; its entries are
            not used.
    """

    path: str
    columns: tuple[IndexedColumn, ...]
    stale: bool

    @property
    def bytes(self) -> int:
        """That its entries take."""
        return sum(column.bytes for column in self.columns)


@dataclass(frozen=True)
class IndexedFiles(Sequence[IndexedFile]):
    """The files that a folder has entries of, by path."""

    files: tuple[IndexedFile, ...]

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, i: Any) -> Any:
        return self.files[i]

    def __iter__(self) -> Iterator[IndexedFile]:
        return iter(self.files)

    def __str__(self) -> str:
        return table(_HEADER, self._rows(), right=(2,))

    def _repr_html_(self) -> str:
        return html_table(_HEADER, self._rows())

    def _rows(self) -> builtins.list[tuple[str, str, str, str]]:
        return [
            (
                file.path,
                ", ".join(f"{c.name} ({', '.join(c.kinds)})" for c in file.columns),
                size(file.bytes),
                "stale" if file.stale else "",
            )
            for file in self.files
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "files": [
                {
                    "path": file.path,
                    "columns": [
                        {"name": c.name, "kinds": [*c.kinds], "bytes": c.bytes}
                        for c in file.columns
                    ],
                    "stale": file.stale,
                }
                for file in self.files
            ]
        }


_HEADER = ("file", "columns", "size", "")


def build(
    spark: SparkSession,
    of: str | DataFrame,
    *,
    columns: Sequence[str],
    into: str | PathLike[str],
) -> Built:
    """Indexes columns of a table's Parquet or ORC files, those files that are new or have changed.

    Runs a Spark job that reads these columns, and writes sidecars into the folder, each whole or
    not at all. Entries of files that are gone or have changed are dropped. Scans use the folder
    once it is named in ``spark.latebloom.index.path``.

    Args:
        spark: a session with the extension.
        of: the name of a table, or ``spark.read.parquet(...)`` or ``spark.read.orc(...)``.
        columns: names of top-level columns that files have: numbers, booleans, dates, times,
            intervals, binary, strings of the collation UTF8_BINARY. Not CHAR, no partition columns.
        into: the folder, which may have entries of other tables and columns.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is a Spark Connect client.
        pyspark.errors.IllegalArgumentException: the table, or a column, can have no such index.
    """
    require_extension(spark)
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, such as [{columns!r}]")
    df = spark.table(of) if isinstance(of, str) else of
    return Built(**json.loads(_jvm.build_index(df, [*columns], fspath(into))))


def list(spark: SparkSession, folder: str | PathLike[str]) -> IndexedFiles:
    """The files that a folder has entries of, and whether these are stale; asks the store.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is a Spark Connect client.
    """
    require_extension(spark)
    told = json.loads(_jvm.list_index(spark, fspath(folder)))
    return IndexedFiles(tuple(_file(file) for file in told))


def _file(told: dict[str, Any]) -> IndexedFile:
    columns = (IndexedColumn(c["name"], tuple(c["kinds"]), c["bytes"]) for c in told["columns"])
    return IndexedFile(told["path"], tuple(columns), told["stale"])


def drop(
    spark: SparkSession,
    folder: str | PathLike[str],
    *,
    of: str | PathLike[str] | None = None,
) -> int:
    """Drops entries of a folder; returns of how many files.

    Args:
        spark: a session with the extension.
        folder: the folder of :func:`build`.
        of: a file, or a directory: the entries of the files below it. None: all, also sidecars
            that are damaged.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is a Spark Connect client.
    """
    require_extension(spark)
    return _jvm.drop_index(spark, fspath(folder), None if of is None else fspath(of))
