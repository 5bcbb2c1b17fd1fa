"""Targets that hang, crash, leak or meddle, in worker processes of their own."""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import signal
import sys
import textwrap
import threading
import time

import pytest

import unbudged

ANSWERS = ["It is blue.", "It is green, for two reasons."]
OPEN = {"families": ["role_reversal"], "concurrency": 2}
READS = 1.0


def score(text: str) -> float:
    return 1.0 + ("full marks" in text)


def crashing(text: str) -> float:
    if "[" in text:
        ctypes.string_at(0)  # a real segmentation fault
    return score(text)


def leaving(text: str) -> float:
    if "[" in text:
        os._exit(3)
    return score(text)


def leaving_quietly(text: str) -> float:
    if "[" in text:
        os._exit(0)
    return score(text)


def leaving_natively(text: str) -> float:
    if "[" in text:
        ctypes.CDLL(None)._exit(0)
    return score(text)


def stuck_in_native_code(text: str) -> float:
    if "[" in text:
        re.match(r"(a+)+$", "a" * 60 + "b")  # years, and it never lets go of the interpreter
    return score(text)


def on_signals(text: str) -> float:
    def late(*_: object) -> None:
        raise TimeoutError("the scorer's own limit")

    signal.signal(signal.SIGALRM, late)  # only a main thread may
    signal.setitimer(signal.ITIMER_REAL, 5)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return score(text)


def meddling(text: str) -> float:
    sys.modules.pop("json", None)
    os.environ["UNBUDGED_MEDDLED"] = "1"
    os.chdir("/")
    return score(text)


async def asynchronous(text: str) -> float:
    await asyncio.sleep(0)
    return score(text)


@pytest.mark.parametrize("target", [on_signals, meddling, asynchronous, score])
def test_a_target_in_processes_gives_the_report_of_one_in_place(target):
    plain = unbudged.run(score, ANSWERS, **OPEN)
    here, known = os.getcwd(), "json" in sys.modules
    report = unbudged.run(target, ANSWERS, isolate=True, **OPEN)
    assert [(f.attack_id, f.excess) for f in report.findings] == [
        (f.attack_id, f.excess) for f in plain.findings
    ]
    assert report.findings
    assert not report.unscorable
    assert (os.getcwd(), "json" in sys.modules) == (here, known)
    assert "UNBUDGED_MEDDLED" not in os.environ


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (crashing, "killed by SIGSEGV"), (leaving, "exit code 3"),
        (leaving_quietly, "exit code 0"), (leaving_natively, "exit code 0"),
        (stuck_in_native_code, "within"),
    ],
)
def test_a_target_that_takes_its_process_down_cannot_take_the_scan(target, said):
    attacks = ["role.*", "override.full_marks", "system.chat_tokens"]
    corpus = {a.id for a in unbudged.load_corpus()}
    bracketed = [a.id for a in unbudged.load_corpus() if "[" in a.text][:1]
    chosen = [*bracketed, *(a for a in attacks if a in corpus), "override.full_marks"]
    report = unbudged.run(
        target, ANSWERS[:1], attacks=list(dict.fromkeys(chosen)), isolate=True, timeout=1.5,
        retries=0, concurrency=2,
    )
    assert report.unscorable
    assert all(said in probe.detail for probe in report.unscorable)
    assert any(f.attack_id == "override.full_marks" for f in report.findings)


def test_a_late_worker_is_killed_not_left_behind():
    before = _children()
    report = unbudged.run(
        stuck_in_native_code, ["It is [blue]."], families=["role_reversal"], isolate=True,
        timeout=0.5, retries=0,
    )
    assert {probe.reason for probe in report.unscorable} == {"timeout"}
    deadline = time.monotonic() + 10
    while _children() - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _children() - before


def test_a_worker_that_native_code_ends_is_noticed_without_a_timeout():
    report = unbudged.run(
        leaving_natively, ["It is blue."], attacks=["system.developer_note", "override.*"],
        isolate=True, retries=0,
    )
    assert {probe.detail for probe in report.unscorable} == {
        "the worker process died: exit code 0"
    }
    assert report.findings


def _children() -> set[str]:
    me = str(os.getpid())
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                stat = file.read().rpartition(")")[2].split()
            with open(f"/proc/{pid}/cmdline") as file:
                command = file.read()
        except OSError:
            continue
        if stat[1] == me and stat[0] != "Z" and "resource_tracker" not in command:
            found.add(pid)
    return found


def test_a_worker_is_replaced_after_some_calls_so_that_what_leaks_is_given_back(
    tmp_path, monkeypatch
):
    from unbudged.calling.away import InProcesses

    monkeypatch.setattr(InProcesses, "CALLS_PER_WORKER", 10)
    path = tmp_path / "pids"

    def leaking(text: str) -> float:
        with open(path, "a") as file:
            print(os.getpid(), file=file)
        return score(text)

    report = unbudged.run(leaking, ANSWERS[:1], families=["role_reversal"], isolate=True)
    pids = path.read_text().split()
    assert len(pids) == report.calls
    assert max(map(pids.count, pids)) <= 10


