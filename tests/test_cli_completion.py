"""Shell completion, asked for in a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import STEERED, unbudged, write

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this system")
#: what a person puts into .bashrc, then what the Tab key makes bash do
ASK = """
eval "$(_UNBUDGED_COMPLETE=bash_source unbudged)"
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
handler=$(complete -p unbudged | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$handler unbudged "${{COMP_WORDS[COMP_CWORD]}}" "" 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def complete(words: str, cwd: Path) -> list[str]:
    folder = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK.format(words=words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("unbudged co", {"compare", "corpus"}),
        ("unbudged run --max", {"--max-calls", "--max-findings"}),
        ("unbudged run x.py --family enc", {"encoding"}),
        ("unbudged run x.py --corpus extended --family verb", {"verbosity"}),
        ("unbudged run x.py --attack role.admin", {"role.administrator"}),
        ("unbudged run x.py --corpus ext", {"extended"}),
        ("unbudged run x.py --direction u", {"up"}),
        ("unbudged corpus show override.full", {"override.full_marks"}),
    ],
)
def test_bash_is_offered_what_may_follow(tmp_path, words, offered):
    assert set(complete(words, tmp_path)) == offered


def test_the_findings_of_the_report_named_are_offered(tmp_path):
    write(tmp_path, STEERED)
    unbudged("run", "grader.py", "--save", "r.json", cwd=tmp_path)
    found = complete("unbudged show r.json override.f", tmp_path)
    assert found == ["override.full_marks"]
    assert complete("unbudged show none.json ov", tmp_path) == []


def test_asking_for_the_script_is_no_error(tmp_path):
    script = Path(sys.executable).with_name("unbudged")
    for shell in ("bash", "zsh", "fish"):
        done = subprocess.run(
            [script, "run"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "_UNBUDGED_COMPLETE": f"{shell}_source"},
        )
        assert done.returncode == 0, done.stderr
        assert "_UNBUDGED_COMPLETE" in done.stdout
