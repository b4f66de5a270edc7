# SPDX-License-Identifier: Apache-2.0
"""Files whose schema is not the table's, directories that are columns, and old calendars."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from _pair import IS_SPARK_3, Pair, run
from pyarrow import orc

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PairOf = Callable[..., Pair]

SMALL = {"row_group_size": 50, "data_page_size": 64, "write_batch_size": 16, "store_schema": False}


def check(pair: Pair, *queries: str, expect: str = "late") -> None:
    wrong = [found for found in (pair.check(sql, expect) for sql in queries) if found]
    assert not wrong, "\n\n".join(wrong)


def with_schema(pair: Pair, path: Path, ddl: str) -> None:
    pair.view("t", lambda session: session.read.schema(ddl).parquet(str(path)))


def written(path: Path, name: str = "part.parquet", /, **columns: pa.Array) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path / name, **SMALL)
    return path


def numbers(rows: int = 300) -> dict[str, pa.Array]:
    return {
        "id": pa.array(range(rows), pa.int32()),
        "n": pa.array([None if i % 7 == 0 else i % 40 - 20 for i in range(rows)], pa.int32()),
        "f": pa.array([None if i % 9 == 0 else i / 4 for i in range(rows)], pa.float32()),
        "d": pa.array([dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(rows)], pa.date32()),
        "dec": pa.array([i * 100 for i in range(rows)], pa.int32()).cast(pa.decimal128(12, 2)),
        "s": pa.array([f"text {i % 13}" for i in range(rows)]),
    }


def test_partition_columns_are_output_and_filtered(tmp_path: Path, pair_of: PairOf) -> None:
    for value in ("1", "2", "30", "__HIVE_DEFAULT_PARTITION__"):
        for word in ("a%20b", "ü"):
            written(tmp_path / f"p={value}" / f"q={word}", **numbers())
    pair = pair_of()
    pair.parquet("t", tmp_path)
    check(
        pair,
        "select * from t where n = 3",
        "select id, p from t where n = 3 and p = 2",
        "select q, count(*) from t where n > 15 and p > 1 group by q",
        "select p, q from t where s = 'text 3'",
        "select id, q from t where n < -18 and q = 'a b'",
        "select id from t where n < -18 and p is null",
        "select p from t where n = 3 and p + id > 40",
        "select id, p from t where n = 3 and (p = 1 or s = 'text 3')",
        "select id, input_file_name(), _metadata.file_path from t where n = 3 and p = 30",
    )
    check(
        pair,
        "select a.id, b.p from t a join (select distinct p from t where p > 2) b on a.p = b.p where a.n = 3",
        "select * from t where p = 1",
        "select * from t where p = 77 and n = 3",
        expect="either",
    )


def test_dynamic_partition_pruning_prunes_a_late_scan(tmp_path: Path, pair_of: PairOf) -> None:
    for value in range(6):
        written(tmp_path / "fact" / f"p={value}", **numbers())
    written(
        tmp_path / "dim",
        k=pa.array(range(6), pa.int32()),
        name=pa.array([f"n{i}" for i in range(6)]),
    )
    for adaptive in ("true", "false"):
        pair = pair_of({"spark.sql.adaptive.enabled": adaptive})
        pair.parquet("t", tmp_path / "fact")
        pair.parquet("dim", tmp_path / "dim")
        sql = "select t.id, t.s from t join dim on t.p = dim.k where dim.name = 'n3' and t.n = 3"
        check(pair, sql)
        check(pair, sql, expect="dynamicpruning")


def test_files_of_one_table_may_differ(tmp_path: Path, pair_of: PairOf) -> None:
    """Columns in another order, missing, required here and not there, of other widths."""
    columns = numbers()
    written(tmp_path / "p=1", **columns)
    written(tmp_path / "p=2", **{k: columns[k] for k in ("s", "id")})
    written(tmp_path / "p=3", **{k: columns[k] for k in reversed(columns)}, extra=columns["n"])
    pq.write_table(
        pa.table([columns["id"]], schema=pa.schema([pa.field("id", pa.int32(), nullable=False)])),
        tmp_path / "p=3" / "required.parquet",
    )
    pair = pair_of()
    with_schema(pair, tmp_path, "id int, n int, s string, extra int, never double, p int")
    check(
        pair,
        "select * from t where n = 3",
        "select * from t where n is null and id < 40",
        "select * from t where extra = 3",
        "select * from t where extra is null and id in (1, 2, 3)",
        "select id, p from t where never is null and id > 290",
        "select id, p from t where never = 3d",
        "select id, never, p from t where never <=> null and s = 'text 3'",
        "select id, p from t where s = 'text 3' and n = 3",
        "select never, extra from t where id = 7",
    )
    pair.parquet("t", tmp_path, mergeSchema="true")
    check(
        pair,
        "select * from t where n = 3",
    )


@pytest.mark.parametrize(
    ("ddl", "queries"),
    [
        ("id bigint, n bigint", ("n = 3", "n < -18", "id in (1, 299, 3000000000)", "n is null")),
        ("id double, n double", ("n = 3d", "n > 17.5d", "id < 3.5d")),
        ("id int, n decimal(20, 4)", ("n = 3", "n > 17.5", "n is null")),
        ("id int, n decimal(10, 0)", ("n = 3", "n in (1, 2)")),
        ("id decimal(14, 4), n decimal(30, 9)", ("n = 3", "n > 17.5", "id < 3.5", "id = 299")),
        ("id int, n smallint", ("n = 3S", "n < -18S")),
        ("id int, n tinyint", ("n = 3Y", "n > 17Y")),
        ("id int, f double", ("f = 2.5d", "f > 70d", "f is null")),
        ("id int, d timestamp_ntz", ("d = timestamp_ntz'2020-01-09'", "d < date'2020-01-04'")),
        ("id int, dec decimal(20, 2)", ("dec = 300", "dec > 29000.01")),
        ("id int, dec decimal(30, 6)", ("dec = 300", "dec < 250.5")),
        ("id int, dec decimal(18, 4)", ("dec = 300", "dec < 250.5", "dec between 4 and 9.01")),
        ("id int, s binary", ("s = X'746578742033'", "s > X'747878'")),
        # Refused by Spark's reader; refused alike by ours.
        ("id int, s int", ("s = 3", "id = 3")),
        ("id int, n string", ("n = 'x'", "id = 3")),
        ("id int, n date", ("n = date'1970-01-04'", "id = 3")),
        ("id int, f int", ("f = 3", "id = 3")),
        ("id int, dec decimal(5, 1)", ("dec = 3", "id = 3")),
        ("id int, n array<int>", ("n[0] = 3", "id = 3")),
        ("id int, s struct<x: int>", ("s.x = 3", "id = 3")),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_read_as_another_type(
    tmp_path: Path, pair_of: PairOf, ddl: str, queries: tuple[str, ...]
) -> None:
    written(tmp_path / "t", **numbers())
    pair = pair_of()
    with_schema(pair, tmp_path / "t", ddl)
    columns = ("*", "id")
    check(
        pair,
        *(f"select {c} from t where {where}" for where in queries for c in columns),
        expect="either",
    )


def test_column_names_match_as_the_session_says(tmp_path: Path, pair_of: PairOf) -> None:
    columns = numbers()
    written(tmp_path / "upper", ID=columns["id"], Ns=columns["n"])
    written(tmp_path / "both", id=columns["id"], n=columns["n"], N=columns["s"])
    for sensitive in ("false", "true"):
        pair = pair_of({"spark.sql.caseSensitive": sensitive})
        with_schema(pair, tmp_path / "upper", "id int, nS int")
        check(
            pair,
            "select * from t where nS = 3",
            "select id from t where nS is null",
            "select nS from t where id = 3",
        )
        with_schema(pair, tmp_path / "both", "id int, n int")
        check(
            pair,
            "select * from t where n = 3",
            "select id from t where n = 3",
            "select n from t where id = 3",
            "select id from t where id = 3",
            expect="either",
        )


def test_names_with_dots_and_spaces(tmp_path: Path, pair_of: PairOf) -> None:
    columns = numbers()
    written(tmp_path / "t", **{"a.b": columns["n"], "c d": columns["id"], "`": columns["s"]})
    pair = pair_of()
    pair.parquet("t", tmp_path / "t")
    check(
        pair,
        "select * from t where `a.b` = 3",
        "select `c d`, ```` from t where `a.b` > 15",
        "select `a.b` from t where `c d` = 7 and ```` like 'text%'",
    )


def test_columns_added_with_a_default(
    matrix_spark: SparkSession, tmp_path: Path, pair_of: PairOf
) -> None:
    matrix_spark.sql(
        f"create table defaults (id int, s string) using parquet location '{tmp_path}/t'"
    )
    try:
        matrix_spark.sql("insert into defaults select id, 's' || id % 5 from range(200)")
        matrix_spark.sql("alter table defaults add column x int default 7")
        matrix_spark.sql("alter table defaults add column y string default 'why'")
        matrix_spark.sql(
            "insert into defaults values (1000, 'new', null, 'z'), (1001, 'new', 8, null)"
        )
        check(
            pair_of(),
            "select * from defaults where x = 7",
            "select * from defaults where x is null",
            "select id from defaults where y = 'why' and id < 20",
            "select id, x from defaults where y <> 'why' or y is null",
            "select y, x from defaults where s = 's3'",
            "select count(*) from defaults where x <> 7",
        )
    finally:
        matrix_spark.sql("drop table defaults")


def test_bucketed_tables(matrix_spark: SparkSession, tmp_path: Path, pair_of: PairOf) -> None:
    matrix_spark.range(2000).selectExpr(
        "cast(id as int) id", "cast(id % 50 as int) k", "'s' || id % 9 s"
    ).write.bucketBy(4, "k").sortBy("k").option("path", f"{tmp_path}/b").saveAsTable("bucketed")
    try:
        for confs in ({}, {"spark.sql.autoBroadcastJoinThreshold": "-1"}):
            check(
                pair_of(confs),
                "select * from bucketed where k = 7",
                "select k, count(*) from bucketed where s = 's3' group by k",
                "select a.id, b.id from bucketed a join bucketed b on a.k = b.k where a.s = 's3' and b.id < 50",
            )
    finally:
        matrix_spark.sql("drop table bucketed")


def test_cached_and_rewritten_data(tmp_path: Path, pair_of: PairOf) -> None:
    written(tmp_path / "t", **numbers())
    pair = pair_of()
    pair.parquet("t", tmp_path / "t")
    pair.view("c", lambda session: session.sql("select * from t where n > 10").cache())
    try:
        check(pair, "select * from c where s = 'text 3'", "select count(*) from c", expect="either")
    finally:
        for session in pair.sessions:
            session.table("c").unpersist()


OLD = [
    "0001-01-01",
    "0900-02-28",
    "1500-02-28",
    "1582-10-03",
    "1582-10-15",
    "1900-01-01",
    "2020-02-02",
]


@pytest.mark.parametrize(
    ("mode", "timestamps", "zone"),
    [
        ("LEGACY", "TIMESTAMP_MICROS", "UTC"),
        ("CORRECTED", "TIMESTAMP_MICROS", "UTC"),
        ("EXCEPTION", "TIMESTAMP_MICROS", "UTC"),
        ("LEGACY", "INT96", "America/Los_Angeles"),
        ("EXCEPTION", "INT96", "America/Los_Angeles"),
        ("LEGACY", "TIMESTAMP_MILLIS", "America/Los_Angeles"),
    ],
)
def test_dates_of_the_julian_calendar(
    matrix_spark: SparkSession,
    tmp_path: Path,
    pair_of: PairOf,
    mode: str,
    timestamps: str,
    zone: str,
) -> None:
    """Spark's writer in legacy mode notes it in the footer; a foreign writer notes nothing."""
    writer = matrix_spark.newSession()
    for key, value in {
        "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.outputTimestampType": timestamps,
    }.items():
        writer.conf.set(key, value)
    dates = ", ".join(f"date'{day}'" for day in OLD)
    writer.sql(
        f"select i id, d, cast(d as timestamp) ts from (select id i, explode(array({dates})) d from range(40))"
    ).coalesce(1).write.parquet(f"{tmp_path}/spark")
    plain = pq.read_table(f"{tmp_path}/spark")
    (tmp_path / "arrow").mkdir()
    pq.write_table(
        plain,
        tmp_path / "arrow" / "part.parquet",
        use_deprecated_int96_timestamps=timestamps == "INT96",
        store_schema=False,
        row_group_size=100,
    )
    pair = pair_of(
        {
            "spark.sql.parquet.datetimeRebaseModeInRead": mode,
            "spark.sql.parquet.int96RebaseModeInRead": mode,
            "spark.sql.session.timeZone": zone,
        }
    )
    filters = [
        "d = date'1500-02-28'",
        "d < date'1582-10-04'",
        "d >= date'1582-10-15' and id < 3",
        "d in (date'0001-01-01', date'2020-02-02')",
        "ts = timestamp'1500-02-28 00:00:00'",
        "ts < timestamp'1582-10-04 00:00:00'",
        "ts > timestamp'1899-12-01 00:00:00' and id > 37",
        "id = 3",
    ]
    for writer_name in ("spark", "arrow"):
        pair.parquet("t", tmp_path / writer_name)
        check(pair, *(f"select * from t where {where}" for where in filters), expect="either")


