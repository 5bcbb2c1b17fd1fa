"""What a journal costs: bytes a reading, and seconds of a durable write; prints JSON.

``python ci/bench/kept.py BASELINES FOLDER``: the same free scan without and with a journal in
the folder, one call at a time and 64 in flight.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from judge import RULES
from scan import baselines

import unbudged


def main(count: str, folder: str) -> None:
    answers = baselines(int(count))
    rule = RULES["head"]

    async def awaited(text: str) -> float:
        return rule(text)

    found: dict[str, Any] = {}
    for name, target, width in (("one", rule, 1), ("64", awaited, 64)):
        journal = Path(folder) / f"{name}.journal"
        taken = []
        for path in (None, journal):
            start = time.perf_counter()
            report = unbudged.run(target, answers, concurrency=width, journal=path)
            taken.append(time.perf_counter() - start)
        found[name] = (taken[1] - taken[0]) / report.calls
        found["calls"], found["bytes"] = report.calls, journal.stat().st_size
        texts = sum(len(answer.encode()) for answer in answers)
        found["of the answers"] = texts
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
