"""Environments of other published tools, one each under build/, made when they are not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"


def environment(package: str, version: str) -> Path:
    """Return the Python of an environment that holds a version of a package from PyPI."""
    folder = BUILD / f"bench-{package}-{version}"
    windows = folder / "Scripts" / "python.exe"
    stamp = folder / "made-for"
    if not stamp.exists() or stamp.read_text() != sys.version:
        print(f"bench: installing {package} {version} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        python = windows if windows.exists() else folder / "bin" / "python"
        install = ["-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([python, *install, f"{package}=={version}"], check=True)
        stamp.write_text(sys.version)
    return windows if windows.exists() else folder / "bin" / "python"
