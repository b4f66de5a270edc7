# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom_bench import _jvm


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_bytes_of_shuffles_are_counted_in_stages_too(spark, adaptive):
    key = "spark.sql.adaptive.enabled"
    spark.conf.set(key, adaptive)
    try:
        shuffled, single = spark.range(1000).repartition(2), spark.range(10)
        shuffled.collect()
        single.collect()
        assert _jvm.shuffled(shuffled) > 1000
        assert _jvm.shuffled(single) == 0
    finally:
        spark.conf.unset(key)


def test_the_session_has_a_process(spark):
    assert _jvm.process_id(spark) > 1
