"""The documentation is true: every block runs, every output is today's, every link works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
#: pages that scripts write whole; what they show is checked by the tests of those scripts
MADE = {"attacks.md", "measurement.md", "performance.md", "real_judge.md", "reference.md"}
NEEDS = re.compile(r"<!-- needs: (\w+) -->\n")


def docs(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "ci" / "docs.py"), *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def named(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


RUN_HERE = [p for p in PAGES if named(p) not in MADE and not NEEDS.match(p.read_text("utf-8"))]


@pytest.mark.parametrize("page", RUN_HERE, ids=named)
def test_the_page_does_what_it_shows(page):
    done = docs("--check", page)
    assert done.returncode == 0, done.stderr


def test_a_page_that_needs_a_framework_is_run_where_that_framework_is():
    needed = {NEEDS.match(page.read_text("utf-8")) for page in PAGES} - {None}
    assert {match[1] for match in needed} == {"deepeval", "inspect_ai", "weave"}
    for match in needed:
        [test] = (ROOT / "integrations" / match[1]).glob("test_*_docs.py")
        assert f'"--check", "--needs", "{match[1]}"' in test.read_text("utf-8")


def test_pages_that_scripts_write_hold_nothing_to_run():
    for page in PAGES:
        if named(page) in MADE:
            assert not re.findall(r"^```(?:python|sh|console)", page.read_text("utf-8"), re.M)


def test_the_reference_is_what_the_docstrings_say_today():
    done = subprocess.run(
        [sys.executable, str(ROOT / "ci" / "reference.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_tutorial_goes_from_a_moved_judge_to_a_gate_that_passes():
    text = (DOCS / "tutorial.md").read_text("utf-8")
    moved, held, passed = (text.index(part) for part in ("\nMoved: ", "\nHeld: ", "] PASSED"))
    assert moved < held < passed
    assert "FAILED" not in text


def test_every_link_leads_somewhere():
    for page in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"]:
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
            if not re.match(r"[a-z]+:|#", link):
                assert (page.parent / link.split("#")[0]).exists(), f"{page.name}: {link}"


def test_every_page_is_in_the_index_and_the_readme_leads_there():
    index = (DOCS / "README.md").read_text("utf-8")
    linked = set(re.findall(r"\]\(([\w./]+\.md)\)", index))
    assert linked == {named(page) for page in PAGES} - {"README.md"}
    assert "](docs/README.md)" in (ROOT / "README.md").read_text("utf-8")


def page(folder: Path, text: str) -> Path:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


STALE = "<!-- run: unbudged --version -->\n```console\n$ old\n```\n<!-- end -->\n"


def test_a_stale_output_is_noticed_and_rewritten(tmp_path):
    path = page(tmp_path, STALE)
    done = docs("--check", path)
    assert done.returncode == 1
    assert "-$ old" in done.stderr
    assert path.read_text("utf-8") == STALE
    assert docs(path).returncode == 0
    assert "\n$ unbudged --version\nunbudged 0" in path.read_text("utf-8")
    assert docs("--check", path).returncode == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("```python\nassert 1 == 2\n```\n", "a python block fails"),
        ("```sh\nrm -rf x\n```\n", "installs unbudged and does nothing else"),
        ('```sh\npip install "unbudged[nothing]"\n```\n', "installs unbudged and does nothing"),
        ("```\nunbudged run x.py\n```\n", "nothing runs a block of the language ''"),
        ("```console\n$ unbudged run x.py\n```\n", "nothing runs a block of the language 'cons"),
        ("<!-- run: unbudged run none.py -->\n```console\n```\n<!-- end -->\n", "exits 2, not 0"),
        ("<!-- run: curl x -->\n```console\n```\n<!-- end -->\n", "is none of unbudged, pytest"),
        ("<!-- serve -->\n```sh\npython none.py &\n```\n", "ended with 2"),
    ],
)
def test_a_block_that_does_not_work_or_that_nothing_runs_fails(tmp_path, text, says):
    done = docs("--check", page(tmp_path, text))
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback (most recent call last):\n  File \"" + str(ROOT) not in done.stderr


@pytest.mark.parametrize("lang", ["toml", "yaml", "json", "ini"])
def test_data_that_does_not_parse_fails(tmp_path, lang):
    done = docs("--check", page(tmp_path, f"```{lang}\n{{[ = :\n```\n"))
    assert done.returncode != 0


def test_what_a_python_block_prints_is_shown_below_it(tmp_path):
    text = "```python\nprint(6 * 7)\n```\n\n<!-- prints -->\n```text\n41\n```\n<!-- end -->\n"
    path = page(tmp_path, text)
    assert docs(path).returncode == 0
    assert path.read_text("utf-8") == text.replace("41", "42")
