"""Calls in flight: a scan of a slow judge against bare loops that send the same texts.

``python ci/bench/flight.py N BASELINES`` prints JSON: the calls, and the seconds of the scan
and of the bare loop, each as an async function and as a plain one in threads.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from judge import LATENCY, Slow
from scan import baselines

import unbudged


def scanned(asynchronous: bool, width: int, answers: list[str]) -> tuple[float, list[str]]:
    """Return the seconds of a scan and the texts the judge was sent."""
    judge = Slow("head")
    target = judge.awaited if asynchronous else judge.score
    start = time.perf_counter()
    report = unbudged.run(target, answers, concurrency=width)
    taken = time.perf_counter() - start
    if report.findings or report.unscorable or report.calls != len(judge.texts):
        sys.exit(f"bench: the scan is not as it should be:\n{report.to_text()}")
    return taken, judge.texts


def bare_loop(width: int, texts: list[str]) -> float:
    judge = Slow("head")

    async def work(feed: list[str]) -> None:
        while feed:
            await judge.awaited(feed.pop())

    async def everything() -> None:
        feed = texts[::-1]
        await asyncio.gather(*(work(feed) for _ in range(width)))

    start = time.perf_counter()
    asyncio.run(everything())
    return time.perf_counter() - start


def bare_threads(width: int, texts: list[str]) -> float:
    judge = Slow("head")
    start = time.perf_counter()
    with ThreadPoolExecutor(width) as pool:
        for _ in pool.map(judge.score, texts):
            pass
    return time.perf_counter() - start


def main(width: int, count: int) -> None:
    answers = baselines(count)
    unbudged.run(lambda text: 0.0, answers[:1])  # imports what a scan needs
    found: dict[str, float] = {}
    for kind, asynchronous, bare in (
        ("async", True, bare_loop), ("threads", False, bare_threads),
    ):  # fmt: skip
        found[f"{kind} scan"], texts = scanned(asynchronous, width, answers)
        found[f"{kind} bare"] = bare(width, texts)
        found["calls"] = len(texts)
    found["least"] = found["calls"] * LATENCY / width
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