def test_split_bytes_are_read_where_spark_refuses_them(tmp_path: Path, pair_of: PairOf) -> None:
    """Spark's vectorised reader has no decoder for BYTE_STREAM_SPLIT; its row reader has.

    Spark 3.5's row reader decodes floating-point numbers in it, and nothing else.
    """
    rows = 3000
    columns = {
        "id": pa.array(range(rows), pa.int32()),
        "l": pa.array([None if i % 5 == 0 else i * 7919 % 1000 for i in range(rows)], pa.int64()),
        "f": pa.array([None if i % 9 == 0 else i / 4 for i in range(rows)], pa.float32()),
        "g": pa.array([i / 3 for i in range(rows)], pa.float64()),
        "dec": pa.array(range(rows), pa.int32()).cast(pa.decimal128(12, 2)),
        "wide": pa.array(range(rows), pa.int32()).cast(pa.decimal128(30, 2)),
        "fixed": pa.array([b"%05d" % (i * 31 % 100) for i in range(rows)], pa.binary(5)),
        "s": pa.array([f"text {i % 13}" for i in range(rows)]),
    }
    split = ("f", "g") if IS_SPARK_3 else [name for name in columns if name != "s"]
    (tmp_path / "t").mkdir()
    pq.write_table(
        pa.table(columns),
        tmp_path / "t" / "part.parquet",
        use_dictionary=False,
        column_encoding=dict.fromkeys(split, "BYTE_STREAM_SPLIT"),
        row_group_size=700,
        data_page_size=512,
        write_page_index=True,
    )
    pair = pair_of()
    pair.parquet("t", tmp_path / "t")
    check(
        pair,
        "select * from t where f > 300",
        "select * from t where g = 5 or g > 999d",
        "select l, f from t where id >= 2900",
        "select id, s from t where l = 919",
        "select id, fixed from t where dec in (3, 700, 2999)",
        "select id, l, g, wide from t where wide between 100 and 120",
        "select * from t where fixed = X'3030303331' and id < 2000",
        "select wide, fixed, dec from t where s = 'text 3'",
    )


