# SPDX-License-Identifier: Apache-2.0
"""Generated tables, each made for one question and written by pyarrow rather than Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom._data import Cache

if TYPE_CHECKING:
    import pyarrow as pa

# Rows per write: written rows stay in memory until their row group is full.
_CHUNK = 250_000


@dataclass(frozen=True)
class Layout:
    """The layout of a table.

    Attributes:
        dictionary: columns with a dictionary, by name.
        compression: of all columns, in pyarrow's terms.
        page_index: whether to write column and offset indexes.
        page_bytes: approximate limit of a page.
        group_rows: rows of a row group.
        files: number of files; more than one form a directory.
    """

    dictionary: tuple[str, ...] = ()
    compression: str = "snappy"
    page_index: bool = True
    page_bytes: int = 2**20
    group_rows: int = 1_000_000
    files: int = 1


DEFAULT = Layout()


@dataclass(frozen=True)
class Made:
    """A table: its rows at scale factor 1, the content of a range of rows, and a layout."""

    rows: int
    columns: Callable[[int, int, int], Mapping[str, Any]]
    row_bytes: int
    layout: Layout = DEFAULT


@dataclass(frozen=True)
class Generated:
    """Tables by name. The cache keeps them by name and scale: a changed table is a new name."""

    tables: Mapping[str, Made]

    def names(self) -> Iterable[str]:
        """The names of the tables."""
        return self.tables

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """One table's Parquet file or directory, written on first use."""
        made = self.tables[name]
        rows = max(made.layout.files, int(made.rows * scale))

        def make(target: Path) -> None:
            if made.layout.files == 1:
                _write(target, made, rows, 0, rows)
                return
            target.mkdir()
            step = -(-rows // made.layout.files)
            for start in range(0, rows, step):
                part = target / f"part-{start // step:05}.parquet"
                _write(part, made, rows, start, min(rows, start + step))

        return cache.made(f"generated-sf{scale:g}/{name}.parquet", rows * made.row_bytes, make)


@dataclass(frozen=True)
class Several:
    """Several sets of tables as one set; no two tables have the same name."""

    sets: tuple[Any, ...]

    def names(self) -> Iterable[str]:
        """The names of the tables of all sets."""
        return [name for one in self.sets for name in one.names()]

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The table, from the set that has it."""
        owner = next(one for one in self.sets if name in one.names())
        path: Path = owner.table(name, scale, cache)
        return path


@dataclass(frozen=True)
class Scaled:
    """A set of tables at a multiple of the suite's scale factor."""

    tables: Any
    factor: float

    def names(self) -> Iterable[str]:
        """The names of the set's tables."""
        names: Iterable[str] = self.tables.names()
        return names

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The table at the other scale."""
        path: Path = self.tables.table(name, scale * self.factor, cache)
        return path


def _write(target: Path, made: Made, rows: int, start: int, stop: int) -> None:
    import pyarrow.parquet as pq

    writer = None
    layout = made.layout
    step = min(_CHUNK, layout.group_rows)
    try:
        for tables in _grouped(made, rows, start, stop, step):
            if writer is None:
                writer = pq.ParquetWriter(
                    target,
                    tables.schema,
                    compression=layout.compression,
                    use_dictionary=list(layout.dictionary),
                    dictionary_pagesize_limit=2**26,
                    write_page_index=layout.page_index,
                    data_page_size=layout.page_bytes,
                )
            writer.write_table(tables, row_group_size=layout.group_rows)
    finally:
        if writer is not None:
            writer.close()


def _grouped(made: Made, rows: int, start: int, stop: int, step: int) -> Iterator[pa.Table]:
    import pyarrow as pa

    for first in range(start, stop, made.layout.group_rows):
        last = min(stop, first + made.layout.group_rows)
        yield pa.concat_tables(
            pa.table(dict(made.columns(rows, at, min(last, at + step))))
            for at in range(first, last, step)
        )
