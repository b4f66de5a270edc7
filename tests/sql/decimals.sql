-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select id, dec9 from t where dec9 = 1.50;
select id, dec9, s from t where dec9 > 99.0;
select id, dec9, s from t where dec9 <= -9999999.99;
select id, dec9, s from t where dec9 between -1 and 1;
select id, dec9, s from t where dec9 in (0, 9999999.99, -9999999.99);
select id, dec18, s from t where dec18 < -0.99;
select id, dec18, s from t where dec18 = 99999999999999.9999;
select id, dec18, s from t where dec18 <> 0 and low = 4;
select id, dec38, s from t where dec38 = 0;
select id, dec38, s from t where dec38 > 0.0000009;
select id, dec38, s from t where dec38 < -0.0000009;
select id, dec38, s from t where dec38 = 9999999999999999999999999999.9999999999;
select id, dec38, s from t where dec38 in (0, 9999999999999999999999999999.9999999999);
select id, dec38, s from t where dec38 between -0.0000001 and 0.0000001;
select id, dec9, dec18, dec38 from t where dec9 > 0 and dec18 > 0 and dec38 > 0;
-- expect: either
select id, dec9 from t where dec9 > 1.505;
-- expect: either
select id, dec9 from t where dec9 = 3;
-- expect: either
select id, dec9 from t where dec9 > dec18 and low = 3;
