# SPDX-License-Identifier: Apache-2.0
"""The commands of the documentation's pages, and how they are run.

Every block of Python, SQL or a console is run, in the order of its page, unless a comment above it says why not
(``<!-- not run: … -->``). A block of text right below one is what it prints, a console block has that in
itself. ``…`` stands for whatever is left out, at the end of a line or in a line of its own.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^```(?P<language>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: .+ -->\n+\Z")
# With lines that end in a backslash, and a document that ends at PY.
_COMMAND = re.compile(r".*<<'PY'\n(?s:.*?)^PY\n|(?:.*\\\n)*.*\n?", re.MULTILINE)
_RUN = ("python", "sql", "console")

# What differs from run to run: times, bytes, ratios, ids, and counts of pages and requests, which follow from times.
_VARIES = re.compile(r"\d[\d,.]* ?(ns|ms|s|B|kB|MB|GB)\b|\d+\.\d+x|#\d+L?|(?<=: )\d[\d,]*$")
_RULE = re.compile(r"[- ]+")


@dataclass(frozen=True)
class Block:
    """A block that is run.

    Attributes:
        where: the page and the number of the block's first line.
        language: ``python``, ``sql`` or ``console``.
        text: the commands.
        shown: what the page says that they print; None if it does not say.
    """

    where: str
    language: str
    text: str
    shown: str | None


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page or a notebook that are run, in their order."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        yield from _cells(page, json.loads(text))
        return
    fences = list(_FENCE.finditer(text))
    for fence, following in zip(fences, [*fences[1:], None]):
        if fence["language"] not in _RUN or _NOT_RUN.search(text[: fence.start()]):
            continue
        where = f"{page.name}:{text.count(chr(10), 0, fence.start()) + 1}"
        if fence["language"] == "console":
            yield from _commands(where, fence["text"])
            continue
        shown = None
        if following is not None and following["language"] == "text":
            between = text[fence.end() : following.start()]
            shown = following["text"] if not between.strip() else None
        yield Block(where, fence["language"], fence["text"], shown)


def _cells(page: Path, notebook: dict[str, Any]) -> Iterator[Block]:
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "code":
            shown = "".join(
                "".join(out.get("text") or out.get("data", {}).get("text/plain", ""))
                for out in cell["outputs"]
            )
            yield Block(f"{page.name}:cell {number}", "python", "".join(cell["source"]), shown)


def _commands(where: str, text: str) -> Iterator[Block]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command = _COMMAND.match(part)
        assert command is not None
        yield Block(where, "console", command[0], part[command.end() :] or None)


def matches(shown: str, printed: str) -> bool:
    """Whether a text is as the page shows it, up to times, sizes and ids."""
    pieces = [re.escape(_plain(piece)) for piece in shown.split("…")]
    return re.fullmatch(r".*?".join(pieces), _plain(printed), re.DOTALL) is not None


def _plain(text: str) -> str:
    """The text without what varies, nor the widths of columns, which follow from that."""
    lines = [" ".join(_VARIES.sub("#", line.strip()).split()) for line in text.splitlines()]
    return "\n".join("-" if _RULE.fullmatch(line) else line for line in lines if line)


def run(pages: list[Path], directory: Path) -> dict[str, list[dict[str, Any]]]:
    """Runs the blocks of the pages in a process of their own, in a directory that they may write to.

    They run in its folder ``work``, which may already have files that they need.

    Returns for each page its blocks, as dicts, each with ``printed``, ``seconds`` and ``error``, which is None if it
    ran.
    A block that fails ends its page.
    """
    report = directory / "report.json"
    environment = {
        **{
            k: v for k, v in os.environ.items() if k != "SPARK_HOME" and not k.startswith("PYSPARK")
        },
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(directory),
        # pyspark 4.3 warns of each pandas that is newer than it.
        "PYTHONWARNINGS": "ignore::FutureWarning",
        # Most of the time goes into starting JVMs: five short ones need no second compiler.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    directory.joinpath("spark-defaults.conf").write_text(_DEFAULTS, encoding="utf-8")
    work = directory / "work"
    work.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, __file__, str(report), *map(str, pages)],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise RuntimeError(f"the pages were not run\n{done.stderr[-3000:]}")
    return dict(json.loads(report.read_text(encoding="utf-8")))


_DEFAULTS = """
spark.master                  local[2]
spark.driver.memory           1g
spark.driver.host             127.0.0.1
spark.driver.bindAddress      127.0.0.1
spark.ui.enabled              false
spark.ui.showConsoleProgress  false
spark.sql.shuffle.partitions  2
"""


def _main(report: Path, pages: list[Path]) -> None:
    # One session and one namespace, as for a reader who goes from page to page.
    namespace: dict[str, Any] = {"__name__": "__main__"}
    told = {page.name: list(_run_page(page, namespace)) for page in pages}
    report.write_text(json.dumps(told), encoding="utf-8")


def _run_page(page: Path, namespace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for block in blocks(page):
        out = io.StringIO()
        error = None
        start = time.monotonic()
        try:
            with contextlib.redirect_stdout(out):
                _RUNNERS[block.language](block.text, namespace)
        except Exception:  # noqa: BLE001 - the report has it
            error = traceback.format_exc()
        seconds = time.monotonic() - start
        yield {**asdict(block), "printed": out.getvalue(), "error": error, "seconds": seconds}
        if error is not None:
            return


def _python(text: str, namespace: dict[str, Any]) -> None:
    """Runs a block; the value of its last expression is printed, as a notebook does."""
    parsed = ast.parse(text)
    last = parsed.body.pop() if parsed.body and isinstance(parsed.body[-1], ast.Expr) else None
    exec(compile(parsed, "<page>", "exec"), namespace)  # noqa: S102 - it is our own page
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "<page>", "eval"), namespace)
        if value is not None:
            print(value)


def _sql(text: str, namespace: dict[str, Any]) -> None:
    """Runs the statements as spark-sql does."""
    from pyspark.sql import SparkSession

    spark = namespace.get("spark") or SparkSession.active()
    for statement in filter(str.strip, re.split(r";\s*$", text, flags=re.MULTILINE)):
        for row in spark.sql(statement).collect():
            print("\t".join(map(str, row)))


def _console(text: str, _: dict[str, Any]) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    print(done.stdout, end="")
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}\n{done.stderr[-3000:]}")


_RUNNERS = {"python": _python, "sql": _sql, "console": _console}


if __name__ == "__main__":
    _main(Path(sys.argv[1]), list(map(Path, sys.argv[2:])))
