-- SPDX-License-Identifier: Apache-2.0
select
  l_returnflag, l_linestatus,
  sum(l_quantity) sum_qty,
  sum(l_extendedprice) sum_base_price,
  sum(l_extendedprice * (1 - l_discount)) sum_disc_price,
  sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) sum_charge,
  avg(l_quantity) avg_qty,
  avg(l_extendedprice) avg_price,
  avg(l_discount) avg_disc,
  count(*) count_order
from lineitem
where l_shipdate <= date '1998-12-01' - interval '90' day
group by l_returnflag, l_linestatus
order by l_returnflag, l_linestatus
