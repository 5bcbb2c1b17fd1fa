"""Run every block of the pages in docs/ and write the output they show; --check only compares.

A page is run from top to bottom in a folder of its own. What a block is, the comment
before it says, else its language:

    <!-- file: NAME -->                     the block is written to that file
    <!-- run: COMMAND; exit N; first N lines; lines A to B; silent --> ... <!-- end -->
                                            the command and what it prints, written here
                                            (silent: the command alone)
    <!-- serve -->                          an sh block whose command stays until the page ends
    <!-- prints -->  ... <!-- end -->       what the python block before it printed, written here
    python                                  run as a program
    sh                                      installs unbudged, and is only checked to name extras
    toml, yaml, json, ini                   must parse

The first line <!-- needs: FRAMEWORK --> leaves a page to the environment that has it.
"""

from __future__ import annotations

import argparse
import configparser
import difflib
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
#: pages that other scripts write, or whose blocks are what those scripts ran
MADE = ("attacks.md", "measurement.md", "performance.md", "real_judge.md", "reference.md")
#: the port the pages name; while a page runs a free one stands in its place
PORT = "8765"
FENCE = re.compile(
    r"(?:<!-- (?P<note>[^\n]*?) -->\n)?```(?P<lang>\w*)\n(?P<body>.*?)```(?:\n<!-- end -->)?",
    re.DOTALL,
)
PROGRAMS = {"unbudged": "unbudged.cli", "pytest": "pytest", "python": "", "inspect": "inspect_ai"}


class Wrong(Exception):
    """A block cannot be run, or does not do what the page says."""


