"""Writes COVERAGE.md: what becomes of every metric DeepEval ships, from real readings.

`python integrations/deepeval/table.py` rewrites it, `--check` only says whether it is stale.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent)]
os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")  # read at import

from dialect import speak  # noqa: E402
from shipped import SHIPPED, Shipped, found  # noqa: E402

import deepeval  # noqa: E402
from judge_server import JudgeServer  # noqa: E402
from unbudged import Scored, UsageError  # noqa: E402
from unbudged.adapters.deepeval import make_judge  # noqa: E402
from unbudged.adapters.deepeval.traits import (  # noqa: E402
    kind_of,
    reads_trace,
    required_fields,
)

FILE = HERE / "COVERAGE.md"
_HEAD = """# DeepEval's metrics through the adapter

Written by `integrations/deepeval/table.py` from readings of every metric class that
DeepEval {version} ships, each with a judge behind a local server. A metric that is scanned is
also scanned by the tests: a fair judge holds, a gullible one is moved, a broken one gives no
score.

{counts}

| Metric | Scanned | Better | Channels | Pass mark | Asks for, or why not |
|---|---|---|---|---|---|
"""


def table() -> str:
    """Return the whole file for the installed DeepEval."""
    here = found()
    with JudgeServer() as server:
        speak(server)
        rows = [_row(SHIPPED[name], server) for name in sorted(here)]
    counts = Counter(row[1] for row in rows)
    said = ", ".join(f"{count} {answer}" for answer, count in counts.most_common())
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    head = _HEAD.format(version=deepeval.__version__, counts=f"{len(rows)} metrics: {said}.")
    return head + "\n".join(lines) + "\n"


def without_version(text: str) -> str:
    """Return a table without the version it was made with."""
    return text.replace(text.split("DeepEval ", 1)[1].split(" ships", 1)[0], "", 1)


def _row(row: Shipped, server: JudgeServer) -> tuple[str, ...]:
    empty = ("", "", "")
    try:
        metric = row.build(server.url("fair"))
        judge = make_judge(metric)
        judge.check([row.weak])
        asyncio.run(judge.preflight([row.weak]))
    except UsageError as error:
        return row.name, "no", *empty, _plain(str(error))
    except ImportError:
        return row.name, "with a package", *empty, "needs the packages ragas and langchain"
    reading = asyncio.run(judge.read(row.weak))
    if not isinstance(reading, Scored):
        assert "ragas" in reading.detail, (row.name, reading)
        return row.name, "with a package", *empty, "needs the packages ragas and langchain"
    kind = kind_of(metric)
    assert kind is not None
    asks = [field for field in required_fields(metric, kind) if field not in ("role", "content")]
    if kind == "conversation":
        asks.insert(0, "turns")
    if reads_trace(metric):
        asks.append("trace (made of the two where there is none)")
    return (
        row.name,
        "yes",
        "higher" if judge.info.higher_is_better else "lower",
        ", ".join(reading.values),
        f"{judge.info.pass_mark:g}",
        ", ".join(asks),
    )


def _plain(text: str) -> str:
    return text.replace("|", "/")


if __name__ == "__main__":
    new = table()
    if "--check" not in sys.argv:
        FILE.write_text(new, encoding="utf-8")
    elif without_version(FILE.read_text(encoding="utf-8")) != without_version(new):
        sys.exit("COVERAGE.md is stale: run python integrations/deepeval/table.py")