def test_every_flat_column_is_decoded_by_the_scan(tmp_path: Path, pair_of: PairOf) -> None:
    """What Spark's own reader decodes for us is not counted as decoded."""
    rows = 500
    moments = pa.array([None if i % 7 == 0 else i * 10**11 for i in range(rows)], pa.int64())
    columns = {
        "u8": pa.array([i % 256 for i in range(rows)], pa.uint8()),
        "u32": pa.array([2**32 - 1 - i for i in range(rows)], pa.uint32()),
        "u64": pa.array([2**64 - 1 - i for i in range(rows)], pa.uint64()),
        "ms": moments.cast(pa.timestamp("ms", "UTC")),
        "ntz": moments.cast(pa.timestamp("us")),
        "day": pa.array([i - 800000 for i in range(rows)], pa.int32()).cast(pa.date32()),
        "dec": pa.array(range(rows), pa.int32()).cast(pa.decimal128(30, 4)),
        "fixed": pa.array([b"%05d" % i for i in range(rows)], pa.binary(5)),
        "packed": pa.array([i * i for i in range(rows)], pa.int32()),
        "text": pa.array([f"text {i}" for i in range(rows)]),
        "lengths": pa.array([f"text {i}" for i in range(rows)]),
        "split": pa.array([i / 3 for i in range(rows)], pa.float64()),
        "wider": pa.array(range(rows), pa.int32()),
        # Statistics prove a filter on it, so that it is not read itself; of what may be null they don't.
        "keep": pa.array([1] * rows, pa.int32()),
    }
    fields = [(n, column.type, n != "keep") for n, column in columns.items()]
    encodings = {
        "packed": "DELTA_BINARY_PACKED",
        "u64": "DELTA_BINARY_PACKED",
        "text": "DELTA_BYTE_ARRAY",
        "fixed": "DELTA_BYTE_ARRAY",
        "lengths": "DELTA_LENGTH_BYTE_ARRAY",
        "split": "BYTE_STREAM_SPLIT",
    }
    dictionary = [name for name in columns if name not in encodings]
    for name, int96 in (("plain", False), ("int96", True)):
        (tmp_path / name).mkdir()
        pq.write_table(
            pa.table(columns, pa.schema([pa.field(*field) for field in fields])),
            tmp_path / name / "part.parquet",
            use_dictionary=dictionary if int96 else False,
            column_encoding=encodings,
            use_deprecated_int96_timestamps=int96,
            store_schema=False,
        )
        pair = pair_of(
            {
                "spark.sql.parquet.datetimeRebaseModeInRead": "LEGACY",
                "spark.sql.parquet.int96RebaseModeInRead": "LEGACY",
                "spark.sql.parquet.int96TimestampConversion": str(int96).lower(),
                "spark.sql.session.timeZone": "America/Los_Angeles",
            }
        )
        read = pair.off.read.parquet(str(tmp_path / name)).schema
        # Spark 3.5 reads no integers as decimals.
        wider = {} if IS_SPARK_3 else {"wider": "decimal(24,4)"}
        ddl = ", ".join(f"{f.name} {wider.get(f.name, f.dataType.simpleString())}" for f in read)
        with_schema(pair, tmp_path / name, ddl)
        for column in columns:
            sql = f"select {column} from t where keep = 1"
            check(pair, sql)
            assert run(pair.on, sql).counted["valuesDecoded"] == rows, column


