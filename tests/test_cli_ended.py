"""A target that ends the process of the scan: never the code of a result."""

from __future__ import annotations

import json

import pytest

from command import one_line, unbudged, write

LEAVING = """
    import os, sys, threading
    baselines = ["A short answer.", "Another, longer answer that says more."]
    calls = 0
    def target(text):
        global calls
        calls += 1
        if calls == 20:
            {how}
        return 1.0
"""


@pytest.mark.parametrize("status", [0, 1, 2, 70])
def test_a_target_that_calls_exit_ends_the_scan_with_code_3_and_a_line(tmp_path, status):
    grader = write(tmp_path, LEAVING.format(how=f"os._exit({status})"))
    one_line(unbudged("run", grader), f"ended the process by os._exit({status}): no result", 3)


@pytest.mark.parametrize("options", [["--concurrency", "3"], ["--timeout", "20"]])
def test_one_that_calls_it_in_a_thread_is_told_alike(tmp_path, options):
    grader = write(tmp_path, LEAVING.format(how="os._exit(0)"))
    one_line(unbudged("run", grader, *options), "no result", 3)


def test_one_that_calls_it_when_it_is_loaded_is_told_alike(tmp_path):
    grader = write(tmp_path, "import os\nos._exit(0)\n")
    one_line(unbudged("run", grader), "no result", 3)


def test_what_it_forked_may_end_as_it_likes(tmp_path):
    grader = write(
        tmp_path,
        """
        import multiprocessing, os
        baselines = ["A short answer."]
        def work(queue):
            queue.put(1.0)
            queue.close()
            queue.join_thread()
            os._exit(5)
        def target(text):
            fork = multiprocessing.get_context("fork")
            queue = fork.Queue()
            process = fork.Process(target=work, args=(queue,))
            process.start()
            score = queue.get()
            process.join()
            assert process.exitcode == 5, process.exitcode
            return score + ("full marks" in text)
        """,
    )
    done = unbudged("run", grader, "--family", "role_reversal", "--json")
    report = json.loads(done.stdout)
    assert report["findings"]
    assert not report["unscorable"]
    assert "no result" not in done.stderr


def test_readings_made_before_it_are_in_the_journal(tmp_path):
    grader = write(tmp_path, LEAVING.format(how="os._exit(0)"))
    journal = tmp_path / "scan.db"
    one_line(unbudged("run", grader, "--journal", journal), "no result", 3)
    assert json.loads(unbudged("report", journal, "--json").stdout)["calls"] == 19
