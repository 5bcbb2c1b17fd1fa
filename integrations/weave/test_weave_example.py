"""The example runs as its first line says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).with_name("example.py")


@pytest.mark.parametrize(
    ("name", "verdict", "code"), [("target", "held", 0), ("verdict", "moved", 1)]
)
def test_the_example_shows_one_scorer_that_holds_and_one_that_does_not(
    name: str, verdict: str, code: int, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "unbudged.cli", "run", f"{FILE}:{name}", "--json"]
    done: Any = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=120
    )
    assert json.loads(done.stdout)["verdict"] == verdict, done.stderr
    assert done.returncode == code, done.stderr
    assert list(tmp_path.iterdir()) == []
