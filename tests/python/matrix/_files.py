# SPDX-License-Identifier: Apache-2.0
"""The files of the matrix: each variant is one way to write a table, by one of four writers."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _tables
import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Write = Callable[[SparkSession, Path], None]


@dataclass(frozen=True)
class Variant:
    """One physical form of a table.

    ``full`` variants get every query of the table, the others a seeded choice of them. ``confs``
    are set in the sessions that read it, both with the extension on and off. ``expect``, where
    given, is what the plan of any of its queries must show (see ``tests/sql/README.md``). ``format``
    is Spark's name for what the files are.
    """

    name: str
    write: Write
    full: bool = False
    confs: dict[str, str] = field(default_factory=dict)
    expect: str = ""
    format: str = "parquet"


def by_arrow(make: Callable[[], pa.Table], **options: Any) -> Write:
    """Written by pyarrow. Small pages and row groups unless ``options`` say otherwise."""
    settings: dict[str, Any] = {
        "row_group_size": 700,
        "data_page_size": 512,
        "write_batch_size": 64,
        "compression": "snappy",
        "store_schema": False,
        **options,
    }

    def write(_: SparkSession, folder: Path) -> None:
        folder.mkdir(parents=True)
        pq.write_table(make(), folder / "part-0.parquet", **settings)

    return write


def with_empty_row_groups(make: Callable[[], pa.Table]) -> Write:
    """Written by pyarrow: a row group without a row before, between and after two with rows."""

    def write(_: SparkSession, folder: Path) -> None:
        folder.mkdir(parents=True)
        table = make()
        half = table.num_rows // 2
        with pq.ParquetWriter(folder / "part-0.parquet", table.schema) as writer:
            for part in (table.slice(0, 0), table.slice(0, half), table.slice(0, 0)):
                writer.write_table(part)
            writer.write_table(table.slice(half))
            writer.write_table(table.slice(0, 0))

    return write


def by_spark(
    make: Callable[[], pa.Table],
    files: int = 1,
    confs: dict[str, str] | None = None,
    **options: str,
) -> Write:
    """Written by Spark, that is parquet-java, with pages of at most 64 rows.

    ``confs`` are SQL confs of the writing session, ``options`` those of the writer.
    """
    settings = {
        "compression": "snappy",
        "parquet.page.row.count.limit": "64",
        "parquet.page.size": "2048",
        "parquet.page.size.row.check.min": "16",
        "parquet.block.size": "65536",
        "parquet.block.size.row.check.min": "100",
        **options,
    }

    def write(spark: SparkSession, folder: Path) -> None:
        source = folder.with_name(folder.name + "-source")
        by_arrow(make)(spark, source)
        session = spark.newSession()
        for key, value in (confs or {}).items():
            session.conf.set(key, value)
        frame = session.read.parquet(str(source)).coalesce(1)
        if files > 1:
            frame = frame.repartitionByRange(files, "id")
        frame.write.options(**settings).parquet(str(folder))

    return write


def by_spark_orc(make: Callable[[], pa.Table], files: int = 1, **options: str) -> Write:
    """Written by Spark as ORC, that is by orc-core: stripes of some strides of 1,000 rows."""
    settings = {
        "compression": "zstd",
        "orc.stripe.row.count": "2500",
        "orc.row.index.stride": "1000",
        **options,
    }

    def write(spark: SparkSession, folder: Path) -> None:
        source = folder.with_name(folder.name + "-source")
        by_arrow(make)(spark, source)
        frame = spark.newSession().read.parquet(str(source)).coalesce(1)
        if files > 1:
            frame = frame.repartitionByRange(files, "id")
        frame.write.options(**settings).orc(str(folder))

    return write


def by_arrow_orc(make: Callable[[], pa.Table], **options: Any) -> Write:
    """Written by pyarrow as ORC, that is by ORC's C++ library: strides of 100 rows."""
    settings: dict[str, Any] = {
        "compression": "zstd",
        "stripe_size": 8192,
        "batch_size": 100,
        "row_index_stride": 100,
        "dictionary_key_size_threshold": 0.5,
        **options,
    }

    def write(_: SparkSession, folder: Path) -> None:
        folder.mkdir(parents=True)
        orc.write_table(make(), folder / "part-0.orc", **settings)

    return write


def by_duckdb(make: Callable[[], pa.Table], **options: str) -> Write:
    """Written by DuckDB."""

    def write(spark: SparkSession, folder: Path) -> None:
        source = folder.with_name(folder.name + "-source")
        by_arrow(make)(spark, source)
        folder.mkdir(parents=True)
        clauses = ", ".join(
            f"{k} {v}"
            for k, v in {
                "format": "parquet",
                "row_group_size": "2048",
                **options,
            }.items()
        )
        with duckdb.connect() as connection:
            connection.execute(
                f"copy (from read_parquet('{source}/part-0.parquet')) "
                f"to '{folder}/part-0.parquet' ({clauses})"
            )

    return write