@dataclass
class Page:
    """One page while it is run: its folder, its servers, what its last program printed."""

    path: Path
    folder: Path
    port: str
    printed: str = ""
    servers: list[subprocess.Popen[str]] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        ours = {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100", "NO_PROXY": "*"}
        # in CI pytest prints more than it does at a desk
        left = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_") and k != "CI"}
        path = [str(self.folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {**left, **ours, "PYTHONPATH": os.pathsep.join(path)}

    def command(self, line: str) -> list[str]:
        program, *arguments = shlex.split(line.replace(PORT, self.port))
        if program not in PROGRAMS:
            raise Wrong(f"{line!r} is none of {', '.join(PROGRAMS)}")
        module = PROGRAMS[program]
        return [sys.executable, *(("-m", module) if module else ()), *arguments]

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, encoding="utf-8", timeout=600,
            env=self.environment(), check=False,
        )  # fmt: skip

    def shown(self, text: str) -> str:
        """Return what was printed without what changes from run to run."""
        text = text.replace("python -m unbudged.cli", "unbudged").replace(self.port, PORT)
        text = text.replace(str(self.folder), "~/judge")
        return re.sub(r"\bin \d+\.\d+s", "in 1.00s", text).rstrip()

    def close(self) -> None:
        for server in self.servers:
            server.terminate()
            server.wait(10)


def block(page: Page, match: re.Match[str]) -> str:
    """Run one block and return it as the page must show it."""
    note, lang, body = match["note"] or "", match["lang"], match["body"]
    kind, _, value = note.partition(": ")
    if kind == "run":
        return _fenced(note, "console", _run(page, value))
    if kind == "prints":
        return _fenced(note, "text", page.printed)
    if kind == "serve":
        _serve(page, body)
    elif kind == "file":
        target = page.folder / value
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(body.replace(PORT, page.port), encoding="utf-8")
        _parsed(value.rpartition(".")[2], body)
    elif lang == "python":
        program = page.folder / "block.py"
        program.write_text(body.replace(PORT, page.port), encoding="utf-8")
        done = page.run([sys.executable, program.name])
        if done.returncode:
            raise Wrong(f"a python block fails:\n{done.stderr}")
        page.printed = page.shown(done.stdout)
    elif lang == "sh":
        _installs(body)
    elif not _parsed(lang, body):
        raise Wrong(f"nothing runs a block of the language {lang!r}")
    return match[0]


def _fenced(note: str, lang: str, text: str) -> str:
    return f"<!-- {note} -->\n```{lang}\n{text}\n```\n<!-- end -->"


def _run(page: Page, what: str) -> str:
    line, *options = re.split(r"; (?=exit \d|first \d|lines \d|silent$)", what)
    code, first, last = 0, 1, None
    for option in options:
        if match := re.fullmatch(r"exit (\d+)", option):
            code = int(match[1])
        elif match := re.fullmatch(r"first (\d+) lines", option):
            last = int(match[1])
        elif option == "silent":
            last = 0
        elif match := re.fullmatch(r"lines (\d+) to (\d+)", option):
            first, last = int(match[1]), int(match[2])
        else:
            raise Wrong(f"no option {option!r} of a run block")
    done = page.run(page.command(line))
    if done.returncode != code:
        said = f"{done.stdout[-2000:]}{done.stderr}"
        raise Wrong(f"{line!r} exits {done.returncode}, not {code}:\n{said}")
    lines = page.shown(done.stdout).splitlines()
    shown = lines[first - 1 : last]
    head, tail = ["..."] * (first > 1), ["..."] * (bool(last) and len(lines) > (last or 0))
    return "\n".join([f"$ {line}", *head, *shown, *tail])


def _serve(page: Page, body: str) -> None:
    server = subprocess.Popen(
        page.command(body.strip().removesuffix("&").strip()), cwd=page.folder, text=True,
        env=page.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    page.servers.append(server)
    for _ in range(300):
        if server.poll() is not None:
            raise Wrong(f"{body.strip()!r} ended with {server.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(page.port))) == 0:
                return
        time.sleep(0.1)
    raise Wrong(f"{body.strip()!r} does not answer on port {page.port}")


def _installs(body: str) -> None:
    extras = re.search(
        r"^\[project.optional-dependencies\]\n(.*?)^\[", (ROOT / "pyproject.toml").read_text(),
        re.DOTALL | re.MULTILINE,
    )  # fmt: skip
    assert extras is not None
    known = set(re.findall(r"^(\w+) = \[", extras[1], re.MULTILINE))
    for line in body.splitlines():
        match = re.fullmatch(r'pip install (?:"unbudged\[(\w+)\]"|unbudged|[\w-]+ unbudged)', line)
        if match is None or (match[1] and match[1] not in known):
            raise Wrong(f"an sh block installs unbudged and does nothing else: {line!r}")


def _parsed(lang: str, body: str) -> bool:
    """Parse data; return whether the language is one of data."""
    if lang == "json":
        json.loads(body)
    elif lang == "jsonl":
        [json.loads(line) for line in body.splitlines()]
    elif lang in ("yaml", "yml"):
        import yaml

        yaml.safe_load(body)
    elif lang == "ini":
        configparser.ConfigParser().read_string(body)
    elif lang == "toml":
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib
        tomllib.loads(body)
    else:
        return False
    return True


def needs(text: str) -> str | None:
    """Return the framework a page needs."""
    match = re.match(r"<!-- needs: (\w+) -->\n", text)
    return match[1] if match else None


def pages(framework: str | None = None) -> Iterator[Path]:
    """Return the pages that are run with a framework, or those that need none."""
    for path in sorted(DOCS.rglob("*.md")):
        made = path.relative_to(DOCS).as_posix() in MADE
        if not made and needs(path.read_text("utf-8")) == framework:
            yield path


def rewritten(path: Path) -> str:
    """Run a page and return its text with every output as it is today."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    text = path.read_text("utf-8")
    with tempfile.TemporaryDirectory(prefix="docs-") as folder:
        page = Page(path, Path(folder).resolve(), port)
        try:
            return FENCE.sub(lambda match: block(page, match), text)
        except Wrong as error:
            raise SystemExit(f"{path.name}: {error}") from error
        finally:
            page.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the pages in docs/ and write their output.")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when stale")
    parser.add_argument("--needs", metavar="FRAMEWORK", help="the pages that need this framework")
    parser.add_argument("page", nargs="*", type=Path, help="only these pages")
    options = parser.parse_args()
    chosen = options.page or list(pages(options.needs))
    if not chosen:
        raise SystemExit(f"docs: no page needs {options.needs}")
    stale = False
    for path in chosen:
        old, new = path.read_text("utf-8"), rewritten(path)
        if old == new:
            continue
        if not options.check:
            path.write_text(new, encoding="utf-8", newline="\n")
            continue
        stale = True
        diff = difflib.unified_diff(old.splitlines(), new.splitlines(), path.name, "now", n=1,
                                    lineterm="")  # fmt: skip
        print("\n".join([*diff, f"{path.name} is stale: run python ci/docs.py"]), file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
