"""Ctrl-C once, twice and at any moment: one line, code 130, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from command import MODULE, write

SLOW = """
    import pathlib, time
    baselines = ["A short answer."]
    here = pathlib.Path(__file__).parent
    def target(text):
        (here / "called").touch()
        time.sleep(0.3)
        return 1.0
    def stubborn(text):
        (here / "called").touch()
        while True:
            try:
                time.sleep(60)
            except KeyboardInterrupt:
                pass
"""


def _start(grader: Path, name: str, *options: str) -> subprocess.Popen[str]:
    """Start a scan in a process group of its own, as a terminal gives one to a command."""
    return subprocess.Popen(
        [*MODULE, "run", f"{grader}:{name}", "--quiet", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )


def _wait(condition, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _press(process: subprocess.Popen[str], times: int, gap: float) -> None:
    for _ in range(times):
        try:
            os.killpg(process.pid, signal.SIGINT)
        except ProcessLookupError:
            return
        time.sleep(gap)


def _group(pid: int) -> list[str]:
    """Return the processes of a group that still run."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
            tracker = "resource_tracker" in Path("/proc", name, "cmdline").read_text()
        except OSError:
            continue
        if int(state[2]) == pid and state[0] not in "ZX" and not tracker:
            found.append(name)
    return found


def _gone(process: subprocess.Popen[str]) -> bool:
    deadline = time.monotonic() + 10
    while _group(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not _group(process.pid)


@pytest.mark.parametrize("gap", [0.02, 0.08, 0.15])
@pytest.mark.parametrize("options", [["--isolate"], ["--concurrency", "4"], []])
def test_two_presses_of_a_hurried_hand_are_one_line_and_code_130(tmp_path, options, gap):
    process = _start(write(tmp_path, SLOW), "target", *options)
    _wait((tmp_path / "called").exists, process)
    _press(process, 2, gap)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    [line] = err.splitlines()
    assert line.startswith("unbudged: interrupted")
    assert _gone(process)


@pytest.mark.parametrize("later", [0.0, 0.1, 0.25, 0.4])
def test_a_worker_that_is_just_starting_says_nothing_of_it(tmp_path, later):
    process = _start(write(tmp_path, SLOW), "target", "--isolate", "--concurrency", "2")
    _wait(lambda: len(_group(process.pid)) > 1, process)
    time.sleep(later)
    _press(process, 1, 0)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    [line] = err.splitlines()
    assert line.startswith("unbudged: interrupted")
    assert _gone(process)


def test_a_target_that_ignores_ctrl_c_is_ended_by_the_second_one(tmp_path):
    process = _start(write(tmp_path, SLOW), "stubborn")
    _wait((tmp_path / "called").exists, process)
    _press(process, 2, 1.5)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "unbudged: interrupted\n"