def by_tpchgen(table: str, *arguments: str) -> Write:
    """Written by parquet-rs: one TPC-H table at a scale of some thousands of rows."""

    def write(_: SparkSession, folder: Path) -> None:
        folder.mkdir(parents=True)
        command = [
            str(Path(sys.executable).with_name("tpchgen-cli")),
            "parquet",
            "--quiet",
        ]
        command += [
            "-s",
            "0.002",
            "-T",
            table,
            "-n",
            "1",
            "-o",
            str(folder),
            *arguments,
        ]
        subprocess.run(command, check=True, capture_output=True)

    return write


_EVERY_ROW = {"row_group_size": 1, "data_page_size": 1, "write_batch_size": 1}
_SPLIT = {
    "spark.sql.files.maxPartitionBytes": "20000",
    "spark.sql.files.openCostInBytes": "0",
}

_DELTAS = {
    "i32": "DELTA_BINARY_PACKED",
    "i64": "DELTA_BINARY_PACKED",
    "id": "DELTA_BINARY_PACKED",
    "d": "DELTA_BINARY_PACKED",
    "ts": "DELTA_BINARY_PACKED",
    "mode": "DELTA_LENGTH_BYTE_ARRAY",
    "s": "DELTA_BYTE_ARRAY",
    "bin": "DELTA_LENGTH_BYTE_ARRAY",
    "one": "DELTA_BYTE_ARRAY",
    "flag": "RLE",
}


def _few() -> pa.Table:
    return _tables.mixed(60)


MIXED = [
    Variant("arrow_v1_snappy_dict", by_arrow(_tables.mixed)),
    Variant(
        "arrow_v2_zstd_index",
        by_arrow(
            _tables.mixed,
            data_page_version="2.0",
            compression="zstd",
            write_page_index=True,
        ),
        full=True,
    ),
    Variant(
        "arrow_plain_index",
        by_arrow(
            _tables.mixed,
            use_dictionary=False,
            compression="none",
            write_page_index=True,
        ),
    ),
    Variant(
        "arrow_fallback",
        by_arrow(_tables.mixed, dictionary_pagesize_limit=300, row_group_size=1500),
    ),
    Variant(
        "arrow_fallback_index_v2_gzip",
        by_arrow(
            _tables.mixed,
            dictionary_pagesize_limit=300,
            row_group_size=1500,
            data_page_version="2.0",
            compression="gzip",
            write_page_index=True,
        ),
    ),
    Variant(
        "arrow_lz4_raw_plain",
        by_arrow(_tables.mixed, compression="lz4", use_dictionary=False),
    ),
    Variant("arrow_no_statistics", by_arrow(_tables.mixed, write_statistics=False)),
    Variant(
        "arrow_checksums",
        by_arrow(_tables.mixed, write_page_checksum=True, write_page_index=True),
    ),
    Variant(
        "arrow_one_page",
        by_arrow(_tables.mixed, data_page_size=1 << 20, row_group_size=1 << 20),
    ),
    Variant("arrow_one_row_groups", by_arrow(_few, **_EVERY_ROW)),
    Variant(
        "arrow_deltas_v2_index",
        by_arrow(
            _tables.mixed,
            use_dictionary=False,
            column_encoding=_DELTAS,
            data_page_version="2.0",
            write_page_index=True,
        ),
    ),
    Variant(
        "arrow_deltas_v1",
        by_arrow(_tables.mixed, use_dictionary=False, column_encoding=_DELTAS),
    ),
    Variant("arrow_split", by_arrow(_tables.mixed, row_group_size=150), confs=_SPLIT),
    Variant("arrow_empty_row_groups", with_empty_row_groups(_tables.mixed)),
    Variant("arrow_no_row", by_arrow(_tables.nothing), expect="either"),
    Variant("spark_v1_snappy", by_spark(_tables.mixed), full=True),
    Variant(
        "spark_v2_zstd",
        by_spark(_tables.mixed, compression="zstd", **{"parquet.writer.version": "v2"}),
    ),
    # Compressed, because of uncompressed V2 pages in DELTA_BYTE_ARRAY Spark itself reads garbage.
    Variant(
        "spark_v2_deltas",
        by_spark(
            _tables.mixed,
            compression="snappy",
            **{"parquet.writer.version": "v2", "parquet.enable.dictionary": "false"},
        ),
    ),
    Variant(
        "spark_fallback_gzip",
        by_spark(_tables.mixed, compression="gzip", **{"parquet.dictionary.page.size": "400"}),
    ),
    Variant("spark_lz4_hadoop", by_spark(_tables.mixed, compression="lz4")),
    Variant("spark_lz4_raw", by_spark(_tables.mixed, compression="lz4_raw")),
    Variant("spark_files", by_spark(_tables.mixed, files=3)),
    Variant(
        "spark_bloom",
        by_spark(_tables.mixed, **{"parquet.bloom.filter.enabled": "true"}),
    ),
    Variant(
        "batch_1",
        by_arrow(_tables.mixed),
        confs={"spark.sql.parquet.columnarReaderBatchSize": "1"},
    ),
    Variant(
        "batch_7",
        by_spark(_tables.mixed),
        confs={"spark.sql.parquet.columnarReaderBatchSize": "7"},
    ),
    Variant(
        "off_heap_vectors",
        by_spark(_tables.mixed),
        confs={"spark.sql.columnVector.offheap.enabled": "true"},
    ),
    Variant(
        "row_reader",
        by_spark(_tables.mixed),
        confs={"spark.sql.parquet.enableVectorizedReader": "false"},
        expect="spark vectorized-reader-off",
    ),
    Variant("no_aqe", by_spark(_tables.mixed), confs={"spark.sql.adaptive.enabled": "false"}),
    Variant(
        "no_codegen",
        by_spark(_tables.mixed),
        confs={"spark.sql.codegen.wholeStage": "false"},
    ),
    Variant(
        "no_pushdown",
        by_spark(_tables.mixed),
        confs={"spark.sql.parquet.filterPushdown": "false"},
    ),
    Variant("not_ansi", by_spark(_tables.mixed), confs={"spark.sql.ansi.enabled": "false"}),
    Variant(
        "other_zone",
        by_spark(_tables.mixed),
        confs={"spark.sql.session.timeZone": "Asia/Kolkata"},
    ),
]

