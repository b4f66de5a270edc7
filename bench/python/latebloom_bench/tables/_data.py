# SPDX-License-Identifier: Apache-2.0
"""Tables for the suites: generated, or found in a directory, as Parquet or as ORC."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from latebloom._data import Cache
from latebloom._errors import LateBloomError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Data(Protocol):
    """A set of tables that can be generated at any scale factor."""

    def names(self) -> Iterable[str]:
        """The names of the tables that :meth:`table` returns."""
        ...

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The Parquet file or directory of a table, generated on first use."""
        ...


@dataclass(frozen=True)
class Directory:
    """Existing tables: each ``<name>.parquet`` of a directory is one."""

    path: Path

    def names(self) -> Iterable[str]:
        """The stems of the Parquet files."""
        return sorted(file.stem for file in self.path.glob("*.parquet"))

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The file of that name, at any scale."""
        file = self.path / f"{name}.parquet"
        if not file.exists():
            raise LateBloomError(
                f"there is no {file.name}",
                where=str(self.path),
                fix="name a directory that has it with --data, or omit --data to generate it",
            )
        return file


def as_orc(spark: SparkSession, parquet: Path, cache: Cache) -> Path:
    """The same table as ORC, written by Spark, beside the Parquet one."""
    key = parquet.with_suffix(".orc").name
    inside = parquet.parent.relative_to(cache.root) if parquet.is_relative_to(cache.root) else "orc"

    def convert(target: Path) -> None:
        spark.read.parquet(str(parquet)).write.orc(str(target))

    return cache.made(str(Path(inside, key)), size_of(parquet) * 1.5, convert)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a directory."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
