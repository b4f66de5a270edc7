-- SPDX-License-Identifier: Apache-2.0
-- tables: wide
-- expect: either
select * from t where id = 17;
-- expect: either
select * from t where c0 = 7 and c1 = 'AIR';
-- expect: either
select * from t where c2 > 0d;
-- expect: either
select * from t where c139 is null;
select c1, c2, c3 from t where c0 = 7;
select id, c138, c139 from t where c0 < 7 and c1 like '%R' and c2 > 0d and c3 < 25 and c4 <> 'AIR';
select count(*) from t where c0 > 10 and c3 > 10 and c6 > 10 and c9 > 10 and c12 > 10;
