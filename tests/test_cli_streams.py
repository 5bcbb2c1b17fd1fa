"""Streams that are closed, full or without a reader change neither result nor exit code."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import textwrap

import pytest

MODULE = [sys.executable, "-m", "unbudged.cli"]
HELD = """
    import sys
    print("loading")
    baselines = ["A short answer.", "Another, longer answer that says more."]
    def target(text):
        print("scoring", flush=True)
        print("scoring", file=sys.stderr, flush=True)
        sys.stdout.write("scoring")
        sys.stdout.buffer.write(b"scoring")
        sys.stdout.flush()
        sys.stdout.isatty()
        return float(len(text.split("\\n")[0]))
"""
STEERED = HELD.replace("[0]))", "[0])) + 50 * ('full marks' in text)")
CONSTANT = HELD.replace("float(len(text", "0.0 * float(len(text")
UNUSABLE = "1 / 0"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not os.path.exists("/dev/full"), reason="needs /dev/full"
)


@pytest.fixture
def grader(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / "grader.py"
        path.write_text(textwrap.dedent(text), "utf-8")
        return str(path)

    return write


def shell(arguments: list[str], redirect: str, env: dict[str, str] | None = None):
    """Run the command in bash with a redirection; standard output and the exit code."""
    return subprocess.run(
        ["bash", "-c", f"{shlex.join([*MODULE, *arguments])} {redirect}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **(env or {})},
    )


@pytest.mark.parametrize("redirect", ["2>/dev/full", "2>&-", "2> >(exec true)", "2>&- 0<&-"])
@pytest.mark.parametrize(
    ("text", "code"), [(HELD, 0), (STEERED, 1), (UNUSABLE, 2), (CONSTANT, 3)], ids="0123"
)
def test_a_broken_stderr_changes_neither_result_nor_exit_code(grader, redirect, text, code):
    done = shell(["run", grader(text), "--json", "--family", "role_reversal"], redirect)
    assert done.returncode == code, done
    if code == 2:
        assert done.stdout == ""
        return
    document = json.loads(done.stdout)
    assert document["verdict"] == ("held", "moved", "", "inconclusive")[code]
    assert document["unscorable"] == []


@pytest.mark.parametrize("arguments", [["run"], ["run", "none.py"], []])
def test_a_usage_error_exits_2_where_stderr_is_full(arguments):
    assert shell(arguments, "2>/dev/full").returncode == 2


def test_a_python_that_does_not_buffer_is_no_exception(grader):
    done = shell(["run", grader(HELD), "--json"], "2>/dev/full", {"PYTHONUNBUFFERED": "1"})
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "held")


def test_a_target_that_closes_stdout_leaves_stderr_open(grader):
    done = shell(["run", grader("import sys\nsys.stdout.close()\n1 / 0")], "")
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr


def test_a_target_that_closes_both_streams_keeps_its_exit_code(grader):
    text = "import sys\nsys.stdout.close()\nsys.stderr.close()\nbaselines = ['a b']\n"
    done = shell(["run", grader(text + "def target(text): return 1.0")], "")
    assert done.returncode == 3
    assert done.stdout.startswith("Inconclusive: ")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["run", "--help"]])
def test_help_that_cannot_be_written_is_one_line(arguments):
    done = shell(arguments, ">/dev/full")
    assert done.returncode == 70
    assert done.stderr == "unbudged: the output cannot be written: No space left on device\n"


def test_a_reader_of_the_help_that_has_seen_enough_is_no_error():
    done = shell(["run", "--help"], "| true; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_an_interrupt_while_modules_are_loaded_is_one_line(tmp_path):
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    done = shell(["--version"], "", {"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "unbudged: interrupted\n"


def test_what_escapes_everything_else_is_one_line_and_70(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import unbudged.cli.scan as scan\n"
        "def broken(*given): raise GeneratorExit('gone')\n"
        "scan.scan = broken\n"
    )
    done = shell(["run", "x.py"], "", {"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == (70, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("unbudged: internal error, not a result: GeneratorExit: gone")
