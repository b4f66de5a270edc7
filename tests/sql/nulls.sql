-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select id, i32, s from t where i32 is null;
select id, i32, s from t where i32 is not null and low = 3;
select id, mode from t where mode is null;
select count(*) from t where mode is null;
select id, mode from t where mode is not null and mode <> 'AIR' and low < 3;
-- expect: spark not-selective
select id, rare, s from t where rare is not null;
select id, rare from t where rare is null and runs is not null and low = 3;
-- expect: spark not-selective
select id, s from t where none_s is not null;
select id, s, none_s from t where none_s is null and sorted = 3;
select count(*), count(none_i), count(rare), count(runs) from t where none_i is null;
-- expect: either
select id, s from t where i32 = null;
select id, s from t where (i32 > 0) is null and low = 1;
select id, s from t where (i32 > 0 or i32 is null) and low = 1;
select id, s from t where not (i32 > 0 or i32 is null) and low = 1;
select id, s from t where i32 is null and f64 is null;
select id, s, rare, runs from t where runs between 2 and 3 and rare is null;
select id, s from t where flag is null;
select id, dec38 from t where dec38 is null;
select id, bin from t where bin is null;
select id, ts, d from t where ts is null and d is null;
