# SPDX-License-Identifier: Apache-2.0
"""The tables of the matrix as Arrow data: the same rows each time, whatever writes them."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa

ROWS = 2400

WORDS = [
    "pending",
    "foxes",
    "slyly",
    "express",
    "requests",
    "final",
    "deposits",
    "carefully",
    "even",
    "packages",
    "über",
    "straße",
    "北京",
    "naïve",
    "🦊",
    "100%",
    "under_score",
    "back\\slash",
]
MODES = [
    "AIR",
    "REG AIR",
    "MAIL",
    "",
    "SHIP",
    "RAIL",
    "TRUCK",
    "FOB",
    "AIR ",
    "air",
    "MÜLL",
    "\U0001f98a",
]

Maker = Callable[[random.Random, int], Any]


def _some_null(rng: random.Random, share: float, value: Any) -> Any:
    return None if rng.random() < share else value


def column(rng: random.Random, rows: int, nulls: float, make: Maker) -> list[Any]:
    """``rows`` values of ``make``, of which about the share ``nulls`` is null."""
    return [_some_null(rng, nulls, make(rng, i)) for i in range(rows)]


def _float(rng: random.Random, _: int) -> float:
    special = (math.nan, -0.0, 0.0, math.inf, -math.inf, 1.5, -1.5)
    return rng.choice(special) if rng.random() < 0.3 else rng.randint(-4000, 4000) / 8


def _sentence(rng: random.Random, i: int) -> str:
    if i % 97 == 0:
        return ""
    if i % 401 == 0:
        return " ".join(rng.choices(WORDS, k=400))
    return " ".join(rng.choices(WORDS, k=rng.randint(1, 9)))


def _integer(bits: int, near: int) -> Maker:
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def make(rng: random.Random, _: int) -> int:
        return rng.choice((low, high, 0, -1)) if rng.random() < 0.02 else rng.randint(-near, near)

    return make


def _decimal(digits: int, scale: int) -> Maker:
    top = 10**digits - 1
    near = min(top, 9999)

    def make(rng: random.Random, _: int) -> decimal.Decimal:
        unscaled = rng.choice((top, -top, 0)) if rng.random() < 0.05 else rng.randint(-near, near)
        return decimal.Decimal(unscaled).scaleb(-scale, decimal.Context(prec=40))

    return make


def _micros(rng: random.Random, _: int) -> dt.datetime:
    start = dt.datetime(1969, 12, 25)
    return start + dt.timedelta(hours=rng.randint(0, 400), microseconds=rng.choice((0, 1, 999_999)))


def flat_fields(rng: random.Random, rows: int) -> dict[str, pa.Array]:
    """One column of each common type, as ``name -> values``."""

    def of(kind: pa.DataType, nulls: float, make: Maker) -> pa.Array:
        return pa.array(column(rng, rows, nulls, make), kind)

    return {
        "id": pa.array(range(rows), pa.int64()),
        "flag": of(pa.bool_(), 0.1, lambda r, _: r.random() < 0.3),
        "i8": of(pa.int8(), 0.1, _integer(8, 20)),
        "i16": of(pa.int16(), 0.1, _integer(16, 300)),
        "i32": of(pa.int32(), 0.1, _integer(32, 5000)),
        "i64": of(pa.int64(), 0.02, _integer(64, 1 << 40)),
        "low": of(pa.int32(), 0, lambda r, _: r.randint(0, 20)),
        "sorted": pa.array([i // 100 for i in range(rows)], pa.int32()),
        "f32": of(pa.float32(), 0.1, _float),
        "f64": of(pa.float64(), 0.1, _float),
        "d": of(
            pa.date32(),
            0.1,
            lambda r, _: dt.date(1970, 1, 1) + dt.timedelta(r.randint(-99, 99)),
        ),
        "ts": of(pa.timestamp("us", "UTC"), 0.1, _micros),
        "ntz": of(pa.timestamp("us"), 0.1, _micros),
        "dec9": of(pa.decimal128(9, 2), 0.1, _decimal(9, 2)),
        "dec18": of(pa.decimal128(18, 4), 0.1, _decimal(18, 4)),
        "dec38": of(pa.decimal128(38, 10), 0.1, _decimal(38, 10)),
        "mode": of(pa.string(), 0.1, lambda r, _: r.choice(MODES)),
        "s": of(pa.string(), 0.05, _sentence),
        "bin": of(pa.binary(), 0.1, lambda r, _: r.randbytes(r.randint(0, 3))),
        "one": pa.array(["only"] * rows, pa.string()),
        "rare": of(pa.int32(), 0.98, lambda r, _: r.randint(0, 5)),
        "runs": pa.array([None if i // 150 % 2 else i % 7 for i in range(rows)], pa.int32()),
        "none_i": pa.nulls(rows, pa.int32()),
        "none_s": pa.nulls(rows, pa.string()),
    }


def mixed(rows: int = ROWS, seed: int = 1) -> pa.Table:
    """Every common type, with nulls at several densities, plus nested payload."""
    rng = random.Random(seed)
    fields = flat_fields(rng, rows)
    fields["st"] = pa.array(
        column(
            rng,
            rows,
            0.1,
            lambda r, i: {"a": _some_null(r, 0.2, i), "b": r.choice(MODES)},
        ),
        pa.struct([("a", pa.int32()), ("b", pa.string())]),
    )
    fields["arr"] = pa.array(
        column(rng, rows, 0.1, lambda r, i: [_some_null(r, 0.2, i)] * r.randint(0, 3)),
        pa.list_(pa.int64()),
    )
    fields["mp"] = pa.array(
        column(
            rng,
            rows,
            0.1,
            lambda r, i: [(k, i) for k in r.sample(MODES, r.randint(0, 2))],
        ),
        pa.map_(pa.string(), pa.int32()),
    )
    return pa.table(fields)


def flat(rows: int = ROWS, seed: int = 1) -> pa.Table:
    """:func:`mixed` without its nested columns."""
    return mixed(rows, seed).drop_columns(["st", "arr", "mp"])


def required(rows: int = ROWS, seed: int = 2) -> pa.Table:
    """:func:`flat` where no column may be null: nulls are replaced by row 0's kind of value."""
    rng = random.Random(seed)
    fields = {}
    for name, values in flat_fields(rng, rows).items():
        filled = values.drop_null()
        if len(filled) == 0:
            continue
        picks = [rng.randrange(len(filled)) for _ in range(rows)]
        fields[name] = filled.take(pa.array(picks)) if name != "id" else values
    schema = pa.schema([pa.field(n, a.type, nullable=False) for n, a in fields.items()])
    return pa.table(list(fields.values()), schema=schema)


