-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select id, i32 from t where s = '';
select id, s from t where mode = 'AIR';
select id, mode from t where mode = 'AIR ';
select id, mode from t where mode <> 'AIR' and low = 8;
select id, mode from t where mode < 'AIR';
select id, mode from t where mode >= 'TRUCK';
select id, mode from t where mode > 'TRUCK';
select id, mode from t where mode between 'M' and 'RB';
select id, s from t where s like 'pending%';
select id, s from t where s like '%foxes';
select id, s from t where s like '%slyly%';
select id, s from t where s like '%pending%foxes%slyly%';
select id, s from t where s like 'pending%foxes%';
select id, s from t where s like '%pending%foxes';
select id, s from t where s not like '%e%';
select id, mode from t where mode like 'A_R';
select id, mode from t where mode like '_';
select id, mode from t where mode like '____';
select id, mode from t where mode like 'M_LL';
select id, mode from t where mode like '%';
select id, mode from t where mode like '';
select id, mode from t where mode like 'AIR';
select id, mode from t where mode like '_%R%';
select id, mode from t where mode not like '%R%' and low = 2;
select id, s from t where s like '%100\\%%';
select id, s from t where s like '%under\\_s%';
select id, s from t where s like '%100!%%' escape '!';
select id, s from t where s like '%_🦊_%';
select id, s from t where s like '%北_%';
select id, s from t where s like '%%express%%';
select id, s from t where s like '%e__p%';
select id, s from t where startswith(s, 'über');
select id, s from t where endswith(s, '北京');
select id, s from t where contains(s, 'ß');
select id, s from t where contains(s, '') and low = 3;
select id, s from t where startswith(s, '') and low = 3;
select id, s from t where startswith(mode, 'R') and not endswith(mode, 'R');
select id, s from t where mode like 'R%' or mode like '%L' or mode is null;
select id, s from t where s like 'e%' and mode = 'RAIL';
select id, bin from t where bin = X'';
select id, bin from t where bin > X'7F';
select id, bin from t where bin >= X'80' and bin < X'9000';
select id, bin from t where bin = X'00' or bin is null;
-- expect: either
select id, s from t where s like null;
-- expect: either
select id, mode from t where s like mode;
-- expect: spark not-selective
select id, mode from t where upper(mode) = 'AIR';
-- expect: spark not-selective
select id, mode from t where length(s) > 100;
