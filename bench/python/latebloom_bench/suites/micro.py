# SPDX-License-Identifier: Apache-2.0
"""One filter over one generated table, one property changed at a time, at all selectivities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from latebloom_bench._suite import Query, Suite
from latebloom_bench.tables._generated import DEFAULT, Generated, Layout, Made

# An odd multiplier permutes the numbers below a power of two. Values are twice a number of the
# range, so that they span all of an int.
_STRIDE, _RANGE = 2_654_435_761, 2**31
_BLOCK = 1000


@dataclass(frozen=True)
class Shape:
    """A table of filter columns f1.. and payload columns p1.. (random longs, no dictionary).

    Attributes:
        kind: type of the filter columns.
        dictionary: entries of their dictionary, 0 for none.
        order: the position of the passing rows: ``random``, ``clustered`` (all together),
            ``alternating`` (evenly apart) or ``runs`` (at the start of each thousand).
        filters: how many filter columns there are.
        correlated: whether all of them pass the same rows.
    """

    name: str
    kind: str = "long"
    dictionary: int = 0
    order: str = "random"
    payload: int = 10
    filters: int = 1
    correlated: bool = False
    layout: Layout = DEFAULT

    def made(self) -> Made:
        """The table, of about 100 MB at scale factor 1."""
        row_bytes = 8 * (self.payload + self.filters)
        names = tuple(f"f{i + 1}" for i in range(self.filters)) if self.dictionary else ()
        layout = replace(self.layout, dictionary=names)
        return Made(int(100e6 / row_bytes), partial(_columns, self), row_bytes, layout)

    def query(self, share: float) -> Query:
        """A query that passes a share of the rows; each of n independent filters passes its root."""
        each = share if self.correlated else share ** (1 / self.filters)
        passing = " and ".join(f"{self._test(i + 1, each)}" for i in range(self.filters))
        outputs = "*" if self.payload else "f1"
        return Query(
            f"{self.name}, {100 * share:g}%",
            f"select {outputs} from {self._table} where {passing}",
            tables=(self._table,),
            chart=self.name,
            selectivity=share,
        )

    @property
    def _table(self) -> str:
        return "micro_" + self.name.replace(" ", "_").replace("-", "_")

    def _test(self, column: int, share: float) -> str:
        # All values are even: an odd one in the middle passes no row without being out of range.
        cut = 2 * round(share * (self.dictionary or _RANGE))
        if share == 0:
            return f"f{column} = {self._literal((self.dictionary or _RANGE) // 2 * 2 + 1)}"
        return f"f{column} < {self._literal(cut)}"

    def _literal(self, value: int) -> str:
        if self.kind == "string":
            return f"'v{value:010}'"
        if self.kind == "int":
            return str(value - _RANGE if not self.dictionary else value)
        return {"long": f"{value}L", "double": f"{value}D", "decimal": f"{value}.00"}[self.kind]


def _columns(shape: Shape, rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    at = np.arange(start, stop, dtype=np.uint64)
    found: dict[str, Any] = {}
    for column in range(shape.filters):
        salt = 0 if shape.correlated else column
        place = _places(shape.order, rows, at, salt)
        entries = shape.dictionary or _RANGE
        keys = 2 * (place * entries).astype(np.int64)
        found[f"f{column + 1}"] = _typed(keys, shape)
    random = np.random.default_rng(start)
    for column in range(shape.payload):
        found[f"p{column + 1}"] = random.integers(0, 2**62, stop - start)
    return found


def _places(order: str, rows: int, at: Any, salt: int) -> Any:
    """A number in [0, 1) for each row: a filter passes those below its selectivity."""
    import numpy as np

    if order == "clustered":
        return at / rows
    if order == "runs":
        return (at % _BLOCK) / _BLOCK
    if order == "alternating":
        # Golden-ratio steps spread any share of the rows evenly.
        return ((at * _STRIDE) % _RANGE) / _RANGE
    return np.random.default_rng((salt, int(at[0]))).random(len(at))


def _typed(keys: Any, shape: Shape) -> Any:
    import numpy as np
    import pyarrow as pa

    if shape.kind == "string":
        return pa.array([f"v{key:010}" for key in keys.tolist()])
    if shape.kind == "decimal":
        return pa.array([Decimal(key) for key in keys.tolist()], pa.decimal128(14, 2))
    if shape.kind == "int":
        return (keys if shape.dictionary else keys - _RANGE).astype(np.int32)
    return keys.astype(np.float64) if shape.kind == "double" else keys


BASE = Shape("base")
QUICK = (
    BASE,
    Shape("25 payload", payload=25),
    Shape("no payload", payload=0),
    Shape("string", kind="string"),
    Shape("string dictionary 64", kind="string", dictionary=64),
    Shape("string dictionary 4096", kind="string", dictionary=4096),
    Shape("clustered", order="clustered"),
    Shape("alternating", order="alternating"),
    Shape("runs", order="runs"),
    Shape("no page index", layout=Layout(page_index=False)),
    Shape("3 filters", filters=3),
)
FULL = (
    *QUICK,
    *(Shape(f"{n} payload", payload=n) for n in (50, 150)),
    *(Shape(f"{kind} plain", kind=kind) for kind in ("int", "double", "decimal")),
    *(
        Shape(f"{kind} dictionary {n}", kind=kind, dictionary=n)
        for kind, sizes in (
            ("string", (512, 32_768)),
            ("long", (64, 512, 4096, 32_768)),
            ("int", (4096,)),
            ("double", (4096,)),
            ("decimal", (4096,)),
        )
        for n in sizes
    ),
    *(Shape(f"codec {c}", layout=Layout(compression=c)) for c in ("none", "gzip", "zstd")),
    *(
        Shape(
            f"string dictionary {c}", kind="string", dictionary=32_768, layout=Layout(compression=c)
        )
        for c in ("none", "gzip")
    ),
    *(Shape(f"pages of {n} KiB", layout=Layout(page_bytes=n * 1024)) for n in (8, 64)),
    *(Shape(f"row groups of {n}", layout=Layout(group_rows=n)) for n in (10_000, 100_000)),
    Shape("runs dictionary 64", order="runs", dictionary=64),
    *(Shape(f"{n} filters", filters=n) for n in (2, 4, 5)),
    *(Shape(f"{n} filters correlated", filters=n, correlated=True) for n in (2, 3, 5)),
)
SHARES = (0, 0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 1)


def _queries(shapes: Sequence[Shape], shares: Sequence[float]) -> Iterator[Query]:
    for shape in shapes:
        for share in shares:
            # A dictionary of 64 has no value with one row in a thousand.
            if share in (0, 1) or not shape.dictionary or share * shape.dictionary >= 1:
                yield shape.query(share)


def _suite(name: str, shapes: Sequence[Shape], shares: Sequence[float], scale: float) -> Suite:
    return Suite(
        name,
        "Generated tables: a base (a random long, 10 payload columns, Snappy, page index, no "
        "dictionary), and others that differ from it in what their name says.",
        tuple(_queries(shapes, shares)),
        Generated({shape.query(0).tables[0]: shape.made() for shape in shapes}),
        scale=scale,
    )


SUITE = _suite("micro", QUICK, (0, 0.001, 0.01, 0.1, 0.5, 1), scale=0.5)
FULL_SUITE = _suite("micro-full", FULL, SHARES, scale=2)
