-- SPDX-License-Identifier: Apache-2.0
-- tables: text
select * from t where s = '';
select id, s, bin from t where bin = X'80';
select id, s, bin from t where s > 'a';
select id, s from t where s < 'b' and id > 100;
select id, s from t where s like 'a%';
select id, s from t where s like '%é';
select id, s from t where s like '_';
select id, s from t where s like '__';
select id, s from t where s like '%_';
select id, s from t where s like '_a%';
select id, s from t where s like '%a_';
select id, s from t where s like '%a_%';
select id, s from t where s like '%\\%%';
select id, s from t where s like '%\\_';
select id, s from t where startswith(s, 'é');
select id, s from t where s in ('%', '_', '', 'é', 'aé');
select id, s from t where s not in ('%', '_', '');
select id, bin from t where bin between X'61' and X'80';
select s, count(*) from t where id < 700 group by s;
select id, s from t where s = cast(X'FFFE' as string);
select id, s from t where contains(s, cast(X'C3' as string));
select id, s from t where endswith(s, cast(X'80' as string));
select id, s from t where s >= cast(X'ED' as string);