def wide(columns: int = 140, rows: int = 600, seed: int = 3) -> pa.Table:
    """More columns than ``spark.sql.codegen.maxFields``: the scan hands out rows, not batches."""
    rng = random.Random(seed)
    data: dict[str, pa.Array] = {"id": pa.array(range(rows), pa.int64())}
    for c in range(columns):
        if c % 3 == 0:
            data[f"c{c}"] = pa.array(
                column(rng, rows, 0.1, lambda r, _: r.randint(0, 50)), pa.int32()
            )
        elif c % 3 == 1:
            data[f"c{c}"] = pa.array(
                column(rng, rows, 0.1, lambda r, _: r.choice(MODES)), pa.string()
            )
        else:
            data[f"c{c}"] = pa.array(column(rng, rows, 0.1, _float), pa.float64())
    return pa.table(data)


def exotic(rows: int = 1200, seed: int = 4) -> pa.Table:
    """Types that Spark maps to others: unsigned, nanoseconds, milliseconds, odd decimals."""
    rng = random.Random(seed)
    ns = [None if rng.random() < 0.1 else rng.randint(-(10**15), 10**15) for _ in range(rows)]

    def of(kind: pa.DataType, make: Maker) -> pa.Array:
        return pa.array(column(rng, rows, 0.1, make), kind)

    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "u8": of(pa.uint8(), lambda r, _: r.choice((0, 127, 128, 255))),
            "u16": of(pa.uint16(), lambda r, _: r.choice((0, 7, 32768, 65535))),
            "u32": of(pa.uint32(), lambda r, _: r.choice((0, 7, 1 << 31, (1 << 32) - 1))),
            "u64": of(pa.uint64(), lambda r, _: r.choice((0, 7, 1 << 63, (1 << 64) - 1))),
            "ms": pa.array(
                [None if v is None else v // 10**6 for v in ns],
                pa.timestamp("ms", "UTC"),
            ),
            "ms_ntz": pa.array([None if v is None else v // 10**6 for v in ns], pa.timestamp("ms")),
            "dec1": of(pa.decimal128(1, 0), _decimal(1, 0)),
            "dec10": of(pa.decimal128(10, 10), _decimal(10, 10)),
            "dec19": of(pa.decimal128(19, 0), _decimal(19, 0)),
            "dec25": of(pa.decimal128(25, 20), _decimal(25, 20)),
            "fixed": of(
                pa.binary(5),
                lambda r, _: r.choice((b"aaaaa", b"\x00\xff\x80\x7f\x01", b"zzzzz")),
            ),
            "cat": pa.array(
                column(rng, rows, 0.1, lambda r, _: r.choice(MODES))
            ).dictionary_encode(),
        }
    )


def malformed_text(rows: int = 900, seed: int = 5) -> pa.Table:
    """Strings that are not UTF-8: cut sequences, stray bytes, surrogates, NUL."""
    rng = random.Random(seed)
    bad = [
        b"",
        b"\x80",
        b"\xff\xfe",
        b"a\xc3",
        b"a\xc3\xa9",
        b"\xe5\x8c",
        b"\xed\xa0\x80",
        b"a\x00b",
        b"%",
        b"_",
    ]
    raw = column(rng, rows, 0.1, lambda r, _: b"".join(r.choices(bad, k=r.randint(1, 2))))
    binary = pa.array(raw, pa.binary())
    text = pa.Array.from_buffers(pa.string(), rows, binary.buffers(), binary.null_count)
    return pa.table({"id": pa.array(range(rows), pa.int64()), "s": text, "bin": binary})


def nothing() -> pa.Table:
    """The schema of :func:`mixed` and no row."""
    return mixed(1).slice(0, 0)


def keys(seed: int = 6) -> pa.Table:
    """A small table to join with."""
    rng = random.Random(seed)
    return pa.table(
        {
            "k": pa.array([rng.randint(-3, 25) for _ in range(12)] + [None], pa.int32()),
            "name": pa.array([rng.choice(MODES) for _ in range(13)], pa.string()),
        }
    )
