"""Reports in files: checked before the scan is paid for, whole or not at all, several at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from command import MODULE, STEADY, STEERED, one_line, unbudged, write
from unbudged.reports.json import report_from_json

CALLED = """
    import pathlib
    baselines = ["A short answer.", "Another, longer answer that says more."]
    def target(text):
        pathlib.Path(__file__).with_name("called").touch()
        return float(len(text))
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions and signals")


def test_the_saved_report_is_the_one_that_json_prints(tmp_path):
    path = write(tmp_path, STEERED)
    done = unbudged("run", path, "--json", "--save", tmp_path / "report.json")
    assert done.returncode == 1
    saved = (tmp_path / "report.json").read_text("utf-8")
    assert json.loads(saved) == json.loads(done.stdout)
    assert report_from_json(saved).findings
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["grader.py", "report.json"]


def test_text_is_still_printed_beside_a_file(tmp_path):
    path = write(tmp_path, STEADY)
    done = unbudged("run", path, "--save", tmp_path / "report.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Held: ")


@pytest.mark.parametrize("flag", ["html", "sarif", "junit", "markdown"])
def test_a_flag_writes_its_format_and_a_saved_report_gives_the_same(tmp_path, flag):
    out = tmp_path / f"report.{flag}"
    write(tmp_path, STEERED)
    done = unbudged("run", "grader.py", f"--{flag}", out, "--save", "r.json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "override.full_marks" in out.read_text("utf-8")
    assert ("grader.py" in out.read_text("utf-8")) or flag == "html"
    again = unbudged("report", "r.json", f"--{flag}", "again", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert again.stdout == ""
    assert (tmp_path / "again").read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("-", "--json prints to standard output"),
        ("", "no file name"),
        ("nowhere/report.json", "there is no folder 'nowhere'; make it first"),
        (".", "this is a folder"),
        ("grader.py", "this file is used already"),
        ("more.jsonl", "this file is used already"),
        ("kept.journal", "this file is used already"),
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_any_call(tmp_path, given, says):
    write(tmp_path, CALLED)
    (tmp_path / "more.jsonl").write_text('{"output": "One more answer."}\n')
    arguments = ["run", "grader.py", "--samples", "more.jsonl", "--journal", "kept.journal"]
    arguments += ["--save", given]
    one_line(unbudged(*arguments, cwd=tmp_path), says)
    assert not (tmp_path / "called").exists()
    assert "CALLED" not in (tmp_path / "grader.py").read_text()


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev")
def test_a_device_is_no_file_to_replace(tmp_path):
    write(tmp_path, CALLED)
    one_line(unbudged("run", "grader.py", "--save", "/dev/full", cwd=tmp_path), "not a regular")
    assert not (tmp_path / "called").exists()


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_may_not_be_written_is_told_before_any_call(tmp_path):
    write(tmp_path, CALLED)
    (tmp_path / "locked").mkdir(mode=0o500)
    done = unbudged("run", "grader.py", "--save", "locked/r.json", cwd=tmp_path)
    one_line(done, "cannot be written: permission denied")
    assert not (tmp_path / "called").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs Linux's /proc")
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs Linux's /proc")
def test_a_file_system_that_takes_no_files_is_told_before_any_call(tmp_path):
    write(tmp_path, CALLED)
    done = unbudged("run", "grader.py", "--save", "/proc/report.json", cwd=tmp_path)
    one_line(done, "cannot be written")
    assert not (tmp_path / "called").exists()


@pytest.mark.parametrize(
    "flag", ["html", "sarif", "junit", "markdown", "save", "journal", "samples", "fail-on-new"]
)
def test_one_of_two_files_is_never_dropped_in_silence(tmp_path, flag):
    write(tmp_path, CALLED)
    done = unbudged("run", "grader.py", f"--{flag}", "a", f"--{flag}=b", cwd=tmp_path)
    one_line(done, f"'--{flag}': given 2 times, takes one: a, b")
    assert [path.name for path in tmp_path.iterdir()] == ["grader.py"]


def test_a_saved_report_is_not_written_to_one_of_two_files_either(tmp_path):
    write(tmp_path, STEADY)
    unbudged("run", "grader.py", "--save", "r.json", cwd=tmp_path)
    done = unbudged("report", "r.json", "--html", "a", "--html", "b", cwd=tmp_path)
    one_line(done, "'--html': given 2 times")


def test_a_file_set_in_pyproject_gives_way_to_the_one_on_the_command_line(tmp_path):
    write(tmp_path, STEADY)
    (tmp_path / "pyproject.toml").write_text('[tool.unbudged]\nhtml = "set.html"\n')
    assert unbudged("run", "grader.py", cwd=tmp_path).returncode == 0
    assert (tmp_path / "set.html").exists()
    (tmp_path / "set.html").unlink()
    assert unbudged("run", "grader.py", "--html", "typed.html", cwd=tmp_path).returncode == 0
    assert (tmp_path / "typed.html").exists()
    assert not (tmp_path / "set.html").exists()
    (tmp_path / "pyproject.toml").write_text('[tool.unbudged]\nhtml = ["a", "b"]\n')
    one_line(unbudged("run", "grader.py", cwd=tmp_path), "[tool.unbudged] html: ")


def test_two_reports_never_share_a_file(tmp_path):
    write(tmp_path, CALLED)
    done = unbudged("run", "grader.py", "--html", "r", "--save", "./r", cwd=tmp_path)
    one_line(done, "--save ./r: --html writes to it already")


LOSING = """
    import pathlib, shutil
    baselines = ["A short answer.", "Another, longer answer that says more."]
    def target(text):
        shutil.rmtree(pathlib.Path(__file__).with_name("out"), ignore_errors=True)
        return float(len(text.split("\\n")[0]))
"""


def test_a_report_lost_at_the_end_exits_70_and_is_printed_all_the_same(tmp_path):
    write(tmp_path, LOSING)
    (tmp_path / "out").mkdir()
    done = unbudged("run", "grader.py", "--save", "out/r.json", cwd=tmp_path)
    assert done.returncode == 70
    assert done.stdout.startswith("Held: ")
    assert "--save out/r.json: no such file or directory" in done.stderr


@posix
def test_a_link_stays_a_link_and_a_file_keeps_its_permissions(tmp_path):
    write(tmp_path, STEADY)
    real = tmp_path / "real.json"
    real.write_text("old")
    real.chmod(0o640)
    (tmp_path / "link.json").symlink_to(real)
    done = unbudged("run", "grader.py", "--save", "link.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads(real.read_text())["verdict"] == "held"
    assert real.stat().st_mode & 0o777 == 0o640


@posix
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    write(tmp_path, STEADY)
    (tmp_path / "plain").touch()
    assert unbudged("run", "grader.py", "--save", "r.json", cwd=tmp_path).returncode == 0
    assert (tmp_path / "r.json").stat().st_mode == (tmp_path / "plain").stat().st_mode


@posix
def test_an_interrupted_scan_leaves_the_old_file_and_nothing_else(tmp_path):
    write(
        tmp_path,
        """
        import pathlib, time
        baselines = ["a"]
        calls = 0
        def target(text):
            global calls
            calls += 1
            if calls == 9:
                pathlib.Path(__file__).with_name("started").touch()
                time.sleep(60)
            return 1.0
        """,
    )
    (tmp_path / "r.json").write_text("old")
    command = [*MODULE, "run", "grader.py", "--save", "r.json"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "unbudged: interrupted, no file was written; " in err
    assert (tmp_path / "r.json").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"grader.py", "r.json", "started"}
