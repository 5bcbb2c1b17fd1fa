"""The repository agrees with itself: versions, Pythons, commands, workflows, what ships."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
needs_sh = pytest.mark.skipif(shutil.which("sh") is None, reason="no sh on this system")


def classified_pythons() -> list[str]:
    found = (re.fullmatch(r".* :: (3\.\d+)", line) for line in PROJECT["classifiers"])
    return [match[1] for match in found if match]


def workflow(name: str) -> dict:
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def steps(path: Path) -> Iterator[dict]:
    for job in workflow(path.name)["jobs"].values():
        yield from job["steps"]


def test_the_version_has_its_entry_on_top_of_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", text, re.M)[1] == PROJECT["version"]


def test_every_classified_python_is_tested_and_no_other() -> None:
    assert workflow("ci.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == (
        classified_pythons()
    )


def test_the_least_python_is_the_first_classified_one() -> None:
    least = classified_pythons()[0]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert PROJECT["requires-python"] == f">={least}"
    assert settings["mypy"]["python_version"] == least
    assert settings["ruff"]["target-version"] == "py" + least.replace(".", "")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_only_calls_scripts_in_ci(path: Path) -> None:
    calls = [step["run"] for step in steps(path) if "run" in step]
    assert calls
    for call in calls:
        # words, options and the matrix's own words may follow the script
        argument = r" (?:(?:--)?\w+|\$\{\{ matrix\.\w+ \}\})"
        script = re.fullmatch(rf"sh (ci/\w+\.sh)(?:{argument})*", call.strip())
        assert script, f"{path.name} does work of its own: {call}"
        assert (ROOT / script[1]).is_file(), f"{path.name} calls {script[1]}, which does not exist"


def test_every_framework_is_tested_weekly_at_its_floor_and_at_its_latest() -> None:
    matrix = workflow("weekly.yml")["jobs"]["conformance"]["strategy"]["matrix"]
    folders = (ROOT / "integrations").glob("*/floor.txt")
    assert matrix["framework"] == sorted(path.parent.name for path in folders)
    assert matrix["version"] == ["floor", "latest"]


def test_every_framework_is_installed_weekly_from_the_wheel_alone() -> None:
    jobs = workflow("weekly.yml")["jobs"]
    matrix = jobs["fresh-install"]["strategy"]["matrix"]
    assert matrix["framework"] == jobs["conformance"]["strategy"]["matrix"]["framework"]
    assert set(jobs) - {"report"} == set(jobs["report"]["needs"])


def test_a_clean_run_checks_the_latest_of_every_framework() -> None:
    folders = sorted(path.parent.name for path in (ROOT / "integrations").glob("*/floor.txt"))
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"for framework in {' '.join(folders)}; do\n  check conformance" in text


def targets() -> dict[str, str]:
    """Return each target of the Makefile with its recipe."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z]+):.*\n((?:\t.*\n)*)", text, re.M))


def test_every_make_target_calls_one_script_in_ci() -> None:
    assert {"help", "demo", "test", "lint", "types", "imports", "bench"} <= targets().keys()
    for name, recipe in targets().items():
        assert recipe == f"\t@sh ci/{name}.sh\n"
        assert (ROOT / "ci" / f"{name}.sh").is_file()


@needs_sh
def test_help_lists_every_target_and_says_what_it_does() -> None:
    listed = subprocess.run(
        ["sh", str(ROOT / "ci" / "help.sh")], capture_output=True, text=True, check=True
    ).stdout
    assert dict(re.findall(r"^make (\w+) +(\S.+)$", listed, re.M)).keys() == targets().keys()


def test_everything_make_offers_is_declared_phony() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(re.search(r"^\.PHONY: (.+)$", text, re.M)[1].split()) == targets().keys()


def sources() -> list[Path]:
    """Return the files of the project, without what commands leave behind."""
    folders = ("src", "tests", "examples", "ci", "integrations", ".github", ".ci", "docs")
    paths = [path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".lock"]
    for folder in folders:
        paths += (path for path in (ROOT / folder).rglob("*") if path.is_file())
    # in a second work tree .git is a file that says where the first one is
    left = {".coverage", ".git"}
    return [p for p in paths if "__pycache__" not in p.parts and p.name not in left]


def test_no_file_names_a_place_outside_the_repository() -> None:
    places = re.compile(r"(?<![\w.])/work/|\.\./shared|/tmp/briefs|bash_jobs")
    for path in sources():
        if path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found = places.search(text)
        assert not found, f"{path.relative_to(ROOT)} names {found[0]}"


PROSE = re.compile(r"\b(sessions?|helpers?)\b", re.I)


@pytest.mark.parametrize("name", ["*.md", "*.toml", "Makefile", ".ci/*", "ci/*", ".github/**/*"])
def test_no_prose_speaks_of_how_the_project_was_made(name: str) -> None:
    for path in ROOT.glob(name):
        if path.is_file():
            found = PROSE.search(path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(ROOT)} says {found[0]!r}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel from a copy of the sources, with the build tool's own command."""
    copy = tmp_path_factory.mktemp("copy") / "unbudged"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
    out = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=copy,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    package = ROOT / "src" / "unbudged"
    here = {
        f"unbudged/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    shipped = set(wheel.namelist())
    assert not here - shipped
    assert "unbudged/py.typed" in shipped
    assert "unbudged/reports/report.schema.json" in shipped
    assert [name for name in shipped if name.startswith("unbudged/corpora/core/")]


def test_the_wheel_holds_nothing_but_the_package(wheel: zipfile.ZipFile) -> None:
    folders = {name.split("/")[0] for name in wheel.namelist()}
    assert folders == {"unbudged", f"unbudged-{PROJECT['version']}.dist-info"}


def test_the_wheel_carries_the_licence_and_the_command(wheel: zipfile.ZipFile) -> None:
    info = f"unbudged-{PROJECT['version']}.dist-info"
    assert "unbudged = unbudged.cli:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert any(name.startswith(info) and name.endswith("LICENSE") for name in wheel.namelist())


def test_installing_needs_only_what_the_architecture_gives_a_reason_for(
    wheel: zipfile.ZipFile,
) -> None:
    info = f"unbudged-{PROJECT['version']}.dist-info"
    needs = re.findall(r"^Requires-Dist: (.+)$", wheel.read(f"{info}/METADATA").decode(), re.M)
    base = {re.match(r"[\w-]+", need)[0] for need in needs if "extra ==" not in need}
    reasons = (ROOT / "ARCHITECTURE.md").read_text().split("## Dependencies")[1]
    assert base == set(re.findall(r"^- ([\w-]+): ", reasons, re.M))
