"""The pages about Inspect AI run as they stand, and show what they print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_pages_do_what_they_show() -> None:
    command = [sys.executable, str(ROOT / "ci" / "docs.py"), "--check", "--needs", "inspect_ai"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
