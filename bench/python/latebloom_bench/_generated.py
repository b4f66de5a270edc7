# SPDX-License-Identifier: Apache-2.0
"""Tables for one question each, written by pyarrow: a writer that is not Spark's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom._data import Cache

if TYPE_CHECKING:
    import pyarrow as pa

# Rows that are made at once: what is written stays in memory until its row group is full.
_CHUNK = 250_000


@dataclass(frozen=True)
class Layout:
    """How a table is written.

    Attributes:
        dictionary: columns with a dictionary, by name.
        compression: of all columns, as pyarrow takes it.
        page_index: whether there are column and offset indexes.
        page_bytes: most bytes of a page, about.
        group_rows: rows of a row group.
        files: files that the rows are spread over; more than one make a directory.
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
    """A table: its rows at scale factor 1, what is in rows ``start`` to ``stop``, and a layout."""

    rows: int
    columns: Callable[[int, int, int], Mapping[str, Any]]
    row_bytes: int
    layout: Layout = DEFAULT


@dataclass(frozen=True)
class Generated:
    """Tables by name. The cache keeps them by name and scale: a changed table is a new name."""

    tables: Mapping[str, Made]

    def names(self) -> Iterable[str]:
        """The tables that there are."""
        return self.tables

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """One table's Parquet file or directory, made on first use."""
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
    """The tables of several sets as one; no two of them have a table of one name."""

    sets: tuple[Any, ...]

    def names(self) -> Iterable[str]:
        """All their tables."""
        return [name for one in self.sets for name in one.names()]

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The table of the set that has it."""
        owner = next(one for one in self.sets if name in one.names())
        path: Path = owner.table(name, scale, cache)
        return path


@dataclass(frozen=True)
class Scaled:
    """A set of tables at a multiple of the suite's scale factor."""

    tables: Any
    factor: float

    def names(self) -> Iterable[str]:
        """Its tables."""
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
