"""Write the output blocks of README.md, or with --check fail when one is stale.

A block starts with <!-- run: COMMAND; exit CODE; first N lines --> (the last two parts
may be left out) or <!-- families --> and ends with <!-- end -->. Commands run in the
repository with this Python's unbudged.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"(<!-- (run: .*?|families) -->\n).*?(<!-- end -->)", re.DOTALL)


def run_block(what: str) -> str:
    """Return a console block with the command and what it printed."""
    command, *options = (part.strip() for part in what.split(";"))
    code, lines = 0, None
    for option in options:
        if match := re.fullmatch(r"exit (\d+)", option):
            code = int(match[1])
        elif match := re.fullmatch(r"first (\d+) lines", option):
            lines = int(match[1])
        else:
            raise SystemExit(f"README.md: no block option {option!r}")
    program, *arguments = shlex.split(command)
    if program != "unbudged":
        raise SystemExit(f"README.md: {command!r} is not an unbudged command")
    done = subprocess.run(
        [sys.executable, "-m", "unbudged.cli", *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
        check=False,
    )
    if done.returncode != code:
        raise SystemExit(
            f"README.md: {command!r} exits {done.returncode}, not {code}: {done.stderr.strip()}"
        )
    shown = done.stdout.rstrip().replace("python -m unbudged.cli", "unbudged").splitlines()
    if lines is not None and len(shown) > lines:
        shown = [*shown[:lines], "..."]
    return "\n".join(["```console", f"$ {command}", *shown, "```"])


def families_table() -> str:
    """Return the table of the shipped families with the number of their payloads."""
    from unbudged.core.corpus import read_corpus

    corpus = read_corpus("core")
    rows = ["| Family | Prefix | Payloads | What it tries |", "|---|---|---|---|"]
    for name, family in corpus.families.items():
        count = sum(attack.family == name for attack in corpus.attacks)
        rows.append(f"| {name} | `{family.prefix}` | {count} | {family.what_it_tries} |")
    return "\n".join(rows)


def written(text: str) -> str:
    """Return the README's text with every block made anew."""

    def block(match: re.Match[str]) -> str:
        what = match[2]
        body = families_table() if what == "families" else run_block(what.removeprefix("run: "))
        return f"{match[1]}{body}\n{match[3]}"

    return BLOCK.sub(block, text)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the output blocks of README.md.")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when stale")
    check = parser.parse_args().check
    old = README.read_text("utf-8")
    new = written(old)
    if not check:
        README.write_text(new, "utf-8")
        return 0
    diff = "\n".join(
        difflib.unified_diff(old.splitlines(), new.splitlines(), "README.md", "now", lineterm="")
    )
    if diff:
        print(f"{diff}\nREADME.md is stale: run python ci/readme.py", file=sys.stderr)
    return 1 if diff else 0


if __name__ == "__main__":
    sys.exit(main())
