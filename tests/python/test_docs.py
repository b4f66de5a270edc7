# SPDX-License-Identifier: Apache-2.0
"""What the pages of the documentation show is what happens: each command is run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import _pages
import pytest
from latebloom import _jar, _versions

_ROOT = Path(__file__).parents[2]
_GUIDE = _ROOT / "docs" / "guide"
_DEPLOY = _ROOT / "docs" / "deploy"
# The first makes the tables that the others use.
_PAGES = [
    *(_GUIDE / name for name in ("getting-started.md", "reading.md", "tuning.md", "when.md")),
    *(_GUIDE / name for name in ("support.md", "semantics.md", "troubleshooting.md")),
    _DEPLOY / "local.md",
    _ROOT / "docs" / "notebooks" / "tour.ipynb",
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    import pyspark

    if not pyspark.__version__.startswith("4.1."):
        pytest.skip("the pages show what the default line of Spark prints")
    return _pages.run(_PAGES, tmp_path_factory.mktemp("docs"))


def test_all_pages_of_the_guide_are_run():
    assert {*_GUIDE.glob("*.md"), *_ROOT.glob("docs/notebooks/*")} <= set(_PAGES)


def test_pages_on_deployment_run_where_their_cluster_is():
    """The commands of standalone.md are run in tests/python/cluster."""
    elsewhere = {*_DEPLOY.glob("*.md")} - {*_PAGES, _DEPLOY / "standalone.md"}
    assert {page.name for page in elsewhere} == {"yarn.md", "kubernetes.md", "managed.md"}
    assert [block for page in elsewhere for block in _pages.blocks(page)] == []


def test_the_image_has_the_jar_of_its_spark():
    text = (_DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    of = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
    (jars,) = re.findall(r"^COPY (\S+) /opt/spark/jars/$", text, re.MULTILINE)
    build = _jar.build_of(jars.replace("${LATEBLOOM}", of["LATEBLOOM"]))
    spark, scala = re.match(r"([\d.]+)-scala([\d.]+)-java17-", of["SPARK"]).groups()
    assert build in _versions.BUILDS
    assert build.fits(spark, scala)


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_and_print_what_it_shows(page, told):
    expected = list(_pages.blocks(page))
    for block in told[page.name]:
        where = f"{block['where']}\n{block['text']}"
        assert block["error"] is None, where
        if block["shown"] is not None:
            assert _pages.matches(block["shown"], block["printed"]), (
                f"{where}\nprinted\n{block['printed']}\nand the page shows\n{block['shown']}"
            )
    assert len(told[page.name]) == len(expected)


@pytest.mark.parametrize(
    ("shown", "printed", "alike"),
    [
        ("12 rows in 1.5 s", "12 rows in 803 ms", True),
        ("12 rows in 1.5 s", "13 rows in 1.5 s", False),
        ("a  b\n-----  -", "a     b\n---  --", True),
        ("Scan …/t.parquet: applied", "Scan file:/x/t.parquet: applied", True),
        ("Scan …/t.parquet: applied", "Scan file:/x/t.parquet: declined", False),
        ("first\n…\nlast", "first\nand\nmore\nlast", True),
        ("first\n…\nlast", "first\nand\nmore", False),
        ("[id#1L]", "[id#77L]", True),
        ("pages read: 3", "pages read: 41", True),
        ("all", "all and more", False),
    ],
)
def test_a_text_is_as_shown_up_to_times_sizes_and_ids(shown, printed, alike):
    assert _pages.matches(shown, printed) == alike


def test_blocks_are_run_unless_a_comment_says_why_not(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n```python\nf()\n```\n\n```text\n1\n```\n<!-- not run: needs a cluster -->\n"
        "```console\n$ g\n```\n```console\n$ h \\\n  i\nshown\n$ j\n```\n```\nplain\n```\n"
        "```sql\nselect 1\n```\nin words\n```text\nnot its output\n```\n"
    )
    assert [(b.language, b.text, b.shown) for b in _pages.blocks(page)] == [
        ("python", "f()\n", "1\n"),
        ("console", "h \\\n  i\n", "shown\n"),
        ("console", "j\n", None),
        ("sql", "select 1\n", None),
    ]


def test_a_command_that_fails_or_prints_something_else_is_found(tmp_path):
    good, bad, other = (tmp_path / name for name in ("good.md", "bad.md", "other.md"))
    good.write_text("```python\nx = 20\nprint(x + 1)\n```\n\n```text\n21\n```\n")
    bad.write_text("```console\n$ false\n```\n```python\nnever = 1\n```\n")
    other.write_text("```python\nx\n```\n\n```text\n21\n```\n")
    told = _pages.run([good, bad, other], tmp_path)
    (ran,) = told["good.md"]
    assert ran["error"] is None and _pages.matches(ran["shown"], ran["printed"])
    (failed,) = told["bad.md"]
    assert "exit status 1" in failed["error"]
    (differs,) = told["other.md"]
    assert not _pages.matches(differs["shown"], differs["printed"])


def test_every_error_of_the_package_is_in_the_page_on_troubles():
    page = re.sub(r"\s+", " ", (_GUIDE / "troubleshooting.md").read_text(encoding="utf-8"))
    raised = re.compile(
        r"raise (?:LateBloom|Jar|Extension|Spark|Scala|Unsupported)\w*Error\(\s*f?\"([^\n\"]*)"
    )
    said = [
        (source.name, match[1])
        for source in sorted((_ROOT / "python" / "latebloom").glob("*.py"))
        for match in raised.finditer(source.read_text(encoding="utf-8"))
    ]
    assert len(said) > 20
    missing = [
        (name, text)
        for name, text in said
        # The longest piece of the message between its values.
        if max(re.split(r"\{[^}]*\}|, ", text), key=len).strip(" :") not in page
    ]
    assert not missing


def test_the_site_is_built_and_fetches_nothing():
    subprocess.run([_ROOT / "dev" / "docs"], check=True, capture_output=True, text=True)
    home = (_ROOT / ".cache" / "site" / "index.html").read_text(encoding="utf-8")
    assert "LateBloom" in home
    assert not re.search(r"<(?:script|link|img)[^>]+(?:src|href)=\"https?://", home)
