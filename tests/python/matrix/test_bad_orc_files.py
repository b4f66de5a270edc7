# SPDX-License-Identifier: Apache-2.0
"""ORC files that are damaged, are not ORC, or are gone: an error as Spark's, and soon."""

from __future__ import annotations

import os
import random
from pathlib import Path

import _files
import _tables
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
from pyspark.sql import SparkSession


@pytest.fixture(scope="module", params=["zlib", "none", "direct"])
def good(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    matrix_spark: SparkSession,
) -> bytes:
    options = {
        "zlib": {"compression": "zlib"},
        "none": {"compression": "none"},
        "direct": {"compression": "none", "orc.dictionary.key.threshold": "0"},
    }[request.param]
    folder = tmp_path_factory.mktemp("good") / "t"
    write = _files.by_spark_orc(lambda: _tables.mixed(2600), **options)
    write(matrix_spark, folder)
    return next(folder.glob("*.orc")).read_bytes()


@pytest.fixture
def bad(tmp_path: Path, good: bytes, pair_of: PairOf) -> Bad:
    return Bad(tmp_path, good, pair_of(), "orc")


STRUCTURAL: dict[str, Damage] = {
    "one_byte": cut(1),
    "only_magic": cut(3),
    "twelve_bytes": cut(12),
    "half": lambda data: data[: len(data) // 2],
    "last_byte_gone": cut(-1),
    "text": lambda _: bytearray(b"this is no ORC file, it is a sentence\n" * 40),
    "parquet_magic": lambda data: bytearray(b"PAR1") + data[4:-4] + b"PAR1",
    "postscript_length_zero": lambda data: data[:-1] + b"\x00",
    "postscript_length_most": lambda data: data[:-1] + b"\xff",
    "head_cut_off": lambda data: data[500:],
    "tail_zeroed": lambda data: data[:-200] + bytes(150) + data[-50:],
}


@pytest.mark.parametrize("damage", STRUCTURAL.values(), ids=STRUCTURAL.keys())
def test_files_that_are_not_whole(bad: Bad, good: bytes, damage: Damage) -> None:
    bad.write(bytes(damage(bytearray(good))))
    for sql in QUERIES[:2]:
        off, on = bad.answers(sql)
        wrong = difference(off, on)
        assert wrong is None, f"{sql}\n{wrong}"
        assert_orderly(bad.pair, sql, on, bad.path)


def test_an_empty_file_has_no_row(bad: Bad) -> None:
    bad.write(b"")
    off, on = bad.answers(QUERIES[1])
    assert off.failure is None
    assert difference(off, on) is None


def test_a_file_that_is_gone(bad: Bad) -> None:
    os.remove(bad.path)
    off, on = bad.answers(QUERIES[0])
    assert off.failure is not None
    assert difference(off, on) is None
    assert_orderly(bad.pair, QUERIES[0], on, bad.path, "gone")


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes(bad: Bad, good: bytes, seed: int) -> None:
    """What is skipped hides its damage, and Spark reads some garbage in silence: no more than an
    orderly error, within the time limit, is asked for."""
    rng = random.Random(f"flip {seed}")
    tail = len(good) - 1500
    for _ in range(3):
        data = bytearray(good)
        # Stripes, their indexes and footers; or the file's tail.
        low, high = rng.choice(((3, tail), (3, tail), (tail, len(good) - 1)))
        flip(rng, data, low, high)
        bad.write(bytes(data))
        sql = rng.choice(QUERIES)
        what = f"seed {seed}, {low} to {high},"
        on = within_limit(bad.pair, lambda sql=sql: run(bad.pair.on, sql))
        if on.failure is not None and on.failure.chain[-1].startswith(FATAL):
            # orc-core itself may fail so, for example on the lengths of lists, which we leave to it.
            off = within_limit(bad.pair, lambda sql=sql: run(bad.pair.plain, sql))
            assert off.failure is not None, f"{what}: {on.failure}"
            assert off.failure.chain[-1] == on.failure.chain[-1], f"{what}: {on.failure}"
        else:
            assert_orderly(bad.pair, sql, on, bad.path, what)
