# SPDX-License-Identifier: Apache-2.0
"""The jar that travels inside this package."""

from __future__ import annotations

from pathlib import Path

from latebloom._errors import JarNotFoundError
from latebloom._versions import SCALA, SPARK

JAR_PREFIX = f"latebloom-spark-{SPARK}_"
_JARS = Path(__file__).parent / "jars"


def jar_path() -> Path:
    """The extension's jar, as a value for ``spark.jars`` or ``spark-submit --jars``.

    Raises:
        JarNotFoundError: the package was installed from a checkout whose jar was not built.
    """
    found = sorted(_JARS.glob(f"{JAR_PREFIX}{SCALA}-*.jar"))
    if not found:
        raise JarNotFoundError(
            "LateBloom's jar is missing from the Python package",
            where=str(_JARS),
            fix="in a checkout run ./dev/sbt package, else install a latebloom wheel",
        )
    return found[-1]
