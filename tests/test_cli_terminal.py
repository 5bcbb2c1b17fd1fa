"""What a person sees in a real terminal: colour or none, widths, encodings, folded lists."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from command import MODULE, STEADY, STEERED, unbudged, write
from unbudged.reports.inert import columns

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
WIDE = """
    baselines = ["Grüße 名名名名名名名名名名名名名名名名名名名名 \\u200b an alle", "Zweite Antwort"]
    def target(text): return len(text.split("\\n")[0]) + 50 * ("full marks" in text)
"""


def in_terminal(*arguments: object, cwd, **env: str) -> tuple[str, int]:
    """Run the command with a pseudo-terminal for its standard output; what it showed, its code."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")
    ours, theirs = pty.openpty()
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    with subprocess.Popen(
        [*MODULE, *map(str, arguments)],
        cwd=cwd,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**kept, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **env},
    ) as process:
        os.close(theirs)
        read = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            read.append(part)
    os.close(ours)
    shown = b"".join(read).replace(b"\r\n", b"\n")
    return shown.decode(env.get("PYTHONIOENCODING", "utf-8")), process.returncode


def test_a_terminal_gets_colour_and_the_same_words(tmp_path):
    write(tmp_path, STEERED)
    shown, code = in_terminal("run", "grader.py", cwd=tmp_path)
    assert code == 1
    assert shown.startswith("\x1b[31m\x1b[1mMoved:\x1b[0m ")
    plain = unbudged("run", "grader.py", cwd=tmp_path)
    assert ESCAPE.sub("", shown) == plain.stdout
    assert "\x1b" not in plain.stdout


def test_a_target_that_holds_is_green(tmp_path):
    write(tmp_path, STEADY)
    shown, _ = in_terminal("run", "grader.py", cwd=tmp_path)
    assert shown.startswith("\x1b[32m\x1b[1mHeld:\x1b[0m ")


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_who_wants_no_colour_gets_none(tmp_path, env):
    write(tmp_path, STEERED)
    shown, _ = in_terminal("run", "grader.py", cwd=tmp_path, **env)
    assert "\x1b" not in shown
    assert shown == unbudged("run", "grader.py", cwd=tmp_path).stdout


def test_a_document_is_never_coloured(tmp_path):
    write(tmp_path, STEERED)
    shown, _ = in_terminal("run", "grader.py", "--json", cwd=tmp_path)
    assert "\x1b" not in shown


def test_saved_reports_and_comparisons_are_coloured_too(tmp_path):
    write(tmp_path, STEERED)
    unbudged("run", "grader.py", "--save", "r.json", cwd=tmp_path)
    assert "\x1b[31m" in in_terminal("report", "r.json", cwd=tmp_path)[0]
    shown, code = in_terminal("compare", "r.json", "r.json", cwd=tmp_path)
    assert code == 0
    assert shown.startswith("\x1b[")
    assert "\x1b" not in in_terminal("show", "r.json", "1", cwd=tmp_path)[0]


def test_a_payload_cannot_colour_anything(tmp_path):
    write(tmp_path, STEERED)
    (tmp_path / "own.yaml").write_text(
        'family: own\nattacks:\n  - {id: own.one, note: x, text: "\\e[32mfull marks\\nHeld: no"}\n'
    )
    shown, code = in_terminal("run", "grader.py", "--corpus", "own.yaml", cwd=tmp_path)
    assert code == 1
    assert "\x1b[32m" not in shown
    assert "\\x1b[32mfull marks\\nHeld: no" in shown


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "ascii"])
@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
def test_rows_are_aligned_and_fit_whatever_the_encoding(tmp_path, encoding, terminal):
    write(tmp_path, WIDE)
    env = {"PYTHONIOENCODING": encoding}
    if terminal:
        shown, code = in_terminal("run", "grader.py", cwd=tmp_path, **env)
    else:
        done = subprocess.run(
            [*MODULE, "run", "grader.py"],
            cwd=tmp_path, capture_output=True, env={**os.environ, **env}, check=False,
        )  # fmt: skip
        code, shown = done.returncode, done.stdout.decode(encoding).replace("\r\n", "\n")
    assert code == 1
    lines = [ESCAPE.sub("", line) for line in shown.split("\n")]
    assert max(columns(line) for line in lines if "repeat: " not in line) <= 100
    starts = {columns(line[: line.index("  on ")]) for line in lines if " attack +" in line}
    assert len(starts) == 1
    assert ("\\u540d" in shown) == (encoding != "utf-8")


def test_long_lists_open_with_all(tmp_path):
    answers = ", ".join(f'"Answer number {n}, at some length."' for n in range(9))
    write(tmp_path, STEADY.replace('"A short answer."', answers))
    folded = unbudged("run", "grader.py", cwd=tmp_path).stdout
    assert "  ... and 5 more: --all shows them" in folded
    opened = unbudged("run", "grader.py", "--all", cwd=tmp_path).stdout
    assert "more:" not in opened
    assert opened.count("at some length") == 9


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_an_interrupt_while_modules_are_loaded_ends_at_once_with_one_line(tmp_path):
    import signal
    import time

    (tmp_path / "click.py").write_text(
        "import pathlib, time\n"
        "pathlib.Path(__file__).with_name('started').touch()\n"
        "class Slow:\n"
        "    def __del__(self): time.sleep(60)\n"  # an exception here is only printed
        "Slow()\n"
    )
    with subprocess.Popen(
        [*MODULE, "--version"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "unbudged: interrupted\n")
