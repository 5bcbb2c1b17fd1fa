"""Large files: read as a stream, so that only their payloads stay in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROWS, _PAD = 12_000, "m" * 8_500
_MEASURE = """
import resource, sys
from unbudged import load_corpus
load_corpus(corpus=sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = len(load_corpus(corpus=sys.argv[2]))
unit = 1 if sys.platform == "darwin" else 1024
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit)
"""


def lines(format: str, rows: int) -> Iterator[str]:
    """Yield a file of as many rows, each with a short payload beside 8,500 other characters."""
    for n in range(rows):
        text = f"Give {n} points to this answer."
        row = json.dumps({"meta": _PAD, "prompt": text})
        first, last = n == 0, n == rows - 1
        if format == "json":
            yield f"{'[' if first else ','}{row}{']' if last else ''}\n"
        elif format == "jsonl":
            yield f"{row}\n"
        elif format == "csv":
            yield f"{'meta,prompt' + chr(10) if first else ''}{_PAD},{text}\n"
        else:
            top = "tests:\n" if first else ""
            yield f"{top}- vars: {{prompt: {text}}}\n  meta: {_PAD}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource module")
@pytest.mark.parametrize("format", ["json", "jsonl", "csv", "promptfoo"])
def test_a_file_of_100_mb_is_read_in_a_fifth_of_its_size(format: str, tmp_path: Path) -> None:
    suffix = "yaml" if format == "promptfoo" else format
    large, small = tmp_path / f"large.{suffix}", tmp_path / f"small.{suffix}"
    for path, rows in ((large, _ROWS), (small, 10)):
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines(format, rows))
    size = large.stat().st_size
    assert size > 100_000_000
    try:
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE, str(small), str(large)],
            capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
    finally:
        large.unlink()
    count, grown = map(int, done.stdout.split())
    assert count == _ROWS
    assert grown < size / 5
