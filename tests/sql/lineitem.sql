-- SPDX-License-Identifier: Apache-2.0
-- tables: lineitem
select * from t where l_comment like '%pending%foxes%slyly%';
select * from t where l_partkey < 10;
select * from t where l_shipinstruct = 'DELIVER IN PERSON' and l_shipmode in ('AIR', 'REG AIR') and l_returnflag = 'R' and l_discount = 0.05;
select avg(l_extendedprice), count(*), count(distinct l_extendedprice) from t where l_quantity > 3 and l_quantity < 5;
select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice * (1 - l_discount)), avg(l_discount), count(*) from t where l_shipdate <= date'1998-09-02' group by l_returnflag, l_linestatus;
select sum(l_extendedprice * l_discount) from t where l_shipdate >= date'1994-01-01' and l_shipdate < date'1995-01-01' and l_discount between 0.05 and 0.07 and l_quantity < 24;
select * from t where l_orderkey = 7;
select l_comment from t where l_orderkey between 3000 and 3010;
select l_orderkey, l_comment from t where l_shipmode = 'MAIL' and l_commitdate < l_receiptdate and l_receiptdate >= date'1994-01-01';
select l_shipmode, count(*) from t where l_comment like '%special%' group by l_shipmode;
select l_comment, l_shipinstruct from t where l_linenumber = 7 and l_tax = 0.08;
select * from t where l_comment = '';
select * from t where l_quantity = 50 and l_shipmode not in ('AIR', 'MAIL', 'SHIP');
select count(*) from t where l_suppkey <> 3;
select a.l_orderkey, b.l_comment from t a join t b on a.l_orderkey = b.l_orderkey where a.l_shipmode = 'AIR' and a.l_quantity = 1 and b.l_returnflag = 'N';
