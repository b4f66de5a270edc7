-- SPDX-License-Identifier: Apache-2.0
select c_count, count(*) custdist
from (
  select c_custkey, count(o_orderkey) c_count
  from customer left outer join orders
    on c_custkey = o_custkey and o_comment not like '%special%requests%'
  group by c_custkey
) c_orders
group by c_count
order by custdist desc, c_count desc
