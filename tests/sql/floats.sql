-- SPDX-License-Identifier: Apache-2.0
-- tables: mixed flat
select id, f64, f32 from t where f64 = double('NaN');
select id, f64 from t where f64 <> double('NaN') and low = 2;
select id, f64, s from t where f64 >= double('NaN');
select id, f64, s from t where f64 > double('infinity');
select id, f64, s from t where f64 = double('-infinity');
select id, f64, s from t where f64 = 0.0d;
select id, f64, s from t where f64 = -0.0d;
select id, f64, s from t where f64 < 0.0d and f64 > -20d;
select id, f64, s from t where f64 >= -0.0d and f64 < 30d;
select id, f64, s from t where f64 in (0.0d, 1.5d);
select id, f64, s from t where f64 in (-0.0d, double('NaN'), 1.5d);
select id, f64, s from t where f64 not in (double('NaN'), 0.0d) and low = 5;
select id, f64, s from t where f64 <=> double('NaN');
select id, f64, s from t where f64 between -1.5d and 1.5d;
select id, f64, s from t where not (f64 > 3d);
select id, f64, s from t where not (f64 <= 450d);
select id, f32, s from t where f32 = float('NaN');
select id, f32, s from t where f32 <= float('-infinity');
select id, f32, s from t where f32 = float('-0.0');
select id, f32, s from t where f32 <> float('0.0') and low = 1;
select id, f32, s from t where f32 > float('480');
select id, f32, s from t where f32 in (float('1.5'), float('NaN'), float('0'));
select id, f32, s from t where not (f32 < float('480'));
-- expect: either
select id, f32, s from t where isnan(f32);
-- expect: either
select id, f32, s from t where f32 > 480.0d;
