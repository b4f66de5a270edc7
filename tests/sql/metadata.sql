-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select id, _metadata.row_index from t where low = 3;
select id, _metadata.row_index, s from t where id in (0, 699, 700, 1403, 2399);
select id, _metadata.file_name, _metadata.file_size, _metadata.file_block_start from t where low = 3;
select id, _metadata.file_name from t where low = 3 and _metadata.file_size > 10;
select id, input_file_name(), input_file_block_start() from t where low = 3;
select _metadata.row_index, count(*) from t where low = 3 and i32 > 0 group by 1;
select max(_metadata.row_index), min(_metadata.row_index) from t where flag;
-- expect: either
select id from t where _metadata.row_index = 17;
-- expect: either
select id, s from t where _metadata.row_index between 690 and 710 and low < 10;
-- expect: either
select * from t where _metadata.row_index < 3 or low = 4;
