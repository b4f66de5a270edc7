# SPDX-License-Identifier: Apache-2.0
"""The shared parts of the tests of damaged files, in any format."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from pathlib import Path

from _pair import IS_SPARK_3, Answer, Pair, run

PairOf = Callable[..., Pair]
Damage = Callable[[bytearray], bytearray]

# A query over some hundreds of rows takes well under a second; past this it hangs.
SECONDS = 40

QUERIES = (
    "select * from t where i32 > 4000",
    "select id, s, arr from t where mode = 'AIR'",
    "select count(*) from t where s like '%foxes%' and d > date'1970-01-01'",
)

# Of what no bad file may cause: the JVM's own failures, and those of unchecked arithmetic.
FATAL = (
    "java.lang.OutOfMemoryError",
    "java.lang.StackOverflowError",
    "java.lang.InternalError",
    "java.lang.NegativeArraySizeException",
    "java.lang.IllegalAccessError",
    "java.lang.NoSuchMethodError",
)


class Bad:
    """One damaged file, read with the schema of the good one."""

    def __init__(self, folder: Path, good: bytes, pair: Pair, kind: str = "parquet") -> None:
        self._kind = kind
        self._path = folder / "t" / f"bad.{kind}"
        self._path.parent.mkdir()
        self._path.write_bytes(good)
        self._pair = pair
        pair.files(kind, "t", self._path.parent)
        self._schema = pair.off.table("t").schema

    @property
    def pair(self) -> Pair:
        return self._pair

    @property
    def path(self) -> Path:
        return self._path

    def write(self, data: bytes) -> None:
        self._path.write_bytes(data)
        self._pair.view(
            "t",
            lambda session: (
                session.read.schema(self._schema).format(self._kind).load(str(self._path.parent))
            ),
        )

    def answers(self, sql: str) -> tuple[Answer, Answer]:
        """Off and on, each within the time limit; on first, so that it meets no warm cache."""
        on = within_limit(self._pair, lambda: run(self._pair.on, sql))
        off = within_limit(self._pair, lambda: run(self._pair.off, sql))
        return off, on


def within_limit(pair: Pair, call: Callable[[], Answer]) -> Answer:
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(call).result(SECONDS)
    except Late:
        pair.on.sparkContext.cancelAllJobs()
        raise AssertionError(f"no answer after {SECONDS} s") from None
    finally:
        pool.shutdown(wait=False)


def assert_orderly(pair: Pair, sql: str, on: Answer, path: Path, what: str = "") -> None:
    """A failure on a damaged file is a plain error that names the file.

    Spark 3.5 itself names none in errors of opening a file, so there it is enough to name what
    Spark's own failure names.
    """
    what = f"{what} {sql}"
    if on.failure is None:
        return
    for link in on.failure.chain:
        assert not link.startswith(FATAL), (
            f"{what}: {on.failure.chain}\n{on.failure.message[:2000]}"
        )
    if path.name in on.failure.message:
        return
    off = within_limit(pair, lambda: run(pair.off, sql)) if IS_SPARK_3 else None
    unnamed = off is not None and off.failure is not None and path.name not in off.failure.message
    assert unnamed, f"{what}: does not name the file: {on.failure}"


def flip(rng: random.Random, data: bytearray, low: int, high: int) -> None:
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(low, high)] = rng.choice((0x00, 0x7F, 0x80, 0xFF, rng.randrange(256)))


def cut(size: int) -> Damage:
    return lambda data: data[:size]
