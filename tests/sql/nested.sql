-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed
select id, st, arr, mp from t where low = 3;
select st from t where id = 1201;
select st.a from t where low = 3;
select st.b, arr[0] from t where low = 3 and size(arr) > 0;
select id, mp['AIR'] from t where mode = 'AIR';
select arr, mp from t where s like '%foxes%';
select st, arr, mp from t where id >= 0;
select st, arr, mp from t where id < 0;
select id, st from t where low = 3 and st is not null;
select id, st from t where low = 3 and st.a > 100;
select id, arr from t where low < 4 and arr is null;
select id, explode(arr) from t where low < 4;
select count(*), sum(size(arr)), sum(st.a) from t where flag and i32 > 0;
select id, arr, s from t where rare = 3;
select id, mp, none_s from t where runs = 3 and d > date'1970-01-10';
-- expect: either
select id, st from t where st.a = 100;
-- expect: either
select id, st from t where st.b = 'AIR' and st.a > 40;
-- expect: either
select id, st from t where st is null;
-- expect: either
select id from t where array_contains(arr, 100L);
