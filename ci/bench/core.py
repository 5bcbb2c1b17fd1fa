"""Compares a scan with unbudged 0.1.2 on the same grid: processor time, calls, import, memory.

Run `make bench`. Each figure comes from processes of its own; ours and theirs take turns, so
that a busy machine slows both. `--check` exits 1 when a figure is beyond its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from environments import environment

ROOT = Path(__file__).resolve().parents[2]
SCAN = Path(__file__).with_name("scan.py")
RIVAL = "0.1.2"

TIME_LIMIT = 1.0
CALLS_LIMIT = 1.35
IMPORT_LIMIT = 1.3
MEMORY_LIMIT = 150.0

ATTACKS = 33
TIMED_BASELINES = 100
MEMORY_BASELINES = 3_031  # 33 attacks make 100,023 probes of them
TIMED_ROUNDS = 7
IMPORT_ROUNDS = 21
NAMES = {"first40": "first 40 characters", "keywords": "8-keyword counter"}


def evaluate(python: Path | str, code: str) -> str:
    """Run code in a fresh process that sees nothing but its own environment."""
    done = subprocess.run(
        [python, "-I", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.strip()


def scan(python: Path | str, scorer: str, baselines: int, warm_ups: int = 0) -> dict[str, Any]:
    """Scan once in a fresh process, ``whole`` its processor time from the start in seconds;
    {} when it failed."""
    command = [str(python), "-I", str(SCAN), scorer, str(baselines), str(warm_ups)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        print(f"bench: {' '.join(command)} failed: {reason[0]}", file=sys.stderr)
        return {}
    found: dict[str, Any] = json.loads(done.stdout)
    if found["probes"] != ATTACKS * baselines:
        sys.exit(
            f"bench: {found['probes']} probes instead of {ATTACKS * baselines}: not the same grid"
        )
    return found


class Table:
    """The rows printed so far and which of them were beyond their limits."""

    def __init__(self) -> None:
        self.beyond: list[str] = []
        print(f"{'':<60}{'ours':>11}{'0.1.2':>11}{'ratio':>8}{'limit':>8}")

    def row(
        self,
        name: str,
        ours: float | None,
        theirs: float | None,
        unit: str,
        *,
        limit: float | None = None,
        on: str = "ratio",
    ) -> None:
        ratio = ours / theirs if ours is not None and theirs else None
        judged = ratio if on == "ratio" else ours
        mark = ""
        if limit is not None and (judged is None or judged > limit):
            mark = "  beyond" if judged is not None else "  not measured"
            self.beyond.append(name)
        cells = [
            f"{name:<60}",
            f"{shown(ours, unit):>11}",
            f"{shown(theirs, unit):>11}",
            f"{shown(ratio, 'x'):>8}",
            f"{'' if limit is None else f'{limit:g}':>8}",
        ]
        print("".join(cells) + mark, flush=True)


def shown(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "ms":
        return f"{value * 1000:.1f} ms"
    if unit == "x":
        return f"{value:.2f}"
    return f"{value:.2f} {unit}".rstrip()


def median(taken: list[float | None]) -> float | None:
    """Return the median, None when any run failed."""
    known = [seconds for seconds in taken if seconds is not None]
    return statistics.median(known) if len(known) == len(taken) else None


def times(table: Table, ours: str, theirs: Path) -> None:
    probes = f"{ATTACKS * TIMED_BASELINES:,} probes"
    for scorer, name in NAMES.items():
        alone: dict[str, list[float | None]] = {"ours": [], "theirs": []}
        whole: dict[str, list[float | None]] = {"ours": [], "theirs": []}
        for _ in range(TIMED_ROUNDS):
            for side, python in (("ours", ours), ("theirs", theirs)):
                alone[side].append(scan(python, scorer, TIMED_BASELINES, 1).get("seconds"))
                whole[side].append(scan(python, scorer, TIMED_BASELINES).get("whole"))
        for label, taken in (("run() alone", alone), ("with process start", whole)):
            mine, other = (median(taken[side]) for side in ("ours", "theirs"))
            table.row(f"time, {probes}, {name}, {label}", mine, other, "ms", limit=TIME_LIMIT)


def calls(table: Table, ours: str, theirs: Path) -> None:
    for scorer, name in NAMES.items():
        for baselines in (3, 100):
            mine, other = (
                found["calls"] / found["probes"] if found else None
                for found in (scan(python, scorer, baselines) for python in (ours, theirs))
            )
            limit = CALLS_LIMIT if scorer == "first40" else None
            label = f"calls per probe, {name}, {baselines} baselines"
            table.row(label, mine, other, "", limit=limit, on="ours")


def imports(table: Table, ours: str) -> None:
    code = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
    taken: dict[str, list[float]] = {"unbudged": [], "yaml": []}
    for module in taken:
        evaluate(ours, f"import {module}")  # leaves the compiled files behind
    for _ in range(IMPORT_ROUNDS):
        for module, seconds in taken.items():
            seconds.append(float(evaluate(ours, code.format(module))))
    mine, yaml = (statistics.median(taken[module]) for module in ("unbudged", "yaml"))
    table.row("import unbudged (0.1.2: import yaml)", mine, yaml, "ms", limit=IMPORT_LIMIT)


def memory(table: Table, ours: str, theirs: Path) -> None:
    for scorer, name in NAMES.items():
        mine, other = (
            scan(python, scorer, MEMORY_BASELINES).get("peak_mib") for python in (ours, theirs)
        )
        label = f"peak memory, 100,023 probes, {name}"
        table.row(label, mine, other, "MiB", limit=MEMORY_LIMIT, on="ours")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit 1 beyond a limit")
    options = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)
    ours, theirs = sys.executable, environment("unbudged", RIVAL)
    table = Table()
    times(table, ours, theirs)
    calls(table, ours, theirs)
    imports(table, ours)
    memory(table, ours, theirs)
    if table.beyond:
        print(f"\nbeyond the limit: {'; '.join(table.beyond)}")
    return 1 if options.check and table.beyond else 0


if __name__ == "__main__":
    sys.exit(main())
