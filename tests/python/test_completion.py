# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from latebloom import __main__ as cli
from latebloom import _completion

# What readline does for TAB: the function that is registered for the command fills COMPREPLY.
_TAB = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
COMPREPLY=()
function=$(complete -p latebloom | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" latebloom "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""

# zsh completes at a terminal only: types the words and a TAB there, and waits for what it offers.
_ZSH_TAB = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=(${1:h} \\$fpath); autoload -Uz compinit; compinit -u -d ${1:h}/dump; PS1="
zpty -w shell "print read''y"
zpty -r -m shell seen $'*ready\\r*'
zpty -w -n shell "$2"$'\\t'
zpty -r -m shell seen "*$2*${~3}*"
"""


@pytest.fixture
def script(tmp_path, capsys):
    def of(shell):
        assert cli.main(["completion", shell]) == 0
        file = tmp_path / f"latebloom.{shell}"
        file.write_text(capsys.readouterr().out)
        return file

    return of


@pytest.fixture
def completed(script, tmp_path):
    """What bash offers for the last of some words."""

    def after(*words):
        done = subprocess.run(
            ["bash", "-c", _TAB, "bash", str(script("bash")), "latebloom", *words],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert done.stderr == ""
        return {line.strip() for line in done.stdout.splitlines() if line.strip()}

    return after


def test_bash_completes_commands_options_and_choices(completed):
    commands = completed("")
    assert {"profile", "whynot", "advise", "compare", "completion", "doctor"} <= commands
    assert completed("co") == {"compare", "confs", "completion"}
    assert {"--view", "--json", "--event-log"} <= completed("profile", "--")
    assert completed("profile", "--ev") == {"--event-log"}
    assert "--event-log" not in completed("whynot", "--")
    assert completed("completion", "") >= set(_completion.SHELLS)
    assert completed("completion", "z") == {"zsh"}


def test_bash_completes_paths_where_a_path_is_asked_for(completed, tmp_path):
    (tmp_path / "app-1.log").touch()
    assert "app-1.log" in completed("profile", "--event-log", "app")
    assert "app-1.log" not in completed("profile", "--execution-id", "app")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("co", {"compare", "confs", "completion"}),
        ("profile --ev", {"--event-log"}),
        ("whynot --ev", set()),
        ("completion z", {"zsh"}),
        ("profile --event-log app", {"app-1.log"}),
        ("profile --execution-id app", set()),
    ],
)
def test_fish_completes_words(script, tmp_path, words, offered):
    (tmp_path / "app-1.log").touch()
    done = subprocess.run(
        ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]"]
        + [str(script("fish")), f"latebloom {words}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert {line.split("\t")[0] for line in done.stdout.splitlines()} == offered


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("co", "compare*completion*confs"),
        # The end of a word alone may be added.
        ("profile --ev", "ent-log"),
        ("completion ", "bash*fish*zsh"),
        ("profile --event-log app", "-1.log"),
    ],
)
def test_zsh_completes_words(script, tmp_path, words, offered):
    (tmp_path / "app-1.log").touch()
    file = script("zsh").rename(tmp_path / "_latebloom")
    subprocess.run(
        ["zsh", "-f", "-c", _ZSH_TAB, "zsh", file, f"latebloom {words}", offered],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        timeout=30,
    )


@pytest.mark.parametrize("shell", _completion.SHELLS)
def test_a_shell_reads_its_script(script, shell):
    file = script(shell)
    assert "latebloom" in file.read_text()
    if shutil.which(shell):
        subprocess.run([shell, "-n", file], check=True, capture_output=True)


def test_without_shtab_the_error_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert "pip install 'latebloom[cli]'" in capsys.readouterr().err


def test_another_shell_is_refused_with_those_there_are(capsys):
    with pytest.raises(SystemExit):
        cli.main(["completion", "tcsh"])
    said = capsys.readouterr().err
    assert all(shell in said for shell in _completion.SHELLS)