def test_filters_on_columns_that_are_read_page_by_page(tmp_path: Path, pair_of: PairOf) -> None:
    """Spark's decoder of these can't skip: it goes on across windows, and ends with a row group."""
    rows = 20000
    path = tmp_path / "t"
    path.mkdir()
    pq.write_table(
        pa.table(
            {
                "id": range(rows),
                "k": [i * 7919 % 50 for i in range(rows)],
                "z": [i % 3 for i in range(rows)],
            }
        ),
        path / "part.parquet",
        use_dictionary=["z"],
        column_encoding={"id": "DELTA_BINARY_PACKED", "k": "DELTA_BINARY_PACKED"},
        row_group_size=7000,
    )
    for batch in ("7", "64"):
        pair = pair_of({"spark.sql.parquet.columnarReaderBatchSize": batch})
        pair.parquet("t", path)
        check(
            pair,
            "select id from t where k = 7",
            "select id, k from t where z = 1 and k < 3",
            "select id from t where z = 1 and k = 7 and id < 6500",
        )


def test_row_groups_of_one_batch_may_have_other_readers(
    matrix_spark: SparkSession, tmp_path: Path, pair_of: PairOf
) -> None:
    """Old writers let strings build on those of the page before: only Spark's reader supports
    that."""
    writer = matrix_spark.newSession()
    rows = writer.range(3000).selectExpr(
        "id",
        "case when id % 2000 < 1000 then 'same' else 'text ' || hash(id) end s",
        "repeat(hash(id), 20) wide",
    )
    writing = rows.coalesce(1).write.options(
        **{
            "parquet.writer.version": "v2",
            "parquet.block.size": "8000",
            "parquet.dictionary.page.size": "200",
            "parquet.page.size": "500",
        }
    )
    writing.parquet(f"{tmp_path}/t")
    (part,) = (tmp_path / "t").glob("*.parquet")
    meta = pq.read_metadata(part)
    groups = map(meta.row_group, range(meta.num_row_groups))
    assert {"DELTA_BYTE_ARRAY" in g.column(1).encodings for g in groups} == {True, False}
    present = meta.created_by.split(" (")[0].encode()
    old = b"parquet-mr version 1.6.0".ljust(len(present))
    (tmp_path / "old.parquet").write_bytes(part.read_bytes().replace(present, old))
    pair = pair_of()
    pair.parquet("t", tmp_path / "old.parquet")
    check(
        pair,
        "select * from t where id % 50 = 7",
        "select s from t where id % 3 = 1",
        "select id, s from t where s > 'text' and id % 7 = 1",
    )


