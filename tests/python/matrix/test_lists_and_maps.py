# SPDX-License-Identifier: Apache-2.0
"""Lists and maps as several writers lay them out: read for the rows that pass, and in part."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from _pair import Pair, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PairOf = Callable[..., Pair]

ROWS = 1500
COLORS = ["red", "green", "blue", "", "naïve", "🦊"]

LAYOUTS: dict[str, dict[str, Any]] = {
    "one_page": {},
    # Without an index, rows go on from page to page.
    "small_pages": {"data_page_size": 64, "write_batch_size": 16},
    "small_pages_v2": {"data_page_size": 64, "write_batch_size": 16, "data_page_version": "2.0"},
    "indexed": {"data_page_size": 256, "write_batch_size": 16, "write_page_index": True},
    "plain": {"use_dictionary": False, "compression": "zstd", "data_page_size": 2048},
    "delta": {
        "use_dictionary": False,
        "column_encoding": {
            "numbers.list.element": "DELTA_BINARY_PACKED",
            "words.list.element": "DELTA_BYTE_ARRAY",
            "counts.key_value.key": "DELTA_LENGTH_BYTE_ARRAY",
            "counts.key_value.value": "DELTA_BINARY_PACKED",
            "names.key_value.key": "DELTA_BINARY_PACKED",
            "ratios.list.element": "BYTE_STREAM_SPLIT",
        },
        "data_page_size": 1024,
    },
}

QUERIES = [
    "select * from t where id % 100 = 7",
    "select id, numbers from t where id between 700 and 720",
    "select words, counts from t where kind = 3",
    "select * from t where kind >= 0",
    "select counts, names from t where id % 3 = 1 and kind < 15",
    "select id, numbers from t where size(words) > 4 and kind = 5",
    "select id, names from t where counts is null and kind < 5",
    "select id from t where numbers is not null and array_contains(words, 'red') and kind < 9",
    "select counts['red'], counts['none'] from t where id % 10 = 7",
    "select id, element_at(counts, '🦊'), names[3] from t where kind < 15",
    "select sum(counts['blue']), count(names[1]) from t where kind < 15",
    "select kind, sum(counts['green']) from t where kind in (3, 5) group by kind",
    "select get(words, 0), get(numbers, 3), get(moments, 1) from t where kind = 4",
    "select counts['red'], counts from t where kind = 6",
    "select id, counts['red'] from t where counts['blue'] > 100 and kind < 12",
    "select words[1] from t where kind = 6",
    "select names[1], get(deep, 0), get(people, 1) from t where kind = 2",
]


def rows_of(seed: int = 1, *, repeat_keys: bool = True) -> pa.Table:
    """Lists and maps that are null, empty, short and long, with null entries, and deeper ones."""
    rng = random.Random(seed)

    def some(make: Callable[[], Any]) -> Any:
        n = rng.choice((0, 1, 2, 5, 5, 40))
        return None if rng.random() < 0.1 else [make() for _ in range(n)]

    def maybe(value: Any) -> Any:
        return None if rng.random() < 0.15 else value

    def column(make: Callable[[], Any], kind: pa.DataType) -> pa.Array:
        return pa.array([some(make) for _ in range(ROWS)], kind)

    def pairs(make: Callable[[], Any], kind: pa.DataType) -> pa.Array:
        maps = [some(make) for _ in range(ROWS)]
        return pa.array(maps if repeat_keys else [m and list(dict(m).items()) for m in maps], kind)

    def entry() -> dict[str, Any]:
        return {"name": maybe(rng.choice(COLORS)), "age": rng.randrange(99)}

    person = pa.struct([("name", pa.string()), ("age", pa.int32())])
    return pa.table(
        {
            "id": pa.array(range(ROWS), pa.int64()),
            "kind": pa.array([rng.randrange(20) for _ in range(ROWS)], pa.int32()),
            "keep": pa.array([1] * ROWS, pa.int32()),
            "numbers": column(lambda: maybe(rng.randrange(1000)), pa.list_(pa.int64())),
            "words": column(lambda: maybe(rng.choice(COLORS)), pa.list_(pa.string())),
            "ratios": column(lambda: maybe(rng.random()), pa.list_(pa.float64())),
            "moments": column(lambda: rng.randrange(10**12), pa.list_(pa.timestamp("ms", "UTC"))),
            "counts": pairs(
                lambda: (rng.choice(COLORS), maybe(rng.randrange(500))),
                pa.map_(pa.string(), pa.int64()),
            ),
            "names": pairs(
                lambda: (rng.randrange(6), maybe(rng.choice(COLORS))),
                pa.map_(pa.int32(), pa.string()),
            ),
            "deep": column(lambda: [rng.randrange(9)], pa.list_(pa.list_(pa.int32()))),
            "people": column(entry, pa.list_(person)),
        }
    )


def check(pair: Pair, *queries: str) -> None:
    wrong = [found for found in (pair.check(sql) for sql in queries) if found]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_of_arrow(layout: str, tmp_path: Path, pair_of: PairOf) -> None:
    (tmp_path / "t").mkdir()
    for part, groups in enumerate((ROWS, 400)):
        pq.write_table(
            rows_of(part),
            tmp_path / "t" / f"{part}.parquet",
            row_group_size=groups,
            store_schema=False,
            **LAYOUTS[layout],
        )
    small = layout in ("small_pages", "indexed")
    pair = pair_of({"spark.sql.parquet.columnarReaderBatchSize": "60" if small else "4096"})
    pair.parquet("t", tmp_path / "t")
    check(pair, *QUERIES)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_files_of_duckdb(version: str, tmp_path: Path, pair_of: PairOf) -> None:
    source = rows_of(repeat_keys=False)
    with duckdb.connect() as connection:
        connection.register("source", source)
        connection.execute(
            f"copy (select * from source) to '{tmp_path}/t.parquet' "
            f"(format parquet, row_group_size 600, parquet_version {version})"
        )
    pair = pair_of()
    pair.parquet("t", tmp_path / "t.parquet")
    check(pair, *QUERIES)


@pytest.mark.parametrize("legacy", ["false", "true"])
def test_files_of_spark(
    legacy: str, matrix_spark: SparkSession, tmp_path: Path, pair_of: PairOf
) -> None:
    """The legacy layout has lists of two levels and maps of other names."""
    pq.write_table(rows_of(), tmp_path / "source.parquet")
    writer = matrix_spark.newSession()
    writer.conf.set("spark.sql.parquet.writeLegacyFormat", legacy)
    frame = writer.read.parquet(f"{tmp_path}/source.parquet").coalesce(1)
    frame.write.option("parquet.page.row.count.limit", "100").parquet(f"{tmp_path}/t")
    pair = pair_of()
    pair.parquet("t", tmp_path / "t")
    check(pair, *QUERIES)


def test_flat_entries_are_decoded_by_the_scan(tmp_path: Path, pair_of: PairOf) -> None:
    """What Spark's own reader decodes for us is not counted; of a lookup, what it finds is."""
    table = rows_of()
    # Statistics prove a filter on a column without nulls, so that it is not read itself.
    keep = pa.field("keep", pa.int32(), nullable=False)
    table = table.cast(table.schema.set(table.schema.get_field_index("keep"), keep))
    pq.write_table(table, tmp_path / "t.parquet", store_schema=False)
    pair = pair_of()
    pair.parquet("t", tmp_path / "t.parquet")

    def decoded(sql: str) -> int:
        check(pair, sql)
        return run(pair.on, sql).counted["valuesDecoded"]

    for name in ("numbers", "words", "ratios", "moments"):
        entries = sum(len(v) for v in table[name].to_pylist() if v)
        assert decoded(f"select {name} from t where keep = 1") == entries, name
    for name, key in (("counts", "'red'"), ("names", "3")):
        found = [k for v in table[name].to_pylist() if v for k, _ in v]
        assert decoded(f"select {name} from t where keep = 1") == 2 * len(found)
        same = found.count(key.strip("'") if name == "counts" else int(key))
        assert decoded(f"select {name}[{key}] from t where keep = 1") == 2 * same
    assert decoded("select deep, people from t where keep = 1") == 0
    first = sum(bool(v) for v in table["words"].to_pylist())
    assert decoded("select get(words, 0) from t where keep = 1") == first


def test_read_with_other_types(tmp_path: Path, pair_of: PairOf) -> None:
    pq.write_table(rows_of(), tmp_path / "t.parquet", store_schema=False)
    pair = pair_of()
    for ddl in (
        "kind int, names map<bigint, binary>, numbers array<decimal(24, 2)>",
        "kind int, names map<int, string>, words array<binary>, people array<struct<age: bigint>>",
        "kind int, gone array<int>, lost map<string, int>, names map<int, string>",
        "kind int, words array<int>",
    ):
        pair.view(
            "t", lambda session, ddl=ddl: session.read.schema(ddl).parquet(f"{tmp_path}/t.parquet")
        )
        check(pair, "select * from t where kind = 3", "select names[1] from t where kind < 3")
