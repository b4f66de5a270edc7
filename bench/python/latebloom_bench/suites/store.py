# SPDX-License-Identifier: Apache-2.0
"""Selective queries and the worst cases behind the latency and throughput of an object store."""

from __future__ import annotations

from dataclasses import replace

from latebloom._data import Tpch

from latebloom_bench._suite import Suite, Variant
from latebloom_bench.suites.scan import STRETCH, TABLES
from latebloom_bench.tables import _lineitem
from latebloom_bench.tables._generated import Several

# The approximate throughput of one stream of an object store.
_BYTES_PER_SECOND = str(90 * 2**20)


def _variant(latency: int) -> Variant:
    limit = {"fs.slow.bytesPerSecond": _BYTES_PER_SECOND} if latency else {}
    confs = {"fs.slow.latencyMs": str(latency), **limit}
    return Variant(f"{latency} ms", scheme="slow", confs=confs)


SUITE = Suite(
    "store",
    "Local files behind a file system that adds latency to each request, limits each stream to "
    "90 MiB/s (not at 0 ms), and counts requests and bytes.",
    (
        *map(
            _lineitem.on_lineitem,
            (
                *(_lineitem.LIKE, _lineitem.PARTKEY, _lineitem.DICTIONARY, _lineitem.QUANTITY),
                *(
                    _lineitem.Q6,
                    _lineitem.NO_FILTER,
                    _lineitem.KEEPS_ALL,
                    _lineitem.KEEPS_ALL_UNPROVEN,
                ),
            ),
        ),
        replace(STRETCH, at_least=3),
    ),
    Several((Tpch("128MB"), TABLES)),
    scale=1,
    variants=tuple(map(_variant, (0, 2, 20, 100))),
    confs={
        "spark.hadoop.fs.slow.impl": "latebloom.testkit.SlowFileSystem",
        # An instance keeps its initial latency.
        "spark.hadoop.fs.slow.impl.disable.cache": "true",
    },
    needs_testkit=True,
)