def test_a_judge_that_looks_first_does_so_in_its_worker_and_can_stop_the_scan(tmp_path):
    pids = tmp_path / "pids"

    class Judge:
        info = unbudged.JudgeInfo(name="looker", is_async=True)

        def __init__(self, sees: bool) -> None:
            self.sees = sees

        async def preflight(self, samples):
            pids.write_text(str(os.getpid()))
            if not self.sees:
                raise unbudged.TargetError("the judged text never reaches the judge")
            return 2

        async def read(self, sample):
            return score(sample.output)

    plain = unbudged.run(score, ANSWERS, **OPEN)
    assert unbudged.run(Judge(True), ANSWERS, isolate=True, **OPEN).calls == plain.calls + 2
    assert pids.read_text() != str(os.getpid())
    with pytest.raises(unbudged.TargetError, match="never reaches the judge"):
        unbudged.run(Judge(False), ANSWERS, isolate=True, **OPEN)


def test_a_target_that_cannot_be_sent_is_refused_in_one_line():
    lock = threading.Lock()

    def holding(text: str) -> float:
        with lock:
            return 1.0

    with pytest.raises(unbudged.UsageError, match="cannot be sent to another process"):
        unbudged.run(holding, ANSWERS, isolate=True)


def test_a_script_without_a_guard_is_told_what_to_write(tmp_path):
    script = tmp_path / "bare.py"
    script.write_text(
        "import unbudged\n"
        "unbudged.run(lambda text: 1.0, ['It is blue.'], isolate=True)\n"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode != 0
    assert 'if __name__ == "__main__":' in done.stderr.splitlines()[-1]


def test_the_command_runs_a_target_that_holds_a_lock_by_loading_its_file_again(tmp_path):
    path = tmp_path / "grader.py"
    path.write_text(
        textwrap.dedent(
            """
            import threading
            lock = threading.Lock()
            baselines = ["It is blue."]
            def target(text):
                with lock:
                    return 1.0 + ("full marks" in text)
            """
        )
    )
    import subprocess

    command = [sys.executable, "-m", "unbudged.cli", "run", str(path), "-q", "--isolate"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    assert "override.full_marks" in done.stdout


# Without isolation


def test_an_async_call_that_is_late_is_cut_off():
    async def target(text: str) -> float:
        await asyncio.sleep(60 if "[" in text else 0)
        return score(text)

    report = unbudged.run(target, ANSWERS, timeout=0.2, retries=0, concurrency=16)
    assert {probe.reason for probe in report.unscorable} == {"timeout"}
    assert report.findings
    assert not any("could not be interrupted" in note for note in report.notes)


def test_a_plain_call_that_is_late_is_given_up_and_the_report_says_that_it_goes_on():
    def target(text: str) -> float:
        if "[" in text:
            time.sleep(3)
        return score(text)

    start = time.monotonic()
    report = unbudged.run(target, ANSWERS[:1], timeout=0.2, concurrency=16)
    assert {probe.reason for probe in report.unscorable} == {"timeout"}
    assert any("could not be interrupted" in note and "--isolate" in note
               for note in report.notes)
    assert time.monotonic() - start < 3 * len(report.unscorable)


def test_a_hanging_thread_does_not_keep_python_from_ending(tmp_path):
    script = tmp_path / "hang.py"
    script.write_text(
        textwrap.dedent(
            """
            import threading, unbudged
            def target(text):
                if "[" in text:
                    threading.Event().wait()
                return 1.0
            report = unbudged.run(target, ["It is blue."], timeout=0.2, concurrency=8)
            print(len(report.unscorable) > 0)
            """
        )
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "True", done.stderr


def test_an_async_target_that_holds_the_loop_is_named():
    async def target(text: str) -> float:
        if "[" in text:
            time.sleep(0.5)  # no await: no timer of the loop can fire
        return score(text)

    report = unbudged.run(target, ANSWERS[:1], timeout=0.1, concurrency=2)
    assert any("could not be interrupted" in note for note in report.notes)


def test_an_async_target_that_swallows_its_cancellation_cannot_hold_the_scan_up(tmp_path):
    script = tmp_path / "stubborn.py"
    script.write_text(
        textwrap.dedent(
            """
            import asyncio, unbudged
            async def target(text):
                while "[" in text:
                    try:
                        await asyncio.sleep(3600)
                    except asyncio.CancelledError:
                        pass
                return 1.0
            report = unbudged.run(
                target, ["It is blue."], timeout=0.2, retries=0, concurrency=8
            )
            print(len(report.unscorable) > 0)
            """
        )
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "True", done.stderr
