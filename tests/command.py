"""The command as a user runs it, for the tests of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

MODULE = [sys.executable, "-m", "unbudged.cli"]

STEADY = """
    baselines = ["A short answer.", "Another, longer answer that says more."]
    def target(text):
        return float(len(text.split("\\n")[0]))
"""
STEERED = """
    baselines = ["A short answer.", "Another, longer answer that says more."]
    def target(text):
        return len(text.split("\\n")[0]) + (50.0 if "full marks" in text else 0.0)
"""


def unbudged(*arguments: object, cwd: Path | None = None, env=None, **options):
    return subprocess.run(
        [*MODULE, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, **(env or {})},
        check=False,
        **options,
    )


def write(folder: Path, text: str, name: str = "grader.py") -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(text), "utf-8")
    return path


def one_line(done, says: str, code: int = 2) -> None:
    """Check that a command said one line on stderr, nothing on stdout, and what code it had."""
    assert done.returncode == code, done
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("unbudged: ")
    assert says in line, line
