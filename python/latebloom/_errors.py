# SPDX-License-Identifier: Apache-2.0
"""Errors between Python and the extension, each with a fix."""

from __future__ import annotations


class LateBloomError(RuntimeError):
    """Base of all errors that LateBloom raises.

    Attributes:
        what: the fault.
        where: its place: a path, a setting, a session.
        fix: how to fix it.
    """

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        super().__init__(f"{what}\n  where: {where}\n  to do: {fix}")
        self.what = what
        self.where = where
        self.fix = fix


class JarNotFoundError(LateBloomError):
    """The package has no jar, or the JVM cannot load its classes."""


class ExtensionNotLoadedError(LateBloomError):
    """The session runs without LateBloom's extension."""


class ExtensionLoadedLateError(LateBloomError):
    """LateBloom was configured after the point where Spark reads static settings."""


class SparkVersionError(LateBloomError):
    """There is no jar for the Spark at hand, or the jar at hand is for another Spark."""


class ScalaVersionError(LateBloomError):
    """There is no jar for the Scala that the Spark at hand is built for."""


class UnsupportedSessionError(LateBloomError):
    """The session is neither of a local JVM nor of Spark Connect, or cannot be configured."""
