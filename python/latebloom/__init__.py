# SPDX-License-Identifier: Apache-2.0
"""LateBloom for Apache Spark: attach it, switch it, and see what it did.

    import latebloom
    from pyspark.sql import SparkSession

    spark = latebloom.configure(SparkSession.builder).getOrCreate()
    print(latebloom.explain(spark.read.parquet("lineitem.parquet").where("l_partkey < 100")))

Importing this package imports neither pyspark nor starts a JVM.
"""

from __future__ import annotations

from latebloom import index
from latebloom._advise import Advice, Advices, Finding, advise
from latebloom._cache import Cache, cache
from latebloom._compare import Comparison, ScanMetrics, Times, compare
from latebloom._configure import configure
from latebloom._confs import Conf, Confs, confs
from latebloom._digest import Digest
from latebloom._errors import (
    ExtensionLoadedLateError,
    ExtensionNotLoadedError,
    JarNotFoundError,
    LateBloomError,
    ScalaVersionError,
    SparkVersionError,
    UnsupportedSessionError,
)
from latebloom._explain import Explanation, Join, Order, Residual, Scan, explain
from latebloom._jar import jar_path
from latebloom._profile import Profile, profile
from latebloom._scanned import Column, Metric, ScanProfile, Step, Visits
from latebloom._session import disabled, enabled
from latebloom._whynot import Cause, WhyNot, whynot

# The only place for the version of the packages and, with .devN as -SNAPSHOT, of the jar.
__version__ = "0.1.0.dev0"

__all__ = [
    "Advice",
    "Advices",
    "Cache",
    "Cause",
    "Column",
    "Comparison",
    "Conf",
    "Confs",
    "Digest",
    "Explanation",
    "ExtensionLoadedLateError",
    "ExtensionNotLoadedError",
    "Finding",
    "JarNotFoundError",
    "Join",
    "LateBloomError",
    "Metric",
    "Order",
    "Profile",
    "Residual",
    "ScalaVersionError",
    "Scan",
    "ScanMetrics",
    "ScanProfile",
    "SparkVersionError",
    "Step",
    "Times",
    "UnsupportedSessionError",
    "Visits",
    "WhyNot",
    "__version__",
    "advise",
    "cache",
    "compare",
    "configure",
    "confs",
    "disabled",
    "enabled",
    "explain",
    "index",
    "jar_path",
    "profile",
    "whynot",
]
