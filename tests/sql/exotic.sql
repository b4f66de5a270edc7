-- SPDX-License-Identifier: Apache-2.0
-- tables: exotic
select * from t where id < 9;
select * from t where u8 = 255;
select id, u8, u16 from t where u8 > 127;
select id, u16 from t where u16 >= 32768;
select id, u32 from t where u32 = 4294967295;
select id, u32, dec19 from t where u32 > 2147483647;
select id, u64 from t where u64 = 18446744073709551615;
select id, u64 from t where u64 > 7;
select id, u64, cat from t where u64 in (0, 9223372036854775808);
select id, ms, ms_ntz from t where ms > timestamp'1970-01-05 00:00:00 UTC';
select id, ms from t where ms < timestamp'1969-12-25 00:00:00 UTC';
select id, ms_ntz from t where ms_ntz > timestamp_ntz'1970-01-05 00:00:00';
select id, dec1 from t where dec1 = 9;
select id, dec10 from t where dec10 < 0;
select id, dec10 from t where dec10 = 0.9999999999;
select id, dec19 from t where dec19 > 1000;
select id, dec19 from t where dec19 = 9999999999999999999;
select id, dec25 from t where dec25 <= -0.00000000000000005;
select id, dec25 from t where dec25 between 0 and 0.00000000000000005;
select id, fixed from t where fixed = X'6161616161';
select id, fixed, cat from t where fixed > X'7A';
select id, cat, dec25 from t where cat = 'AIR';
select id, cat from t where cat like 'R%' and u8 = 255;
select id, fixed from t where fixed is null and cat is not null;
select id, u8, u16, u32, u64, ms, dec25 from t where cat is null;
