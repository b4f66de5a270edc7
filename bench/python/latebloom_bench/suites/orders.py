# SPDX-License-Identifier: Apache-2.0
"""Joins of TPC-DS's tables in random orders, as an optimiser without good statistics writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from latebloom_bench._suite import NO_BROADCAST, Query, Suite, Variant
from latebloom_bench.tables._tpcds import Tpcds

_ORDERS = 8


@dataclass(frozen=True)
class _Graph:
    """Relations that are joined, by alias: the conditions on each, and between two of them."""

    name: str
    relations: Mapping[str, str]
    filters: Mapping[str, str]
    edges: Mapping[tuple[str, str], str]
    output: str

    def query(self, number: int) -> Query:
        """The joins in an order of which each prefix is connected."""
        random = Random(f"{self.name} {number}")
        order = [random.choice(sorted(self.relations))]
        while len(order) < len(self.relations):
            near = {b for a in order for edge in self.edges if a in edge for b in edge}
            order.append(random.choice(sorted(near - set(order))))
        text = self._shown(order[0])
        for i, alias in enumerate(order[1:], 1):
            on = [self.edges[e] for e in self.edges if alias in e and set(e) <= set(order[: i + 1])]
            text += f" join {self._shown(alias)} on {' and '.join(on)}"
        sql = f"select {self.output} from {text}"
        tables = tuple(dict.fromkeys(self.relations.values()))
        return Query(f"{self.name}, order {number}", sql, tables=tables)

    def _shown(self, alias: str) -> str:
        table = self.relations[alias]
        where = self.filters.get(alias)
        return f"(select * from {table} where {where}) {alias}" if where else f"{table} {alias}"


_STAR = _Graph(
    "star",
    {
        "ss": "store_sales",
        "d": "date_dim",
        "i": "item",
        "s": "store",
        "hd": "household_demographics",
        "cd": "customer_demographics",
    },
    {
        "d": "d_year = 2001 and d_moy between 9 and 11",
        "i": "i_category = 'Music' and i_current_price > 50",
        "s": "s_market_id < 8",
        "hd": "hd_dep_count = 5",
        "cd": "cd_gender = 'M' and cd_education_status = 'College'",
    },
    {
        ("ss", "d"): "ss.ss_sold_date_sk = d.d_date_sk",
        ("ss", "i"): "ss.ss_item_sk = i.i_item_sk",
        ("ss", "s"): "ss.ss_store_sk = s.s_store_sk",
        ("ss", "hd"): "ss.ss_hdemo_sk = hd.hd_demo_sk",
        ("ss", "cd"): "ss.ss_cdemo_sk = cd.cd_demo_sk",
    },
    "count(*), sum(ss.ss_net_profit)",
)

_SNOWFLAKE = _Graph(
    "snowflake",
    {
        "ss": "store_sales",
        "d": "date_dim",
        "i": "item",
        "c": "customer",
        "ca": "customer_address",
        "cd": "customer_demographics",
    },
    {
        "d": "d_year = 2000",
        "i": "i_manager_id between 1 and 10",
        "ca": "ca_state in ('TX', 'OH')",
        "cd": "cd_marital_status = 'D'",
    },
    {
        ("ss", "d"): "ss.ss_sold_date_sk = d.d_date_sk",
        ("ss", "i"): "ss.ss_item_sk = i.i_item_sk",
        ("ss", "c"): "ss.ss_customer_sk = c.c_customer_sk",
        ("c", "ca"): "c.c_current_addr_sk = ca.ca_address_sk",
        ("c", "cd"): "c.c_current_cdemo_sk = cd.cd_demo_sk",
    },
    "count(*), sum(ss.ss_ext_sales_price)",
)

_CHANNELS = _Graph(
    "three channels",
    {
        "ss": "store_sales",
        "sr": "store_returns",
        "cs": "catalog_sales",
        "d1": "date_dim",
        "d2": "date_dim",
        "d3": "date_dim",
        "i": "item",
        "s": "store",
    },
    {
        "d1": "d_year = 2001 and d_moy = 4",
        "d2": "d_year = 2001 and d_moy between 4 and 10",
        "d3": "d_year = 2001 and d_moy between 4 and 10",
    },
    {
        ("ss", "d1"): "ss.ss_sold_date_sk = d1.d_date_sk",
        ("sr", "d2"): "sr.sr_returned_date_sk = d2.d_date_sk",
        ("cs", "d3"): "cs.cs_sold_date_sk = d3.d_date_sk",
        ("ss", "i"): "ss.ss_item_sk = i.i_item_sk",
        ("ss", "s"): "ss.ss_store_sk = s.s_store_sk",
        ("ss", "sr"): "ss.ss_customer_sk = sr.sr_customer_sk and ss.ss_item_sk = sr.sr_item_sk"
        " and ss.ss_ticket_number = sr.sr_ticket_number",
        ("sr", "cs"): "sr.sr_customer_sk = cs.cs_bill_customer_sk"
        " and sr.sr_item_sk = cs.cs_item_sk",
    },
    "count(*), sum(ss.ss_net_profit), sum(sr.sr_net_loss), sum(cs.cs_net_profit)",
)

SUITE = Suite(
    "orders",
    "Three joins of six to eight tables of TPC-DS, each in eight random orders that Spark keeps as they "
    "are: how much the order matters.",
    tuple(
        graph.query(number)
        for graph in (_STAR, _SNOWFLAKE, _CHANNELS)
        for number in range(1, _ORDERS + 1)
    ),
    Tpcds(),
    scale=5,
    variants=(Variant(), Variant("no broadcast", confs=NO_BROADCAST)),
)
