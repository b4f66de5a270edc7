# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between Python and the extension, each with a way out."""

from __future__ import annotations


class LateBloomError(RuntimeError):
    """Base of all errors that LateBloom raises.

    Attributes:
        what: what is wrong.
        where: the place that was looked at: a path, a setting, a session.
        fix: what to do about it.
    """

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        super().__init__(f"{what}\n  where: {where}\n  to do: {fix}")
        self.what = what
        self.where = where
        self.fix = fix


class JarNotFoundError(LateBloomError):
    """The package carries no jar, or the JVM cannot load the classes in it."""


class ExtensionNotLoadedError(LateBloomError):
    """The session runs without LateBloom's extension."""


class ExtensionLoadedLateError(LateBloomError):
    """LateBloom was configured after the point where Spark reads static settings."""


class SparkVersionError(LateBloomError):
    """There is no jar for the Spark at hand, or the jar at hand is for another Spark."""


class ScalaVersionError(LateBloomError):
    """There is no jar for the Scala that the Spark at hand is built for."""


class UnsupportedSessionError(LateBloomError):
    """The session has no JVM of its own (Spark Connect), and the call needs one."""
