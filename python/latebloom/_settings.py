# SPDX-License-Identifier: Apache-2.0
"""The settings that Spark would find if started from here."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from latebloom._names import JARS_KEY
from latebloom._versions import spark_home


@dataclass(frozen=True)
class Settings:
    """Settings from outside the builder.

    ``below`` loses to the builder (``spark-defaults.conf``), ``above`` wins over it when the JVM
    starts (``PYSPARK_SUBMIT_ARGS``).
    """

    below: Mapping[str, str] = field(default_factory=dict)
    above: Mapping[str, str] = field(default_factory=dict)


def outside_settings() -> Settings:
    """Reads ``spark-defaults.conf`` and ``PYSPARK_SUBMIT_ARGS`` as spark-submit would."""
    above, properties_file = _submit_arguments(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    defaults = Path(properties_file) if properties_file else _defaults_file()
    below = _properties(defaults) if defaults is not None and defaults.is_file() else {}
    return Settings(below, above)


def _defaults_file() -> Path | None:
    directory = os.environ.get("SPARK_CONF_DIR")
    if directory:
        return Path(directory) / "spark-defaults.conf"
    home = spark_home()
    return home / "conf" / "spark-defaults.conf" if home else None


def _properties(path: Path) -> dict[str, str]:
    found = {}
    for raw in path.read_text(encoding="utf-8").splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        cut = next((i for i, c in enumerate(line) if c in "=: \t"), len(line))
        key, value = line[:cut], line[cut:].lstrip(" \t").removeprefix("=").removeprefix(":")
        if key.startswith("spark."):
            found[key] = value.strip()
    return found


def _submit_arguments(text: str) -> tuple[dict[str, str], str | None]:
    found: dict[str, str] = {}
    properties_file = None
    words = iter(shlex.split(text))
    for word in words:
        name, joined, value = word.partition("=")
        if name in ("--conf", "-c"):
            key, _, value = (value if joined else next(words, "")).partition("=")
            found[key] = value
        elif name == "--jars":
            found[JARS_KEY] = value if joined else next(words, "")
        elif name == "--properties-file":
            properties_file = value if joined else next(words, None)
    return found, properties_file