def test_fields_found_by_id(tmp_path: Path, pair_of: PairOf) -> None:
    columns = numbers()
    fields = [
        pa.field("old_id", pa.int32(), metadata={"PARQUET:field_id": "1"}),
        pa.field("old_n", pa.int32(), metadata={"PARQUET:field_id": "2"}),
    ]
    (tmp_path / "t").mkdir()
    pq.write_table(
        pa.table([columns["id"], columns["n"]], schema=pa.schema(fields)),
        tmp_path / "t" / "part.parquet",
        **SMALL,
    )
    pair = pair_of({"spark.sql.parquet.fieldId.read.enabled": "true"})

    def read(session: SparkSession) -> object:
        from pyspark.sql.types import IntegerType, StructField, StructType

        schema = StructType(
            [
                StructField("id", IntegerType(), True, {"parquet.field.id": 1}),
                StructField("n", IntegerType(), True, {"parquet.field.id": 2}),
                StructField("gone", IntegerType(), True, {"parquet.field.id": 9}),
            ]
        )
        return session.read.schema(schema).parquet(str(tmp_path / "t"))

    pair.view("t", read)
    check(
        pair,
        "select * from t where n = 3",
        "select id from t where n > 15",
        "select id, n from t where gone is null and id = 3",
        expect="either",
    )


def test_orc_columns_beside_a_union(tmp_path: Path, pair_of: PairOf) -> None:
    """Spark has no type for a union: the column can only be left out."""
    rows = 3000
    tags = pa.array([i % 2 for i in range(rows)], pa.int8())
    places = pa.array([i // 2 for i in range(rows)], pa.int32())
    halves = [pa.array(range(rows // 2)), pa.array([f"half {i}" for i in range(rows // 2)])]
    columns = {
        "id": pa.array(range(rows)),
        "u": pa.UnionArray.from_dense(tags, places, halves),
        "s": pa.array([f"text {i % 13}" for i in range(rows)]),
    }
    orc.write_table(pa.table(columns), tmp_path / "part.orc", stripe_size=4096)
    pair = pair_of()
    pair.view("t", lambda session: session.read.schema("id bigint, s string").orc(str(tmp_path)))
    check(
        pair,
        "select * from t where s = 'text 3'",
        "select id from t where id % 100 = 7",
        "select s from t where id between 1000 and 1010",
    )
