# SPDX-License-Identifier: Apache-2.0
"""Servers of Spark that tests start and ask as clients."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from latebloom import _versions

HOME = _versions.spark_installation().home
# Seconds, of a busy machine.
PATIENCE = 120


class Server:
    """A server as ``spark-submit`` starts it.

    Args:
        main: the class of the server.
        port: the Spark setting that takes the port it listens to.
        folder: where it runs, with its log and its warehouse.
        options: more options of spark-submit.
    """

    def __init__(self, main: str, port: str, folder: Path, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._log = folder / "server.log"
        command = [
            str(HOME / "bin" / "spark-submit"),
            *("--class", main, "--master", "local[2]", "--driver-memory", "1g", *options),
            *("--conf", f"{port}={self.port}"),
            *("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.ui.enabled=false"),
            *("--conf", f"spark.sql.warehouse.dir={folder}/warehouse"),
            *("--conf", "spark.sql.shuffle.partitions=2"),
            *("--conf", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1"),
        ]
        with self._log.open("w") as out:
            self._process = subprocess.Popen(
                command,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment(),
                cwd=folder,
                start_new_session=True,
            )

    def await_answer(self) -> Server:
        """Returns once clients can connect."""
        until = time.monotonic() + PATIENCE
        while not _answers(self.port):
            assert self._process.poll() is None, self.log()[-2000:]
            assert time.monotonic() < until, self.log()[-2000:]
            time.sleep(0.2)
        return self

    def log(self) -> str:
        return self._log.read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)


def without_spark() -> dict[str, str]:
    """The environment without what this process has set for its own Spark."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_", "SPARK_"))}


def environment() -> dict[str, str]:
    """That of Spark's programs here."""
    return {**without_spark(), "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1"}


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
