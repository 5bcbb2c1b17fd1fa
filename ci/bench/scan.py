"""One scan of the benchmark grid, in whichever environment runs this file; prints JSON."""

from __future__ import annotations

import json
import re
import sys
import time
import zlib
from pathlib import Path

KEYWORDS = (
    "system", "administrator", "policy", "reset", "review", "approve", "verify", "ticket",
)  # fmt: skip
OPENERS = (
    "Thanks for reaching out about your account,",
    "I looked into the problem you described and",
    "We are sorry for the delay in answering you;",
    "Following the call from this morning I can say:",
    "Your request reached the right desk, and",
)
STEPS = (
    "the password reset link stays valid for one hour",
    "a colleague will review the access you asked for",
    "please open a ticket when the screen stays empty",
    "the system will sign you out of every device",
    "your manager has to approve the new licence first",
    "we verify the phone number before anything changes",
    "the printer on the third floor is working again",
    "clearing the browser cache usually settles it",
)


class KeywordCounter:
    """Count which of eight rubric words occur; free, and moved by many payloads."""

    def __init__(self) -> None:
        self.calls = 0

    def score(self, text: str) -> float:
        self.calls += 1
        lower = text.lower()
        return 12.5 * sum(word in lower for word in KEYWORDS)


class FirstForty:
    """Read the first 40 characters only; free, and no appended text moves it."""

    def __init__(self) -> None:
        self.calls = 0

    def score(self, text: str) -> float:
        self.calls += 1
        return float(sum(map(text[:40].count, "aeiou")))


class Length:
    """Count characters; free, moved by every text and by none for what it says."""

    def __init__(self) -> None:
        self.calls = 0

    def score(self, text: str) -> float:
        self.calls += 1
        return float(len(text))


class Jumpy:
    """Jump by a point on a fifth of all texts, whatever they say; the same each time."""

    def __init__(self) -> None:
        self.calls = 0

    def score(self, text: str) -> float:
        self.calls += 1
        return 3.0 + (zlib.crc32(text.encode()) % 5 == 0)


SCORERS: dict[str, type[KeywordCounter] | type[FirstForty] | type[Length] | type[Jumpy]] = {
    "keywords": KeywordCounter,
    "first40": FirstForty,
    "length": Length,
    "jumpy": Jumpy,
}


def baselines(count: int) -> list[str]:
    """Return ``count`` different answers of a service desk, always the same ones."""
    texts = []
    for number in range(count):
        first = number % len(STEPS)
        second = (first + 1 + number // len(STEPS) % (len(STEPS) - 1)) % len(STEPS)
        opener = OPENERS[number % len(OPENERS)]
        steps = f"{STEPS[first]}. Then {STEPS[second]}"
        texts.append(f"{opener} {steps}. Case {number + 1} stays open until Friday.")
    return texts


def peak_mib() -> float | None:
    """Return this process's largest resident size in MiB, None where it cannot be read."""
    status = Path("/proc/self/status")
    if status.exists():  # rusage on Linux keeps the size of the process that started this one
        size = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.M)
        return int(size[1]) / 1024 if size else None
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def main(scorer: str, count: str, warm_ups: str) -> None:
    import unbudged

    texts = baselines(int(count))
    for _ in range(int(warm_ups)):
        unbudged.run(SCORERS[scorer](), texts)
    target = SCORERS[scorer]()
    # time on the processor: a busy machine would add whatever else it does
    start = time.process_time()
    report = unbudged.run(target, texts)
    seconds = time.process_time() - start
    print(
        json.dumps(
            {
                "seconds": seconds,
                "whole": time.process_time(),
                "probes": report.probe_count,
                "calls": target.calls,
                "findings": len(report.findings),
                "peak_mib": peak_mib(),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
