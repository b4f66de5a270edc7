-- SPDX-License-Identifier: Apache-2.0
select cntrycode, count(*) numcust, sum(c_acctbal) totacctbal
from (
  select substring(c_phone, 1, 2) cntrycode, c_acctbal
  from customer
  where substring(c_phone, 1, 2) in ('13', '31', '23', '29', '30', '18', '17')
    and c_acctbal > (
      select avg(c_acctbal)
      from customer
      where c_acctbal > 0.00
        and substring(c_phone, 1, 2) in ('13', '31', '23', '29', '30', '18', '17')
    )
    and not exists (select * from orders where o_custkey = c_custkey)
) custsale
group by cntrycode
order by cntrycode
