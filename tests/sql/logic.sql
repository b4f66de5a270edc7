-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select id, s from t where low = 3 or low = 5;
select id, s from t where low > 3 and low < 6;
select id, s from t where low > 6 and low < 3;
select id, s from t where not (low > 3 and low < 18);
select id, s from t where not (low < 3 or low > 4);
select id, s from t where (low = 1 or low = 2) and (low = 2 or low = 3);
select id, s from t where low = 1 or (low > 4 and not low <= 19);
select id, i32 from t where not (i32 > 0);
select id, i32 from t where not (i32 > 4800 or i32 < -4800) and low = 2;
-- expect: either
select id, i32 from t where not (i32 in (1, null)) and low = 2;
select id, s from t where low < 5 and mode = 'RAIL';
select id, s from t where low < 5 and mode = 'RAIL' and f64 > 0d;
select id, s, bin from t where low < 10 and mode >= 'M' and f64 > 0d and d > date'1970-01-01' and flag;
select low, mode, f64, d, flag from t where low < 10 and mode >= 'M' and f64 > 0d and d > date'1970-01-01' and flag;
select id from t where i8 > 0 and i16 > 0 and i32 > 0 and i64 > 0 and dec9 > 0;
select id, s from t where id < 1200 and id > 1190 and s is not null;
select id, s from t where low = 3 and i32 % 2 = 0;
select id, s from t where low = 3 and length(s) > 20 and mode like '%A%';
select id, s from t where low = 3 and (i32 > 0 or mode = 'AIR');
select id, s from t where low = 3 and i32 + id > 100 and f64 < 50d;
-- expect: either
select id, s from t where i32 > 100 or f64 > 10d;
-- expect: either
select id, s from t where i32 > id;
select id, s from t where i32 % 7 = 0;
-- expect: either
select id, s from t where rand(4) < 2 and low = 3;
-- expect: either
select id, s from t where low = 3 and rand(4) < 2 and mode = 'AIR';
-- expect: either
select id, s from t where 1000 / low > 100;
-- expect: either
select id, s from t where low <> 0 and 1000 / low > 100;
-- expect: either
select id, s from t where low > 4 and cast(mode as int) > 4;
-- expect: either
select id, s from t where mode = 'nothing' and cast(mode as int) > 4;
-- expect: either
select id, s from t where true and low = 4;
-- expect: either
select id, s from t where false or low = 4;
-- expect: either
select id, s from t where case when low > 3 then mode = 'AIR' else f64 > 3d end;
-- expect: either
select id, s from t where cast(low as bigint) = 4L;
-- expect: either
select id, s from t where cast(low as string) = '4';
-- expect: either
select id, s from t where coalesce(rare, 3) = 3;
-- expect: either
select id, s from t where low = 4 = flag;