FLAT = [
    Variant("duckdb_v1", by_duckdb(_tables.flat), full=True),
    Variant(
        "duckdb_v2_zstd",
        by_duckdb(_tables.flat, parquet_version="v2", codec="zstd"),
    ),
    Variant(
        "duckdb_plain_lz4",
        by_duckdb(_tables.flat, codec="lz4_raw", dictionary_size_limit="1"),
    ),
    Variant(
        "duckdb_gzip_v2_fallback",
        by_duckdb(_tables.flat, codec="gzip", parquet_version="v2", dictionary_size_limit="16"),
    ),
    Variant("arrow_int96", by_arrow(_tables.flat, use_deprecated_int96_timestamps=True)),
    Variant(
        "arrow_decimal_as_integer",
        by_arrow(_tables.flat, store_decimal_as_integer=True, write_page_index=True),
    ),
    Variant("arrow_required", by_arrow(_tables.required, write_page_index=True)),
    Variant(
        "arrow_required_v2_plain",
        by_arrow(_tables.required, use_dictionary=False, data_page_version="2.0"),
    ),
    Variant(
        "spark_legacy_decimals_int96",
        by_spark(
            _tables.flat,
            confs={
                "spark.sql.parquet.writeLegacyFormat": "true",
                "spark.sql.parquet.outputTimestampType": "INT96",
            },
        ),
    ),
    Variant(
        "spark_milliseconds",
        by_spark(
            _tables.flat,
            confs={"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"},
        ),
    ),
]

EXOTIC = [
    Variant("arrow", by_arrow(_tables.exotic), full=True),
    Variant(
        "arrow_plain_index",
        by_arrow(_tables.exotic, use_dictionary=False, write_page_index=True),
        full=True,
    ),
    Variant(
        "arrow_integer_decimals",
        by_arrow(_tables.exotic, store_decimal_as_integer=True),
    ),
    Variant("duckdb_v2", by_duckdb(_tables.exotic, parquet_version="v2")),
]

WIDE = [
    Variant("arrow", by_arrow(_tables.wide), full=True),
    Variant(
        "spark_v2",
        by_spark(_tables.wide, **{"parquet.writer.version": "v2"}),
    ),
]

TEXT = [
    Variant("arrow", by_arrow(_tables.malformed_text), full=True),
    Variant(
        "arrow_plain_index",
        by_arrow(_tables.malformed_text, use_dictionary=False, write_page_index=True),
        full=True,
    ),
]

_LINEITEM_DELTAS = (
    "l_comment=DELTA_LENGTH_BYTE_ARRAY,l_shipinstruct=DELTA_BYTE_ARRAY,"
    "l_orderkey=DELTA_BINARY_PACKED,l_shipdate=DELTA_BINARY_PACKED"
)

