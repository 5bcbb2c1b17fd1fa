"""The public names are there, and asking for the package loads next to nothing."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import unbudged

HEAVY = {
    "asyncio", "click", "deepeval", "email", "importlib.metadata", "inspect_ai",
    "jinja2", "logging", "numpy", "rich", "typing_extensions", "unittest", "weave",
}  # fmt: skip
NAMES = {
    "Attack", "CorpusError", "Family", "Finding", "Interrupted", "Judge",
    "JudgeInfo", "Progress", "Report", "Sample",
    "Scored", "TargetError", "UnbudgedError", "Unscorable", "UsageError", "__version__", "arun",
    "assert_unbudged", "load_corpus", "run",
    "scan_metric", "scan_scorer",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    # -I -S: neither site-packages hooks nor the environment load anything of their own
    path = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path[:] = {path!r}\n"
            f"before = set(sys.modules)\n{code}\nprint(*(set(sys.modules) - before))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_itself_alone():
    ours = {name for name in loaded_by("import unbudged") if not name.startswith("unbudged")}
    assert ours <= {"__future__"}


@pytest.mark.parametrize(
    "code",
    [
        "import unbudged",
        "from unbudged import Sample, Report, Attack, Judge, UsageError",
        "from unbudged import run, load_corpus",
        "import unbudged; unbudged.load_corpus()",
        "import unbudged; unbudged.run(len, ['some answer', 'another longer answer'])",
    ],
)
def test_no_use_of_the_package_loads_a_framework(code):
    loaded = loaded_by(code)
    assert any(name.startswith("unbudged") for name in loaded)
    assert not loaded & HEAVY


def test_every_public_name_is_there_and_documented():
    assert set(unbudged.__all__) == NAMES
    for name in NAMES - {"__version__"}:
        assert getattr(unbudged, name).__doc__, name
    assert set(dir(unbudged)) >= NAMES


def test_an_unknown_name_is_an_ordinary_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        unbudged.nothing  # noqa: B018
    with pytest.raises(ImportError):
        exec("from unbudged import nothing")


def test_the_version_is_that_of_the_installed_package():
    assert unbudged.__version__ == importlib.metadata.version("unbudged")
