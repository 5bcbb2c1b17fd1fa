"""Files of pinned npm packages that a test checks against, as ci/npm.py fetches them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def package(name: str) -> Path:
    """Return the folder of a package; where it cannot be had, fail in CI and skip elsewhere."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "ci" / "npm.py"), name], capture_output=True, text=True
    )
    if done.returncode:
        refuse = pytest.fail if os.environ.get("CI") else pytest.skip
        refuse(f"needs `python ci/npm.py {name}`: {done.stderr.strip()}")
    return Path(done.stdout.strip())
