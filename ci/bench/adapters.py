"""Compares a call through an adapter with a bare loop over the same framework.

Run `python ci/bench/adapters.py --framework NAME` with the Python of an environment that holds
the framework (`sh ci/framework_env.sh NAME latest` makes one and prints it). The bare loop
does what any correct caller must, builds the same object and makes the framework's own call;
bare_NAME.py holds it. Both take turns in one process on one event loop, so that a busy machine
slows both, and each figure is a median of wall time. One row asks a judge over local HTTP, as
users do. `--check` exits 1 when a ratio is beyond its limit.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from socketserver import StreamRequestHandler
from typing import Any

LIMIT = 1.25
#: texts a side scores in one turn, and turns; over HTTP a call takes a hundred times as long
CALLS, TURNS = 6, 101
HTTP_CALLS, HTTP_TURNS = 1, 61
WARM_UPS = 5
FRAMEWORKS = ("deepeval", "inspect_ai", "weave")
INTEGRATIONS = Path(__file__).resolve().parents[2] / "integrations"
# what the conformance tests set, so that neither side waits for a network
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_DISABLE_DOTENV": "1",
    "WANDB_ERROR_REPORTING": "false",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One scorer, and the bare call on one judged text that returns its score."""

    name: str
    target: Any
    bare: Callable[[str], Awaitable[float]]
    over_http: bool = False


def serve(pipe: Any, framework: str) -> None:
    """Play the fair judge until the other end of the pipe closes."""
    sys.path[:0] = [str(INTEGRATIONS), str(INTEGRATIONS / framework)]
    # else each reply waits 40 ms for an acknowledgement, beside which no adapter costs anything
    StreamRequestHandler.disable_nagle_algorithm = True
    server = import_module("judge_server").JudgeServer()
    if framework == "deepeval":
        import_module("dialect").speak(server)
    with server:
        pipe.send(server.url("fair"))
        try:
            pipe.recv()
        except EOFError:
            return


async def measure(row: Row, judge: Any) -> tuple[float, float, float]:
    """Return median seconds per call, through the adapter and bare, and the turns' median ratio.

    Exits when the two do not give the same scores.
    """
    from unbudged.core.samples import load_samples

    weak, strong = load_samples()[0]
    for sample in (weak, strong):
        reading = await judge.read(sample)
        values = list(getattr(reading, "values", {}).values())
        bare = await row.bare(sample.output)
        if bare not in values:
            sys.exit(f"bench: {row.name}: bare scores {bare}, through the adapter {reading}")
    calls, turns = (HTTP_CALLS, HTTP_TURNS) if row.over_http else (CALLS, TURNS)
    taken: dict[str, list[float]] = {"ours": [], "bare": []}
    for turn in range(-WARM_UPS, turns):
        texts = [f"{weak.output} Line {turn}.{n}." for n in range(calls)]
        samples = [weak.with_output(text) for text in texts]
        for side in ("ours", "bare") if turn % 2 else ("bare", "ours"):
            start = time.perf_counter()
            if side == "ours":
                for sample in samples:
                    await judge.read(sample)
            else:
                for text in texts:
                    await row.bare(text)
            if turn >= 0:
                taken[side].append((time.perf_counter() - start) / calls)
    ours, bare = (statistics.median(taken[side]) for side in ("ours", "bare"))
    pairs = zip(taken["ours"], taken["bare"], strict=True)
    return ours, bare, statistics.median(mine / other for mine, other in pairs)


def table(framework: str, url: str) -> list[str]:
    """Print a row per scorer; return the names of those beyond the limit."""
    adapter = import_module(f"unbudged.adapters.{framework}")
    rows: list[Row] = import_module(f"bare_{framework}").rows(url)
    beyond = []
    for row in rows:
        ours, bare, ratio = asyncio.run(measure(row, adapter.make_judge(row.target)))
        if row is rows[0]:  # after whatever the framework says at its first call
            print(f"{framework:<44}{'ours':>11}{'bare':>11}{'ratio':>8}{'limit':>8}")
        mark = ""
        if ratio > LIMIT:
            beyond.append(row.name)
            mark = "  beyond"
        cells = f"{shown(ours):>11}{shown(bare):>11}{ratio:>8.2f}{LIMIT:>8g}"
        print(f"{row.name:<44}{cells}{mark}", flush=True)
    return beyond


def shown(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs" if seconds < 0.01 else f"{seconds * 1e3:.1f} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--framework", choices=FRAMEWORKS, required=True)
    parser.add_argument("--check", action="store_true", help="exit 1 beyond the limit")
    options = parser.parse_args()
    os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    # a process of its own: a judge elsewhere takes none of the caller's time
    server = spawn.Process(target=serve, args=(there, options.framework), daemon=True)
    server.start()
    there.close()
    try:
        sys.path[:0] = [str(INTEGRATIONS), str(INTEGRATIONS / options.framework)]
        beyond = table(options.framework, here.recv())
    finally:
        here.close()
        server.join(10)
    if beyond:
        print(f"\nbeyond the limit: {'; '.join(beyond)}")
    return 1 if options.check and beyond else 0


if __name__ == "__main__":
    sys.exit(main())