LINEITEM = [
    Variant("snappy", by_tpchgen("lineitem")),
    Variant(
        "zstd_groups",
        by_tpchgen("lineitem", "-c", "ZSTD(3)", "--row-group-bytes=100000"),
        full=True,
    ),
    Variant("gzip", by_tpchgen("lineitem", "-c", "GZIP(1)")),
    Variant("lz4_raw", by_tpchgen("lineitem", "-c", "LZ4_RAW", "--row-group-bytes=100000")),
    Variant(
        "deltas",
        by_tpchgen("lineitem", "-c", "UNCOMPRESSED", "--column-encoding", _LINEITEM_DELTAS),
    ),
    Variant("split", by_tpchgen("lineitem", "--row-group-bytes=60000"), confs=_SPLIT),
    Variant(
        "plain",
        by_tpchgen(
            "lineitem",
            "--column-encoding",
            "l_comment=PLAIN,l_shipmode=PLAIN,l_quantity=PLAIN",
        ),
    ),
]


@lru_cache
def _strides() -> pa.Table:
    return _tables.mixed(6000)


@lru_cache
def _without_zones() -> pa.Table:
    """The flat table with times without zone, and none before 1970, which C++ writes wrongly."""
    table = _tables.flat()
    for i, name in enumerate(table.column_names):
        if pa.types.is_timestamp(table.field(i).type):
            later = pc.add(table.column(i).cast(pa.timestamp("us")), dt.timedelta(days=30))
            table = table.set_column(i, name, later)
    return table


def _orc(name: str, write: Write, **rest: Any) -> Variant:
    return Variant(f"orc_{name}", write, format="orc", **rest)


ORC_MIXED = [
    _orc("spark_zstd", by_spark_orc(_strides), full=True),
    _orc(
        "spark_none_direct",
        by_spark_orc(_strides, compression="none", **{"orc.dictionary.key.threshold": "0"}),
    ),
    _orc(
        "spark_snappy_dictionary",
        by_spark_orc(_strides, compression="snappy", **{"orc.dictionary.key.threshold": "1"}),
    ),
    _orc(
        "spark_lz4_no_index",
        by_spark_orc(_strides, compression="lz4", **{"orc.create.index": "false"}),
    ),
    _orc(
        "spark_zlib_proleptic",
        by_spark_orc(_strides, compression="zlib", **{"orc.proleptic.gregorian": "true"}),
    ),
    _orc(
        "spark_small_chunks",
        by_spark_orc(_strides, **{"orc.compress.size": "1024", "orc.buffer.size.enforce": "true"}),
    ),
    _orc("spark_old", by_spark_orc(_strides, **{"orc.write.format": "0.11"})),
    _orc(
        "spark_bloom",
        by_spark_orc(
            _strides,
            **{
                "orc.bloom.filter.columns": "id,i8,i32,i64,low,mode,s,d,ts,f64,dec18",
                "orc.stripe.row.count": "4000",
            },
        ),
    ),
    _orc(
        "spark_split",
        by_spark_orc(_strides, files=2, **{"orc.stripe.row.count": "1200"}),
        confs=_SPLIT,
    ),
    _orc("spark_no_row", by_spark_orc(_tables.nothing), expect="either"),
    _orc(
        "spark_batch_7",
        by_spark_orc(_tables.mixed),
        confs={"spark.sql.orc.columnarReaderBatchSize": "7"},
    ),
    _orc(
        "spark_off_heap",
        by_spark_orc(_tables.mixed),
        confs={"spark.sql.columnVector.offheap.enabled": "true"},
    ),
    _orc(
        "spark_row_reader",
        by_spark_orc(_tables.mixed),
        confs={"spark.sql.orc.enableVectorizedReader": "false"},
        expect="spark vectorized-reader-off",
    ),
    _orc(
        "spark_no_pushdown",
        by_spark_orc(_strides),
        confs={"spark.sql.orc.filterPushdown": "false"},
    ),
]

ORC_FLAT = [
    _orc("arrow_zstd", by_arrow_orc(_without_zones)),
    _orc("arrow_none", by_arrow_orc(_without_zones, compression="uncompressed")),
    _orc(
        "arrow_direct_zlib",
        by_arrow_orc(_without_zones, compression="zlib", dictionary_key_size_threshold=0.0),
    ),
    _orc("arrow_old", by_arrow_orc(_without_zones, file_version="0.11")),
]

ORC_WIDE = [_orc("spark", by_spark_orc(_tables.wide))]

ORC_TEXT = [_orc("spark", by_spark_orc(_tables.malformed_text), full=True)]

TABLES: dict[str, list[Variant]] = {
    "mixed": MIXED + ORC_MIXED,
    "flat": FLAT + ORC_FLAT,
    "exotic": EXOTIC,
    "wide": WIDE + ORC_WIDE,
    "text": TEXT + ORC_TEXT,
    "lineitem": LINEITEM,
}
