# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib
import subprocess
import sys

import latebloom
import pytest
from latebloom import _local

# Sessions of the command line have a process of their own: this one's runs already.
SESSION = """
import signal, sys
from latebloom import _local

mine = lambda *_: None
signal.signal(signal.SIGINT, mine)
with _local.local_session(
    "test", master="local[1]", memory="512m", confs={"spark.sql.shuffle.partitions": "3"},
    latebloom=sys.argv[1] == "with",
) as spark:
    of = lambda key: spark.conf.get(key, "none")
    print(of("spark.app.name"), of("spark.sql.shuffle.partitions"), of("spark.driver.memory"))
    print(of("spark.driver.bindAddress"), of("spark.ui.enabled"), spark.sparkContext.uiWebUrl)
    print(of("spark.sql.extensions"))
    _local.parquet_view(spark, "o", sys.argv[2])
    print(spark.sql("select count(*) from o where id < 9").head()[0])
    stopped = spark.sparkContext
print(stopped._jsc is None, signal.getsignal(signal.SIGINT) is mine)
"""


@pytest.mark.parametrize(
    ("wanted", "extensions"), [("with", "latebloom.LateBloomExtensions"), ("without", "none")]
)
def test_a_session_is_quiet_closed_to_others_and_gone_after_the_block(orders, wanted, extensions):
    done = subprocess.run(
        [sys.executable, "-c", SESSION, wanted, str(orders)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "latebloom test 3 512m",
        "127.0.0.1 false None",
        extensions,
        "9",
        "True True",
    ]


@pytest.mark.parametrize(
    ("files", "path", "source"),
    [
        (["t.parquet"], "t.parquet", "parquet"),
        (["t.orc"], "t.orc", "orc"),
        (["t.csv"], "t.csv", "csv"),
        (["t.json"], "t.json", "json"),
        (["t/day=1/part-0.orc"], "t", "orc"),
        (["t/part-0.csv"], "t", "csv"),
        (["t/part-0.parquet", "t/schema.json"], "t", "parquet"),
        (["t/part-0.parquet", "t/_delta_log/0.json"], "t", "delta"),
        (["t/data/part-0.orc", "t/metadata/v1.metadata.json"], "t", "iceberg"),
        (["t/0001"], "t", "parquet"),
        ([], "nowhere", "parquet"),
    ],
)
def test_a_path_says_what_a_view_of_it_is(tmp_path, files, path, source):
    for name in files:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert _local._source(str(tmp_path / path)) == source


def test_without_pyspark_the_error_says_what_to_install(monkeypatch):
    # An import that fails half-way would leave half of pyspark to the tests after this one.
    importlib.import_module("pyspark.sql")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with (
        pytest.raises(latebloom.LateBloomError, match=r"pip install 'latebloom\[spark\]'"),
        _local.local_session("test"),
    ):
        pass
