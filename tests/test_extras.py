"""What an adapter needs installed is asked of the installation, never of a name in a folder."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

import unbudged
from unbudged.adapters.extras import EXTRAS, check_extra, is_genuine, keep_quiet
from unbudged.errors import MissingExtra, TargetError, UsageError
from unbudged.loading import load_target

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
each_extra = pytest.mark.parametrize("name", sorted(EXTRAS))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a distribution with one package in a fresh folder."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(name, version, folder=tmp_path, direct_url=None):
        extra = EXTRAS[name]
        info = tmp_path / f"{extra.distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {extra.distribution}\nVersion: {version}\n"
        )
        if direct_url:
            (info / "direct_url.json").write_text(json.dumps(direct_url))
        package = folder / extra.module
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").touch()
        return package

    yield install
    for extra in EXTRAS.values():
        sys.modules.pop(extra.module, None)


@each_extra
def test_the_floor_is_the_one_installed_and_the_one_tested(name):
    extra = EXTRAS[name]
    pinned = ROOT / "integrations" / extra.module / "floor.txt"
    assert f"{extra.distribution}>={extra.floor}" in PROJECT["optional-dependencies"][name]
    lines = [line for line in pinned.read_text().splitlines() if not line.startswith("#")]
    assert f"{extra.distribution}=={extra.floor}" in lines


@each_extra
def test_a_missing_framework_is_one_sentence_with_the_pip_line(name, tmp_path, monkeypatch):
    # the folder is importable under the framework's name, and still nothing is installed
    (tmp_path / EXTRAS[name].module).mkdir()
    (tmp_path / EXTRAS[name].module / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *_standard_library()])
    with pytest.raises(MissingExtra) as raised:
        check_extra(name)
    said = str(raised.value)
    assert "\n" not in said
    assert f'pip install "unbudged[{name}]"' in said
    assert EXTRAS[name].distribution in said


def _standard_library():
    return [entry for entry in sys.path if entry and "site-packages" not in entry]


OLDER = {"deepeval": "3.9.8", "inspect": "0.3.99", "weave": "0.52.1rc1"}


@each_extra
def test_a_version_under_the_floor_is_one_sentence_with_both(name, installed):
    installed(name, OLDER[name])
    with pytest.raises(MissingExtra) as raised:
        check_extra(name)
    said = str(raised.value)
    assert "\n" not in said
    assert OLDER[name] in said
    assert EXTRAS[name].floor in said


@pytest.mark.parametrize("version", ["0.52.1", "0.52.1.post1", "0.52.10", "0.54.0.dev3", "1"])
def test_the_floor_and_everything_above_it_will_do(version, installed):
    installed("weave", version)
    assert check_extra("weave") == version


@each_extra
def test_the_installed_package_is_genuine_once_it_is_imported(name, installed):
    installed(name, EXTRAS[name].floor)
    assert not is_genuine(name)
    __import__(EXTRAS[name].module)
    assert is_genuine(name)


@each_extra
def test_a_folder_of_the_same_name_is_not_genuine_beside_an_installed_one(
    name, installed, tmp_path, monkeypatch
):
    installed(name, EXTRAS[name].floor)
    local = tmp_path / "project"
    (local / EXTRAS[name].module).mkdir(parents=True)
    (local / EXTRAS[name].module / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(local))
    __import__(EXTRAS[name].module)
    assert not is_genuine(name)


def test_an_editable_installation_is_genuine(installed, tmp_path, monkeypatch):
    tree = tmp_path / "clone of weave" / "src"
    url = (tmp_path / "clone of weave").as_uri()
    installed("weave", "1.0", tree, {"url": url, "dir_info": {"editable": True}})
    monkeypatch.syspath_prepend(str(tree))
    __import__("weave")
    assert is_genuine("weave")


def test_a_module_from_outside_an_editable_tree_is_not_genuine(installed, tmp_path, monkeypatch):
    url = (tmp_path / "clone").as_uri()
    installed("weave", "1.0", tmp_path / "clone2", {"url": url, "dir_info": {"editable": True}})
    monkeypatch.syspath_prepend(str(tmp_path / "clone2"))
    __import__("weave")
    assert not is_genuine("weave")


def test_the_objects_of_a_fake_framework_are_scanned_as_what_they_are(tmp_path, monkeypatch):
    (tmp_path / "weave").mkdir()
    (tmp_path / "weave" / "__init__.py").write_text(
        "class Scorer:\n    def score(self, output): return float('please' in output)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "weave", raising=False)
    import weave

    try:
        target = weave.Scorer()
        assert unbudged.run(target, ["An answer."], attacks=["override.*"]).target == "Scorer"
        with pytest.raises(UsageError, match="Weave scorer, not a Scorer"):
            unbudged.scan_scorer(target)
    finally:
        sys.modules.pop("weave", None)


@pytest.mark.parametrize("function", [unbudged.scan_metric, unbudged.scan_scorer])
@pytest.mark.parametrize("target", [len, "text", None, 7, type("Metric", (), {})])
def test_what_belongs_to_no_framework_is_refused_in_one_line(function, target):
    with pytest.raises(UsageError) as raised:
        function(target)
    assert "\n" not in str(raised.value)
    assert re.match(rf"{function.__name__} takes an? ", str(raised.value))


@each_extra
@pytest.mark.parametrize("folder", [False, True], ids=["nothing", "folder of that name"])
def test_a_target_file_that_needs_a_missing_framework_gets_the_pip_line(name, folder, tmp_path):
    module = EXTRAS[name].module
    try:
        check_extra(name)
    except MissingExtra:
        pass
    else:
        pytest.skip(f"{module} is installed here")
    if folder:
        (tmp_path / module).mkdir()
    file = tmp_path / "scorer.py"
    file.write_text(f"from {module} import anything\ntarget = anything()\n")
    try:
        with pytest.raises(TargetError) as raised:
            load_target(str(file))
    finally:
        sys.modules.pop(module, None)
    said = str(raised.value)
    assert said.startswith("scorer.py: ")
    assert f'pip install "unbudged[{name}]"' in said
    assert "\n" not in said


def test_another_missing_module_is_named_as_it_is(tmp_path):
    file = tmp_path / "scorer.py"
    file.write_text("import weave_of_another_kind\n")
    with pytest.raises(TargetError, match="No module named 'weave_of_another_kind'"):
        load_target(str(file))


def test_frameworks_are_told_to_report_nothing_unless_the_user_has_decided(monkeypatch):
    # set first, so that what keep_quiet adds is taken back after the test
    for name in ("DEEPEVAL_TELEMETRY_OPT_OUT", "WANDB_ERROR_REPORTING"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_ENABLED", "YES")
    keep_quiet()
    assert "DEEPEVAL_TELEMETRY_OPT_OUT" not in os.environ
    assert os.environ["WANDB_ERROR_REPORTING"] == "false"
    monkeypatch.delenv("DEEPEVAL_TELEMETRY_ENABLED")
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "true")
    keep_quiet()
    assert os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] == "1"
    assert os.environ["WANDB_ERROR_REPORTING"] == "true"
