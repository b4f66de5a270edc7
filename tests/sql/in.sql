-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select id, s from t where low in (3);
select id, s from t where low in (3, 5, 19);
select id, s from t where low in (3, 5, null);
select id, s from t where low not in (0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15);
-- expect: either
select id, s from t where low not in (3, null);
select id, s from t where i32 in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, -1, -2);
select id, s from t where i32 not in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181) and low = 1;
select id, i32 from t where mode in ('AIR', 'REG AIR');
select id, i32, mode from t where mode not in ('AIR', 'REG AIR', 'MAIL', 'SHIP', 'RAIL');
select id, i32 from t where mode in ('');
select id, i32 from t where mode in ('MÜLL', '🦊', 'AIR ');
select id, i32 from t where mode in ('a','b','c','d','e','f','g','h','i','j','k','l','m','AIR','FOB','nope','none');
select id, i32 from t where bin in (X'', X'00', X'FF');
select id, s from t where d in (date'1970-01-01', date'1970-01-31', date'1999-01-01');
select id, s from t where id in (0, 1, 599, 600, 2399, 5000);
-- expect: either
select id, s from t where rare in (1, 2) or rare is null and low = 2;
select id, s from t where flag in (true);
