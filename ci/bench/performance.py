"""Measures scale, calls in flight, other tools and the journal; writes docs/performance.md.

Run `make performance` (about ten minutes). Every figure comes from processes of its own; what
is compared takes turns, so that a busy machine slows both. `--only SECTION` rewrites one
section and leaves the others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from environments import environment
from judge import LATENCY

HERE = Path(__file__).parent
DOC = HERE.parents[1] / "docs" / "performance.md"
ATTACKS = 33
SCALES = (303, 3_031, 30_303)  # baselines: 10^4, 10^5 and 10^6 probes
KINDS = {
    "first40": "nothing moves it",
    "keywords": "counts words many payloads hold",
    "length": "every text moves it, controls too",
    "jumpy": "jumps on a fifth of all texts",
}
# calls in flight, baselines, turns: about 5,000, 1,100 and 190 calls
FLIGHTS = ((64, 144, 3), (8, 31, 3), (1, 4, 3))
TOOLS = (("unbudged", None), ("unbudged", "0.1.2"), ("etb-scan", "0.1.1"), ("juryrig", "0.3.1"))
RULES = {"obeys": "obeys any order", "length": "counts characters, harmless"}
JOURNALLED = 31


def measured(python: Path | str, script: str, *arguments: object) -> dict[str, Any]:
    """Run a script of this folder in a process of its own and return the JSON it prints."""
    command = [str(python), str(HERE / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def table(heads: str, rows: list[list[object]]) -> str:
    names = heads.split("|")
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def scale() -> str:
    rows: list[list[object]] = []
    for scorer, kind in KINDS.items():
        first = None
        for count in SCALES if scorer != "jumpy" else SCALES[:2]:
            found = measured(sys.executable, "scan.py", scorer, count, 0)
            each = found["seconds"] / found["probes"]
            first = first or each
            rows.append([
                kind, f"{found['probes']:,}", f"{found['calls']:,}", f"{found['findings']:,}",
                f"{found['peak_mib']:.0f} MiB", f"{each / first:.2f}",
                f"{1e6 * each:.0f} µs",
            ])  # fmt: skip
    heads = "free scorer|probes|calls|findings|peak memory|time per probe, first row 1|processor"
    return f"""{ATTACKS} payloads on ever more answers, one process each, the scorer's own time
included. Time is that on the processor. The last column is of this machine; the one before it
is the curve: a figure that does not rise is linear time, one that falls is what a scan costs
once. A finding is a record of the report and takes about 200 bytes. A judge that jumps, or is
noisy, is read in pairs, and what the pairs say is kept by pair: about a kilobyte a probe, so that
a hundred thousand probes of one are the most that is shown here.

{table(heads, rows)}"""


def flight() -> str:
    rows: list[list[object]] = []
    for width, count, turns in FLIGHTS:
        taken = [measured(sys.executable, "flight.py", width, count) for _ in range(turns)]
        for kind in ("async", "threads"):
            scan, bare, least = (
                [one[name] for one in taken] for name in (f"{kind} scan", f"{kind} bare", "least")
            )
            rows.append([
                width, kind, f"{taken[0]['calls']:,}",
                *(f"{statistics.median(map(_ratio, scan, other)):.3f}" for other in (bare, least)),
                f"{statistics.median(map(_ratio, bare, least)):.3f}",
                f"{statistics.median(scan):.2f} s",
            ])  # fmt: skip
    heads = (
        "in flight|target|calls|scan / bare loop|scan / (calls × latency / N)"
        "|bare / (calls × latency / N)|scan"
    )
    return f"""`run(target, answers, concurrency=N)` on a judge that takes {1000 * LATENCY:.0f} ms
a call and is moved by nothing. The bare loop sends the same texts to the same judge: N tasks on
one asyncio loop, or a pool of N threads. Wall time, medians of {FLIGHTS[0][2]} turns. What a scan
takes beyond the loop are its stages (clean answers first, the last ones at the end), its rules
and its texts.

{table(heads, rows)}"""


def _ratio(mine: float, other: float) -> float:
    return mine / other


def tools() -> str:
    rows: list[list[object]] = []
    for rule, says in RULES.items():
        for workers in (1, 8):
            for name, version in TOOLS:
                if version == "0.1.2" and workers > 1:
                    continue  # makes one call at a time
                python = environment(name, version) if version else sys.executable
                tool = f"{name}-{version}" if version == "0.1.2" else name
                found = measured(python, "rivals.py", tool, rule, workers)
                least = found["calls"] * LATENCY / workers
                rows.append([
                    says, workers, f"{name} {version or '(this)'}", found["probes"],
                    found["calls"], f"{found['seconds']:.2f} s", f"{found['seconds'] / least:.2f}",
                    found["says"],
                ])  # fmt: skip
    heads = "judge|workers|tool|probes|calls|wall|wall / (calls × latency / workers)|what it says"
    return f"""One audit each, as each tool's own documentation runs it, of the same judge at
{1000 * LATENCY:.0f} ms a call, each in an environment of its own. They do different things in
that time, so wall time alone compares nothing. unbudged scores {ATTACKS} payloads on three
answers, with controls of their own and as many more calls as the doubt takes; 0.1.2 the same
payloads, each with its baseline and one filler again; etb-scan 25 injections and 8 benign texts
of its own, each beside its clean answer, and counts verdicts that flip; juryrig's injection
audit appends one payload to each of three answers, without controls. The ratio is what a tool
costs beyond its calls.

{table(heads, rows)}"""


def journal() -> str:
    with tempfile.TemporaryDirectory(dir=DOC.parent) as folder:  # on a disk, not in memory
        found = measured(sys.executable, "kept.py", JOURNALLED, folder)
    rows: list[list[object]] = [
        ["readings", f"{found['calls']:,}"],
        ["file, per reading", f"{found['bytes'] / found['calls']:.0f} bytes"],
        ["of it the answers themselves, once", f"{found['of the answers'] / found['calls']:.0f}"],
        ["a durable write, one call at a time", f"{1e3 * found['one']:.2f} ms a reading"],
        ["durable writes, 64 in flight", f"{1e3 * found['64']:.2f} ms a reading"],
    ]
    return f"""`run(..., journal=FILE)` on a free scorer, against the same scan without one. Every
reading is on disk before it counts; readings that arrive together share one write, which is
why many in flight cost less each. A judge that explains its scores adds its explanations.

{table("|", rows)}"""


SECTIONS = {
    "Scale": scale, "Calls in flight": flight, "Other tools": tools, "The journal": journal,
}  # fmt: skip


def machine() -> str:
    return f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} processors"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=SECTIONS, help="rewrite one section")
    only = parser.parse_args().only
    os.environ.pop("PYTHONPATH", None)
    old = DOC.read_text(encoding="utf-8") if DOC.exists() else ""
    kept = dict(re.findall(r"^## (.+?)\n\n(.*?)(?=\n\n## |\Z)", old, re.M | re.S))
    for name, measure in SECTIONS.items():
        if only in (None, name):
            print(f"bench: {name}", file=sys.stderr)
            kept[name] = measure()
    body = "\n\n".join(f"## {name}\n\n{kept[name].strip()}" for name in SECTIONS if name in kept)
    head = (
        "# Performance\n\nWritten by `make performance`; read the ratios, seconds are those of"
        f" one machine ({machine()})."
    )
    DOC.write_text(f"{head}\n\n{body}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
