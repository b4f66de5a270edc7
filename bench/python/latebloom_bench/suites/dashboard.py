# SPDX-License-Identifier: Apache-2.0
"""A dashboard that asks the same every morning, of a window that moves by a day."""

from __future__ import annotations

from latebloom_bench._sides import NEXT_DAY, OFF, ON
from latebloom_bench._suite import Query, Suite, tables_in
from latebloom_bench.tables._tpcds import Tpcds

_DATA = Tpcds()

_DAYS = ("2001-11-15", "2001-11-16")

_MONTH = "d_date between date'{day}' - interval 29 days and date'{day}'"
_WEEK = "d_date between date'{day}' - interval 6 days and date'{day}'"
_YEAR = "d_date between date'{day}' - interval 364 days and date'{day}'"

_TILES = {
    "sales a day": "select d_date, sum(ss_ext_sales_price) s from store_sales, date_dim"
    f" where ss_sold_date_sk = d_date_sk and {_MONTH} group by d_date",
    "profit a store": "select s_store_name, sum(ss_net_profit) s from store_sales, date_dim, store"
    f" where ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and {_MONTH}"
    " group by s_store_name",
    "stores of a state": "select s_store_name, count(*) n from store_sales, date_dim, store"
    f" where ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and s_state = 'TN' and {_WEEK}"
    " group by s_store_name",
    "category by channel": "select i_category, sum(cs_ext_sales_price) s"
    " from catalog_sales, date_dim, item"
    f" where cs_sold_date_sk = d_date_sk and cs_item_sk = i_item_sk and {_MONTH} group by i_category",
    "brands of a manufacturer": "select i_brand, sum(ss_ext_sales_price) s"
    " from store_sales, date_dim, item where ss_sold_date_sk = d_date_sk and ss_item_sk = i_item_sk"
    f" and i_manufact_id = 128 and {_YEAR} group by i_brand",
    "dear items": "select i_item_id, count(*) n from web_sales, date_dim, item"
    " where ws_sold_date_sk = d_date_sk and ws_item_sk = i_item_sk and i_current_price > 90"
    f" and {_YEAR} group by i_item_id",
    "coupons": "select count(*) n, sum(ss_coupon_amt) s from store_sales, date_dim"
    f" where ss_sold_date_sk = d_date_sk and ss_coupon_amt > 10000 and {_YEAR}",
    "largest sales": "select * from store_sales, date_dim where ss_sold_date_sk = d_date_sk"
    f" and ss_ext_list_price > 19500 and {_YEAR}",
    "losses": "select ss_store_sk, count(*) n from store_sales, date_dim"
    f" where ss_sold_date_sk = d_date_sk and ss_net_profit < -9000 and {_YEAR} group by ss_store_sk",
    "returns by reason": "select r_reason_desc, sum(sr_return_amt) s"
    " from store_returns, date_dim, reason"
    f" where sr_returned_date_sk = d_date_sk and sr_reason_sk = r_reason_sk and {_MONTH}"
    " group by r_reason_desc",
    "dear returns": "select * from store_returns, date_dim where sr_returned_date_sk = d_date_sk"
    f" and sr_return_amt > 14000 and {_YEAR}",
    "stock of a colour": "select w_warehouse_name, sum(inv_quantity_on_hand) s"
    " from inventory, date_dim, item, warehouse"
    " where inv_date_sk = d_date_sk and inv_item_sk = i_item_sk"
    f" and inv_warehouse_sk = w_warehouse_sk and i_color = 'orchid' and {_MONTH}"
    " group by w_warehouse_name",
    "nearly sold out": "select inv_item_sk, count(*) n from inventory, date_dim"
    f" where inv_date_sk = d_date_sk and inv_quantity_on_hand < 3 and {_YEAR} group by inv_item_sk",
    "customers of a town": "select c_customer_id, sum(ss_net_paid) s"
    " from store_sales, date_dim, customer, customer_address"
    " where ss_sold_date_sk = d_date_sk and ss_customer_sk = c_customer_sk"
    f" and c_current_addr_sk = ca_address_sk and ca_city = 'Fairview' and {_MONTH}"
    " group by c_customer_id",
    "states on the web": "select ca_state, sum(ws_ext_sales_price) s"
    " from web_sales, date_dim, customer_address"
    " where ws_sold_date_sk = d_date_sk and ws_bill_addr_sk = ca_address_sk"
    f" and {_MONTH} group by ca_state",
    "slow shipments": "select sm_type, count(*) n from catalog_sales, date_dim, ship_mode"
    " where cs_sold_date_sk = d_date_sk and cs_ship_mode_sk = sm_ship_mode_sk"
    f" and cs_ship_date_sk - cs_sold_date_sk > 85 and {_YEAR} group by sm_type",
    "one customer": "select * from catalog_sales, date_dim where cs_sold_date_sk = d_date_sk"
    f" and cs_bill_customer_sk = 31415 and {_YEAR}",
    "one item": "select d_date, sum(ss_quantity) s from store_sales, date_dim"
    f" where ss_sold_date_sk = d_date_sk and ss_item_sk = 2718 and {_YEAR} group by d_date",
    "promotions by mail": "select p_promo_id, count(*) n from store_sales, date_dim, promotion"
    " where ss_sold_date_sk = d_date_sk and ss_promo_sk = p_promo_sk and p_channel_dmail = 'Y'"
    f" and {_WEEK} group by p_promo_id",
    "both channels": "select count(*) n from"
    " (select ws_bill_customer_sk k from web_sales, date_dim"
    f" where ws_sold_date_sk = d_date_sk and ws_quantity > 95 and {_MONTH}) w"
    " join (select ss_customer_sk k from store_sales, date_dim"
    f" where ss_sold_date_sk = d_date_sk and ss_quantity > 95 and {_MONTH}) s on w.k = s.k",
}


def _tile(name: str, sql: str) -> Query:
    before, now = (sql.format(day=day) for day in _DAYS)
    return Query(name, now, tables=tables_in(sql, _DATA.names()), before=before)


SUITE = Suite(
    "dashboard",
    "20 queries over TPC-DS whose dates move by a day: after the same of the day before, against "
    "none before.",
    tuple(_tile(name, sql) for name, sql in _TILES.items()),
    _DATA,
    scale=5,
    sides=(ON, NEXT_DAY, OFF),
)
