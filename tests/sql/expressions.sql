-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
-- Conditions without a kernel: on one column, on several, and OR across columns.
select id, mode from t where substring(mode, 1, 2) = 'AI';
select id, mode from t where upper(mode) in ('AIR', 'MÜLL') and low < 9;
select * from t where length(s) = 7;
select id, s from t where length(trim(s)) > 12 and flag;
select id, s from t where s rlike '^p.*g$';
select id, s from t where replace(s, 'e', 'é') like '%é%';
select id, s from t where s ilike '%PEND%';
select id, s from t where coalesce(s, 'none') = 'none';
select id, mode from t where case when mode = 'AIR' then 1 when mode is null then 2 else 3 end = 2;
select id, low from t where low & 3 = 2;
select id, low from t where low % 7 = 3;
select id, d from t where year(d) = 1970 and month(d) = 1;
select id, ts from t where hour(ts) between 3 and 5;
select id, f64 from t where abs(f64) < 1;
select id, dec9 from t where dec9 * 2 > 99;
select id, dec38 from t where dec38 + 1 > 2;
select id, bin from t where hex(bin) like '8%';
select id, i8 from t where i8 + i16 > 200;
select * from t where i32 > low;
select id from t where i32 > low and low = 3;
select id, s, mode from t where s > mode;
select id, d, ts from t where d > cast(ts as date);
select count(*) from t where f64 > f32;
select id, low, mode from t where low = 3 or mode = 'AIR';
select id, low, mode from t where low = 3 or mode is null or i32 < -4900;
select * from t where (low = 3 and mode = 'AIR') or (low = 4 and mode = 'MAIL') or s = 'pending';
select id from t where (low in (1, 2) or mode in ('AIR', 'RAIL')) and (i32 > 0 or f64 < 0);
select id from t where not (low = 3 and mode = 'AIR');
select id from t where not (low = 3 or mode = 'AIR') and sorted < 3;
select id, none_i, none_s from t where none_i is null or none_s = 'x';
select id, none_i from t where none_i > 3 or low = 2;
select id, low from t where nvl(none_i, low) = 2;
select id, low from t where low in (1, 2) and cast(low as string) = '2';
select id, mode from t where low > 0 and 100 / low > 30;
-- expect: either
select id from t where i32 + low > 3 or rand(1) < 2;
select id from t where mode like any ('q\\') or low > 0;
select id from t where nvl(mode, 'none') = 'none' and (mode like any ('q\\') or low > 0);
