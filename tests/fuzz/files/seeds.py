# SPDX-License-Identifier: Apache-2.0
"""Writes the good files that the file fuzzer damages, with Arrow and DuckDB.

    seeds.py FOLDER

Each table is a folder. The fuzzer lets Spark write more files from its ``source.parquet``.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "matrix"))
import _tables

ROWS = 240

_DELTA = "DELTA_BINARY_PACKED"
_DELTAS = {
    **dict.fromkeys(("id", "i8", "i16", "i32", "i64", "runs", "low", "sorted", "d", "ts"), _DELTA),
    **dict.fromkeys(("mode", "bin"), "DELTA_LENGTH_BYTE_ARRAY"),
    **dict.fromkeys(("s", "one", "dec38"), "DELTA_BYTE_ARRAY"),
    "flag": "RLE",
}
_SPLIT = dict.fromkeys(("i32", "i64", "f32", "f64", "dec18"), "BYTE_STREAM_SPLIT")


def nested() -> pa.Table:
    """A table of nested structs, lists and maps."""
    rng = random.Random(7)
    table = _tables.mixed(ROWS).select(["id", "st", "arr", "mp"])

    def row(i: int) -> dict[str, Any] | None:
        if rng.random() < 0.1:
            return None
        return {
            "x": rng.choice((None, i, 7)),
            "in": rng.choice((None, {"y": rng.choice(_tables.MODES), "z": i / 4})),
            "l": [rng.choice((None, "a", "bc")) for _ in range(rng.randint(0, 3))],
        }

    kind = pa.struct(
        [
            ("x", pa.int64()),
            ("in", pa.struct([("y", pa.string()), ("z", pa.float64())])),
            ("l", pa.list_(pa.string())),
        ]
    )
    deep = pa.array([row(i) for i in range(ROWS)], kind)
    rows = [
        None if rng.random() < 0.1 else [row(i) for _ in range(rng.randint(0, 2))]
        for i in range(ROWS)
    ]
    return table.append_column("deep", deep).append_column("rows", pa.array(rows, pa.list_(kind)))


def tables() -> dict[str, pa.Table]:
    """The tables by name, each of few columns, so that damage often hits a column that is read."""
    mixed, required = _tables.mixed(ROWS), _tables.required(ROWS)
    return {
        "integers": mixed.select(["id", "flag", "i8", "i16", "i32", "i64", "runs", "rare"]),
        "times": mixed.select(["id", "sorted", "low", "f32", "f64", "d", "ts", "ntz"]),
        "texts": mixed.select(["id", "mode", "s", "bin", "one", "none_s"]),
        "decimals": mixed.select(["id", "dec9", "dec18", "dec38", "low"]),
        "required": required.select(
            ["id", "flag", "i32", "i64", "f64", "mode", "d", "dec18", "one"]
        ),
        "nested": nested(),
        "exotic": _tables.exotic(ROWS),
        "malformed": _tables.malformed_text(ROWS),
    }


ARROW: dict[str, dict[str, Any]] = {
    "v1_snappy": {"compression": "snappy"},
    "plain_index": {"use_dictionary": False, "compression": "none", "write_page_index": True},
    "dictionary_index": {"compression": "none", "write_page_index": True},
    "v2_plain": {"use_dictionary": False, "compression": "none", "data_page_version": "2.0"},
    "v2_zstd_index": {
        "data_page_version": "2.0",
        "compression": "zstd",
        "write_page_index": True,
    },
    "fallback": {"dictionary_pagesize_limit": 300, "compression": "none"},
    "fallback_gzip_index": {
        "dictionary_pagesize_limit": 300,
        "compression": "gzip",
        "write_page_index": True,
    },
    "lz4_checksums": {
        "compression": "lz4",
        "use_dictionary": False,
        "write_page_checksum": True,
    },
    "deltas": {"use_dictionary": False, "compression": "none", "column_encoding": _DELTAS},
    "deltas_v2_index": {
        "use_dictionary": False,
        "compression": "snappy",
        "column_encoding": _DELTAS,
        "data_page_version": "2.0",
        "write_page_index": True,
    },
    "split": {"use_dictionary": False, "compression": "none", "column_encoding": _SPLIT},
    "one_page": {"compression": "none", "data_page_size": 1 << 20, "row_group_size": 1 << 20},
}


def write_parquet(table: pa.Table, path: Path, options: dict[str, Any]) -> None:
    """Writes small pages and row groups; writes nothing if no column has a requested encoding."""
    settings = {
        "row_group_size": 150,
        "data_page_size": 256,
        "write_batch_size": 32,
        "store_schema": False,
        **options,
    }
    encodings = settings.get("column_encoding", {})
    present = {name: e for name, e in encodings.items() if name in table.column_names}
    if "column_encoding" in settings:
        settings["column_encoding"] = present
    if not encodings or present:
        pq.write_table(table, path, **settings)


ARROW_ORC: dict[str, dict[str, Any]] = {
    "none": {"compression": "uncompressed"},
    "zstd_direct": {"dictionary_key_size_threshold": 0.0, "compression": "zstd"},
    "old": {"file_version": "0.11", "compression": "uncompressed"},
}


def write_orc(table: pa.Table, path: Path, options: dict[str, Any]) -> None:
    """Writes small stripes and strides with ORC's C++ library."""
    settings = {
        "stripe_size": 4096,
        "batch_size": 50,
        "row_index_stride": 50,
        "dictionary_key_size_threshold": 0.5,
        **options,
    }
    orc.write_table(table, path, **settings)


def write_duckdb(source: Path, path: Path, version: str) -> None:
    """Copies the rows of a Parquet file with DuckDB."""
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        connection.execute(
            f"copy (from read_parquet('{source}')) to '{path}' "
            f"(format parquet, row_group_size 2048, parquet_version {version})"
        )


def without_zones(table: pa.Table) -> pa.Table:
    """Strips time zones and moves times past 1970: ORC's C++ library writes earlier ones wrong."""
    for i, name in enumerate(table.column_names):
        if pa.types.is_timestamp(table.field(i).type):
            later = pc.add(
                table.column(i).cast(pa.timestamp("us")),
                pa.scalar(30 * 86_400_000_000, pa.duration("us")),
            )
            table = table.set_column(i, name, later)
    return table


def main(folder: Path) -> None:
    """Writes every table with every writer and variant."""
    for name, table in tables().items():
        home = folder / name
        home.mkdir(parents=True, exist_ok=True)
        write_parquet(table, home / "source.parquet", {"compression": "none"})
        for variant, options in ARROW.items():
            write_parquet(table, home / f"arrow_{variant}.parquet", options)
        if name not in ("malformed", "exotic"):
            for version in ("v1", "v2"):
                write_duckdb(home / "source.parquet", home / f"duckdb_{version}.parquet", version)
            for variant, options in ARROW_ORC.items():
                write_orc(without_zones(table), home / f"arrow_{variant}.orc", options)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
