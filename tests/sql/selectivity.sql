-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select * from t where id < 0;
select * from t where id = 17;
select * from t where id in (17, 1203, 1204, 2399);
select * from t where id % 2 = 0 and id < 20;
select * from t where id < 1200;
select * from t where id <> 17;
select * from t where id >= 0;
-- expect: spark not-selective
select * from t where id is not null;
select s from t where id = 17;
select s, mode, bin from t where id >= 698 and id <= 702;
select s from t where id >= 1 and id <> 3 and id <> 2398;
select id from t where id = 17;
select count(*) from t where id = 17;
select count(*) from t where id >= 0;
select count(*) from t where low = 3;
select 1 from t where low = 3;
select s from t where low <> 3;
select id, none_i, none_s, one from t where low = 3;
select * from t where low = 3 and i32 > 3000;
select * from t where mode = 'FOB' and flag;
