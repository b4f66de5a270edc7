# SPDX-License-Identifier: Apache-2.0
"""Queries over TPC-H's lineitem that several suites measure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from latebloom._data import Cache, Tpch
from latebloom._demo import QUERIES

from latebloom_bench._suite import Query

LIKE = Query("like", QUERIES["like"], at_least=4)
DICTIONARY = Query("dictionary", QUERIES["dictionary"], at_least=2)
PARTKEY = Query("partkey", QUERIES["partkey"], at_least=2)
QUANTITY = Query(
    "quantity",
    "select avg(l_extendedprice), count(l_extendedprice), count(distinct l_extendedprice)"
    " from lineitem where l_quantity > 3 and l_quantity < 5",
    at_least=1.5,
)
Q1 = Query(
    "q1",
    "select l_returnflag, l_linestatus, sum(l_quantity) sum_qty,"
    " sum(l_extendedprice) sum_base_price,"
    " sum(l_extendedprice * (1 - l_discount)) sum_disc_price,"
    " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) sum_charge,"
    " avg(l_quantity) avg_qty, avg(l_extendedprice) avg_price, avg(l_discount) avg_disc,"
    " count(*) count_order from lineitem"
    " where l_shipdate <= date '1998-12-01' - interval '90' day"
    " group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus",
    at_least=0.95,
)
Q6 = Query("q6", QUERIES["q6"], at_least=0.95)
NO_FILTER = Query("no-filter", "select * from lineitem", at_least=0.95)
KEEPS_ALL = Query("keeps-all", "select * from lineitem where l_orderkey > 0", at_least=0.95)
# No statistics prove that this filter keeps every row: it must test each value.
KEEPS_ALL_UNPROVEN = Query(
    "keeps-all-unproven", "select * from lineitem where l_comment <> 'x'", at_least=0.95
)


def on_lineitem(query: Query, at_least: float = 0.0) -> Query:
    """The query in a suite that has other tables as well, with that suite's bar."""
    return replace(query, tables=("lineitem",), at_least=at_least)


@dataclass(frozen=True)
class ByDate:
    """``lineitem_by_date``: lineitem as a table that is filled day by day.

    Written by pyarrow in row groups of a million rows, with a page index.
    """

    lineitem: Tpch

    def names(self) -> Iterable[str]:
        """The one table."""
        return ("lineitem_by_date",)

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """Its Parquet file, made of lineitem on first use."""

        def make(target: Path) -> None:
            import pyarrow as pa
            import pyarrow.compute as pc
            import pyarrow.dataset as ds
            import pyarrow.parquet as pq

            source = self.lineitem.table("lineitem", scale, cache)
            # parquet-rs notes views of text, which pyarrow cannot filter.
            lines = ds.dataset(
                source,
                schema=pa.schema(
                    f.with_type(pa.string()) if pa.types.is_string_view(f.type) else f
                    for f in ds.dataset(source).schema
                ),
            )
            day = pc.field("l_shipdate")
            with pq.ParquetWriter(target, lines.schema, write_page_index=True) as writer:
                # A year at a time: the whole table may not fit into memory.
                for year in range(1992, 1999):
                    within = (day >= date(year, 1, 1)) & (day < date(year + 1, 1, 1))
                    rows = lines.to_table(filter=within).sort_by("l_shipdate")
                    writer.write_table(rows, row_group_size=1_000_000)

        return cache.made(f"{name}-sf{scale:g}.parquet", 300e6 * scale, make)
