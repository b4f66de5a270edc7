# SPDX-License-Identifier: Apache-2.0
"""Files that are damaged, are not Parquet, or are gone: an error as Spark's, and soon."""

from __future__ import annotations

import os
import random
import struct
import threading
from pathlib import Path

import _tables
import pyarrow.parquet as pq
import pytest
from _bad import (
    FATAL,
    QUERIES,
    Bad,
    Damage,
    PairOf,
    assert_orderly,
    cut,
    flip,
    within_limit,
)
from _pair import difference, run


@pytest.fixture(scope="module", params=["arrow", "arrow_index_v2", "plain"])
def good(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    options = {
        "arrow": {},
        "arrow_index_v2": {"write_page_index": True, "data_page_version": "2.0"},
        "plain": {
            "use_dictionary": False,
            "compression": "none",
            "write_page_index": True,
        },
    }[request.param]
    path = tmp_path_factory.mktemp("good") / "good.parquet"
    pq.write_table(
        _tables.mixed(600),
        path,
        row_group_size=300,
        data_page_size=256,
        write_batch_size=32,
        store_schema=False,
        **options,
    )
    return path.read_bytes()


@pytest.fixture
def bad(tmp_path: Path, good: bytes, pair_of: PairOf) -> Bad:
    return Bad(tmp_path, good, pair_of())


def footer_length(value: int) -> Damage:
    return lambda data: data[:-8] + struct.pack("<i", value) + data[-4:]


STRUCTURAL: dict[str, Damage] = {
    "empty": cut(0),
    "one_byte": cut(1),
    "only_magic": cut(4),
    "twelve_bytes": cut(12),
    "half": lambda data: data[: len(data) // 2],
    "last_byte_gone": cut(-1),
    "last_magic_gone": cut(-4),
    "footer_gone": cut(-8),
    "text": lambda _: bytearray(b"this is no Parquet file, it is a sentence\n" * 40),
    "csv": lambda _: bytearray(b"1,2,3\n"),
    "orc_magic": lambda data: bytearray(b"ORC") + data[3:-3] + b"ORC",
    "encrypted_footer_magic": lambda data: data[:-4] + b"PARE",
    "footer_length_zero": footer_length(0),
    "footer_length_negative": footer_length(-5),
    "footer_length_gigabytes": footer_length((1 << 31) - 1),
    "footer_length_past_start": lambda data: footer_length(len(data) + 100)(data),
    "head_cut_off": lambda data: data[500:],
    "footer_zeroed": lambda data: data[:-400] + bytes(392) + data[-8:],
}


@pytest.mark.parametrize("damage", STRUCTURAL.values(), ids=STRUCTURAL.keys())
def test_files_that_are_not_whole(bad: Bad, good: bytes, damage: Damage) -> None:
    bad.write(bytes(damage(bytearray(good))))
    for sql in QUERIES[:2]:
        off, on = bad.answers(sql)
        wrong = difference(off, on)
        assert wrong is None, f"{sql}\n{wrong}"
        assert_orderly(bad.pair, sql, on, bad.path)


def test_a_file_that_is_gone(bad: Bad) -> None:
    os.remove(bad.path)
    off, on = bad.answers(QUERIES[0])
    assert off.failure is not None
    assert difference(off, on) is None
    assert_orderly(bad.pair, QUERIES[0], on, bad.path, "gone")


def test_corrupt_and_missing_files_are_ignored_when_asked(
    tmp_path: Path, good: bytes, pair_of: PairOf
) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(good)
    pair = pair_of(
        {
            "spark.sql.files.ignoreCorruptFiles": "true",
            "spark.sql.files.ignoreMissingFiles": "true",
        }
    )
    pair.parquet("whole", folder)
    schema = pair.off.table("whole").schema
    (folder / "b.parquet").write_bytes(good[:-30])
    (folder / "c.parquet").write_bytes(good)
    (folder / "d.parquet").write_bytes(b"nothing")
    pages = bytearray(good)
    for at in range(len(good) // 3, len(good) // 3 + 400):
        pages[at] ^= 0x5A
    (folder / "e.parquet").write_bytes(bytes(pages))
    pair.view("t", lambda session: session.read.schema(schema).parquet(str(folder)))
    os.remove(folder / "c.parquet")
    for sql in QUERIES:
        off, on = run(pair.off, sql), run(pair.on, sql)
        assert off.failure is None
        assert difference(off, on) is None, f"{sql}\n{difference(off, on)}"


@pytest.mark.parametrize("where", ["filter", "payload"])
def test_checksums_are_verified_where_asked(tmp_path: Path, pair_of: PairOf, where: str) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    path = folder / "bad.parquet"
    pq.write_table(
        _tables.flat(400),
        path,
        write_page_checksum=True,
        compression="none",
        use_dictionary=False,
    )
    column = {"filter": "i32", "payload": "i64"}[where]
    group = pq.ParquetFile(path).metadata.row_group(0)
    chunk = next(
        c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == column
    )
    data = bytearray(path.read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size - 3] ^= 0xFF
    path.write_bytes(data)
    pair = pair_of({"parquet.page.verify-checksum.enabled": "true"})
    pair.parquet("t", folder)
    sql = "select i64, s from t where i32 > 0"
    off, on = run(pair.off, sql), run(pair.on, sql)
    assert off.failure is not None
    assert difference(off, on) is None, difference(off, on)
    assert_orderly(pair, sql, on, path)


def chunk_places(data: bytes) -> list[tuple[int, int]]:
    """Start and end of each column chunk."""
    metadata = pq.read_metadata(_buffer(data))
    places = []
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        for c in range(group.num_columns):
            chunk = group.column(c)
            start = min(
                o for o in (chunk.dictionary_page_offset, chunk.data_page_offset) if o is not None
            )
            places.append((start, start + chunk.total_compressed_size))
    return places


def _buffer(data: bytes) -> object:
    import pyarrow as pa

    return pa.BufferReader(data)


def damaged(rng: random.Random, good: bytes) -> tuple[str, bytes]:
    """Random damage to one part of the file, and its name."""
    data = bytearray(good)
    places = chunk_places(good)
    pages_end = max(end for _, end in places)
    footer = len(good) - 8 - struct.unpack("<i", good[-8:-4])[0]
    part = rng.choice(("header", "header", "page", "page", "index", "footer"))
    start, end = rng.choice(places)
    if part == "header":
        flip(rng, data, start, min(start + 24, end))
    elif part == "page":
        flip(rng, data, start, end)
    elif part == "index" and footer > pages_end:
        flip(rng, data, pages_end, footer)
    else:
        flip(rng, data, footer, len(good) - 8)
    return f"{part} of the chunk at {start}", bytes(data)


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes(bad: Bad, good: bytes, seed: int) -> None:
    """Skipped pages hide their damage, and Spark reads some garbage in silence: no more than an
    orderly error, within the time limit, is asked for."""
    rng = random.Random(f"flip {seed}")
    for _ in range(2):
        what, data = damaged(rng, good)
        bad.write(data)
        sql = rng.choice(QUERIES)
        on = within_limit(bad.pair, lambda sql=sql: run(bad.pair.on, sql))
        if on.failure is not None and on.failure.chain[-1].startswith(FATAL):
            # parquet-java itself may fail so, for example on a footer that both of us read by it.
            off = within_limit(bad.pair, lambda sql=sql: run(bad.pair.off, sql))
            assert off.failure is not None, f"seed {seed}, {what}: {on.failure}"
            assert off.failure.chain[-1] == on.failure.chain[-1], f"seed {seed}, {what}"
        else:
            assert_orderly(bad.pair, sql, on, bad.path, f"seed {seed}, {what},")
    assert threading.active_count() < 100
