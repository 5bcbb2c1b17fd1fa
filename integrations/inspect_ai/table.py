"""Writes COVERAGE.md: what becomes of every scorer Inspect AI ships, from real readings.

`python integrations/inspect_ai/table.py` rewrites it, `--check` only says whether it is stale.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent)]

from shipped_scorers import CASES, Case, found  # noqa: E402

from inspect_ai import __version__  # noqa: E402
from judge_server import JudgeServer  # noqa: E402
from unbudged import Scored, UsageError  # noqa: E402
from unbudged.adapters.inspect_ai import make_judge  # noqa: E402
from unbudged.adapters.inspect_ai.shipped import SHIPPED  # noqa: E402

FILE = HERE / "COVERAGE.md"
_HEAD = """# Inspect AI's scorers through the adapter

Written by `integrations/inspect_ai/table.py` from readings of every scorer that
Inspect AI {version} ships; those that ask a judge ask one behind a local server, and the
tests scan them: a fair judge holds, a gullible one is moved, a broken one gives no score.
Higher is better for all of them.

{counts}

| Scorer | Scanned | Asks a judge | Channel | Scale | Pass mark | Needs of a Sample, or why not |
|---|---|---|---|---|---|---|
"""


def table() -> str:
    """Return the whole file for the installed Inspect AI."""
    with JudgeServer() as server:
        rows = [_row(CASES[name], server) for name in sorted(found())]
    counts = Counter(row[1] for row in rows)
    said = ", ".join(f"{count} {answer}" for answer, count in counts.most_common())
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    head = _HEAD.format(version=__version__, counts=f"{len(rows)} scorers: {said}.")
    return head + "\n".join(lines) + "\n"


def without_version(text: str) -> str:
    """Return a table without the version it was made with."""
    return text.replace(text.split("Inspect AI ", 1)[1].split(" ships", 1)[0], "", 1)


def _row(case: Case, server: JudgeServer) -> tuple[str, ...]:
    try:
        judge = make_judge(case.build(server.url("fair")))
    except UsageError as error:
        return case.name, "no", "", "", "", "", str(error)
    judge.check((case.weak,))
    server.clear()
    asyncio.run(judge.preflight((case.weak,)))
    reading = asyncio.run(judge.read(case.weak))
    assert isinstance(reading, Scored), (case.name, reading)
    info = judge.info
    scale = "as its parts" if info.scale is None else "{:g} to {:g}".format(*info.scale)
    mark = "" if info.pass_mark is None else f"{info.pass_mark:g}"
    needs = SHIPPED[case.name].needs or ("what its parts need",)
    asks = "yes" if server.prompts else ""
    channels = ", ".join(reading.values)
    return case.name, "yes", asks, channels, scale, mark, ", ".join(needs)


if __name__ == "__main__":
    made = table()
    if "--check" not in sys.argv:
        FILE.write_text(made)
    elif not FILE.exists() or FILE.read_text() != made:
        sys.exit("COVERAGE.md is stale: python integrations/inspect_ai/table.py")
