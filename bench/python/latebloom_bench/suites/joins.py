# SPDX-License-Identifier: Apache-2.0
"""Joins that join filters make faster, with their bars, and joins where they can do nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from latebloom._data import Tpch

from latebloom_bench._suite import NO_BROADCAST, Query, Suite
from latebloom_bench.suites.tpch import QUERIES as TPCH
from latebloom_bench.tables._generated import Scaled, Several
from latebloom_bench.tables._tpcds import ByDay, Tpcds

_BROADCAST = {"spark.sql.autoBroadcastJoinThreshold": "1g"}

# One part in a thousand.
_RARE = "p_brand = 'Brand#23' and p_container = 'MED BOX'"
RARE_PARTS = f"select l.*, p_name from lineitem l join part on l_partkey = p_partkey where {_RARE}"
Q17 = next(query for query in TPCH if query.name == "q17")

_merge = partial(Query, tables=("lineitem", "part"), confs=NO_BROADCAST)
_broadcast = partial(Query, tables=("lineitem", "part"), confs=_BROADCAST)
_star = partial(Query, tables=("store_sales", "item", "date_dim"), at_least=2.5)
# Of 1,823 days.
_DAYS = ("1998-03-05", "1998-11-20", "1999-07-01", "2000-05-14", "2001-09-30", "2002-10-11")
SIX_DAYS = (
    "select s.*, d_day_name from store_sales_by_day s join date_dim on ss_sold_date_sk = d_date_sk"
    f" where d_date in ({', '.join(f'date {day!r}' for day in _DAYS)})"
)
_days = partial(Query, sql=SIX_DAYS, tables=("store_sales_by_day", "date_dim"))
_skewed = "(select l_partkey % 100 * (l_linenumber % 2) as k, l_quantity from lineitem)"

SUITE = Suite(
    "joins",
    "Joins with few keys on one side, by sorting and merging and by broadcast, with their bars; star "
    "joins on TPC-DS at half the scale factor; joins that keep everything, tiny joins, empty sides, "
    "skewed keys.",
    (
        _merge("0.1 % of parts, SMJ", RARE_PARTS, at_least=6),
        _broadcast("0.1 % of parts, BHJ", RARE_PARTS, at_least=2.5),
        replace(Q17, name="q17, SMJ", confs=NO_BROADCAST, at_least=6),
        replace(Q17, name="q17, BHJ", confs=_BROADCAST, at_least=3),
        # One item in a thousand, of five times as many rows as TPC-DS has at factor 1.
        _star(
            "star join",
            "select i_brand, d_year, count(*), sum(ss_ext_sales_price), max(ss_ticket_number)"
            " from store_sales, item, date_dim"
            " where ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and i_manufact_id = 128"
            " group by i_brand, d_year",
        ),
        _star(
            "star join, all columns",
            "select store_sales.*, i_item_id from store_sales join item on ss_item_sk = i_item_sk"
            " where i_manufact_id = 128",
        ),
        _days("six days, BHJ", confs=_BROADCAST, at_least=12),
        _days("six days, SMJ", confs=NO_BROADCAST, at_least=30),
        _merge(
            "keeps everything, SMJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size > 0",
            at_least=0.97,
        ),
        _broadcast(
            "keeps everything, BHJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size > 0",
            at_least=0.97,
        ),
        _merge(
            "keeps half, SMJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size <= 25",
            at_least=0.97,
        ),
        _merge(
            "keeps half, BHJ",
            "select sum(l_quantity), max(p_name) from lineitem join part on l_partkey = p_partkey"
            " where p_size <= 25",
            at_least=0.97,
            confs=_BROADCAST,
        ),
        _broadcast(
            "tiny",
            "select count(*) from nation join region on n_regionkey = r_regionkey"
            " where r_name = 'ASIA'",
            at_least=0.97,
            tables=("nation", "region"),
        ),
        _merge(
            "no key, SMJ",
            "select l.*, p_name from lineitem l join part on l_partkey = p_partkey where p_size = 99",
            at_least=0.97,
        ),
        _broadcast(
            "no key, BHJ",
            "select l.*, p_name from lineitem l join part on l_partkey = p_partkey where p_size = 99",
            at_least=0.97,
        ),
        _merge(
            "skewed, SMJ",
            f"select sum(l_quantity), max(p_name) from {_skewed} join part on k = p_partkey"
            " where p_size < 40",
            at_least=0.97,
        ),
    ),
    Several((Tpch("128MB"), Scaled(Tpcds(), 0.5), Scaled(ByDay(), 0.5))),
    scale=10,
)
