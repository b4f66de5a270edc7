-- SPDX-License-Identifier: Apache-2.0
-- tables: malformed_literals
select id, s from t where s = cast(X'FFFE' as string);
select id, s from t where contains(s, cast(X'C3' as string));
select id, s from t where endswith(s, cast(X'80' as string));
select id, s from t where s >= cast(X'ED' as string);
