# SPDX-License-Identifier: Apache-2.0
"""Shared names: the extension's classes and Spark's settings for them."""

from __future__ import annotations

EXTENSION = "latebloom.LateBloomExtensions"
EXPLAINER = "latebloom.inspect.LateBloomExplain"
EXPLAINED = "Extended Information (LateBloom)"
INSPECTOR = "latebloom.inspect.Inspector"
REPORTS = "org.apache.spark.sql.latebloom.ui.QueryReports"
BUILT_FOR = "latebloom.BuiltFor"

EXTENSIONS_KEY = "spark.sql.extensions"
EXPLAINERS_KEY = "spark.sql.extendedExplainProviders"
JARS_KEY = "spark.jars"
ENABLED_KEY = "spark.latebloom.enabled"
CACHE_KEY = "spark.latebloom.cache.enabled"
STATISTICS_KEY = "spark.latebloom.statistics.enabled"
INDEX_KEY = "spark.latebloom.index.enabled"
INDEX_PATH_KEY = "spark.latebloom.index.path"

# With these, a query uses nothing that earlier ones have found.
NOTHING_REMEMBERED = {CACHE_KEY: "false", STATISTICS_KEY: "false"}


def split(value: str) -> list[str]:
    """The entries of one of Spark's comma-separated settings."""
    return [entry for part in value.split(",") if (entry := part.strip())]
