"""Targets that fork: the child leaves where it comes back into the scan."""

from __future__ import annotations

import json
import os
import sys
import textwrap

import pytest

from command import unbudged, write

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

#: every process that is in the target leaves a line
FORKING = """
    import os, pathlib, sys
    here = pathlib.Path(__file__).parent
    baselines = ["A short answer.", "Another, longer answer that says more."]
    {kind} target(text):
        child = os.fork()
        if child == 0:
            {child}
        _, status = os.waitpid(child, 0)
        with open(here / "codes", "a") as file:
            print(os.waitstatus_to_exitcode(status), file=file)
        return 1.0 + ("full marks" in text)
"""
ENDS = {
    "return 1.0": "0", "raise ValueError('no')": "1", "sys.exit(7)": "7", "sys.exit('no')": "1",
    "sys.exit()": "0", "raise KeyboardInterrupt": "1",
}
WAYS = {
    "in place": [], "in threads": ["--concurrency", "3"], "isolated": ["--isolate"],
    "with a timeout": ["--timeout", "20"],
}


def _scan(tmp_path, kind, child, *options):
    grader = write(tmp_path, FORKING.format(kind=kind, child=child))
    journal = tmp_path / "scan.db"
    arguments = ("--family", "role_reversal", "--json", "--journal", journal, *options)
    done = unbudged("run", grader, *arguments)
    return done, unbudged("report", journal, "--json")


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("way", WAYS)
def test_a_child_that_returns_prints_nothing_and_leaves_the_journal_whole(tmp_path, kind, way):
    done, again = _scan(tmp_path, kind, "return 1.0", *WAYS[way])
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)  # one document
    assert done.stderr.count("allowed") == 1
    codes = (tmp_path / "codes").read_text().split()
    assert codes == ["0"] * report["calls"]
    assert json.loads(again.stdout)["findings"] == report["findings"]


@pytest.mark.parametrize("child", ENDS)
def test_a_child_ends_with_the_code_that_python_gives_it(tmp_path, child):
    done, _ = _scan(tmp_path, "def", child)
    assert json.loads(done.stdout)["findings"]
    assert "Traceback" not in done.stderr
    assert set((tmp_path / "codes").read_text().split()) == {ENDS[child]}


def test_a_child_that_ends_itself_keeps_its_code_in_a_worker(tmp_path):
    done, _ = _scan(tmp_path, "def", "os._exit(0)", "--isolate")
    assert json.loads(done.stdout)["findings"]
    assert set((tmp_path / "codes").read_text().split()) == {"0"}


def test_a_module_that_forks_when_it_is_loaded_is_scanned_once(tmp_path):
    grader = write(
        tmp_path,
        """
        import os
        baselines = ["A short answer."]
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        def target(text):
            return 1.0 + ("full marks" in text)
        """,
    )
    done = unbudged("run", grader, "--family", "role_reversal", "--json")
    assert json.loads(done.stdout)["findings"]


def test_a_judge_of_ones_own_that_forks_is_left_by_its_child(tmp_path):
    script = tmp_path / "own.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, unbudged
            class Judge:
                info = unbudged.JudgeInfo(name="own")
                async def preflight(self, samples):
                    if os.fork():
                        os.wait()
                    return 0
                async def read(self, sample):
                    if os.fork():
                        os.wait()
                    return 1.0
            print("before", end=" ")  # stays in the buffer that every child has too
            print(unbudged.run(Judge(), ["It is blue."], families=["role_reversal"]).verdict)
            """
        )
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "before inconclusive\n", done.stderr


def test_a_process_that_was_forked_before_may_scan():
    import unbudged as package

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            report = package.run(len, ["A short answer."], families=["role_reversal"])
            os.write(writing, report.verdict.encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as file:
        assert file.read() in ("held", "inconclusive")
    assert os.waitpid(child, 0)[1] == 0
