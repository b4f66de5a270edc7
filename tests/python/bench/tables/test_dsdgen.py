# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from latebloom_bench.tables import _dsdgen

# Stands in for the DuckDB that has the tpcds extension, which is installed apart on first use.
DUCKDB = """
import json, os, pathlib

class Answer:
    def __init__(self, rows): self.rows = rows
    def fetchall(self): return self.rows

class Database:
    def __init__(self, file): self.folder, self.said = pathlib.Path(file).parent, []
    def execute(self, sql):
        self.said.append(sql)
        pathlib.Path(os.environ["SAID"]).write_text(json.dumps([str(self.folder), self.said]))
        if "tpcds_queries" in sql: return Answer([(1, "select 'é'")])
        if sql == "show tables": return Answer([("item",), ("store",)])
        return Answer([])

def connect(file, config): return Database(file)
"""


@pytest.fixture
def program(tmp_path):
    """Runs the program as ``_tpcds`` does; gives the database's folder and what it was told."""
    beside = tmp_path / "beside"
    (beside / "duckdb_extension_tpcds" / "v1").mkdir(parents=True)
    (beside / "duckdb.py").write_text(DUCKDB)
    (beside / "duckdb_extension_tpcds" / "__init__.py").touch()
    (beside / "duckdb_extension_tpcds" / "v1" / "tpcds.duckdb_extension").touch()
    said = tmp_path / "said.json"

    def run(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(beside), "SAID": str(said)}
        command = [sys.executable, _dsdgen.__file__, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(said.read_text())

    return run


def test_queries_are_written_as_json(program, tmp_path):
    _, said = program("queries", str(tmp_path / "q.json"))
    assert json.loads((tmp_path / "q.json").read_text("utf-8")) == [[1, "select 'é'"]]
    assert said[0].startswith("load '") and said[0].endswith("v1/tpcds.duckdb_extension'")


def test_each_table_is_written_as_parquet_of_the_scale_asked_for(program, tmp_path):
    target = tmp_path / "tables"
    _, said = program("tables", str(target), "0.5")
    assert said[1:] == [
        "call dsdgen(sf = 0.5)",
        "show tables",
        f"copy item to '{target}/item.parquet' (row_group_size 500_000)",
        f"copy store to '{target}/store.parquet' (row_group_size 500_000)",
    ]


def test_the_database_lies_beside_the_tables_and_goes_when_they_are_there(program, tmp_path):
    (tmp_path / "out").mkdir()
    folder, _ = program("tables", str(tmp_path / "out" / "tables"), "1")
    assert folder.startswith(str(tmp_path / "out")) and not os.path.exists(folder)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["tables"]
