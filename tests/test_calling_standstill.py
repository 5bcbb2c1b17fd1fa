"""Async targets that cannot be cut off: told of or left behind, never waited for in silence."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import unbudged
from command import MODULE, write
from command import unbudged as command
from unbudged.calling.threads import LoopThreads

BLOCKING = """
    import asyncio, time
    baselines = ["It is blue."]
    async def direct(text):
        if "[" in text:
            time.sleep(600)
        return 1.0
    async def work():
        time.sleep(600)
    async def in_a_task_of_its_own(text):
        if "[" in text:
            await asyncio.create_task(work())
        return 1.0
"""
SWALLOWING = """
    import asyncio
    baselines = ["It is blue."]
    async def target(text):
        while "[" in text:
            try:
                await asyncio.sleep(3600)
            except {what}:
                pass
        return 1.0 + ("full marks" in text)
"""


@pytest.mark.parametrize(("name", "line"), [("direct", 6), ("in_a_task_of_its_own", 9)])
def test_a_call_that_holds_the_loop_is_named_in_one_line_and_ctrl_c_ends_the_scan(
    tmp_path, name, line
):
    grader = write(tmp_path, BLOCKING)
    process = subprocess.Popen(
        [*MODULE, "run", f"{grader}:{name}", "--timeout", "0.3"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    stopped = threading.Timer(60, process.kill)
    stopped.start()
    said = process.stderr.readline()
    stopped.cancel()
    assert f"holds the event loop at grader.py, line {line}" in said
    assert "longer than the timeout of 0.3 s" in said
    assert "--isolate" in said
    time.sleep(1)  # it is said once
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "could not be decided" in out
    [last] = err.splitlines()
    assert last.startswith("unbudged: interrupted")


def test_isolated_such_a_call_is_ended(tmp_path):
    grader = write(tmp_path, BLOCKING)
    options = ("--timeout", "2", "--retries", "0", "--isolate", "--concurrency", "2", "--quiet")
    done = command("run", f"{grader}:direct", "--attack", "system.developer_note", *options)
    assert "holds the event loop" not in done.stderr
    assert "could not be scored" in done.stderr


def test_python_code_is_warned():
    async def target(text: str) -> float:
        if "[" in text:
            time.sleep(1.0)
        return 1.0

    with pytest.warns(RuntimeWarning, match=r"holds the event loop at test_calling_standstill.py"):
        unbudged.run(target, ["It is blue."], timeout=0.1, attacks=["system.developer_note"])


def test_what_takes_its_time_between_the_calls_is_no_call_that_holds_the_loop():
    seen = []

    async def target(text: str) -> float:
        return float(len(text))

    def slow(now: unbudged.Progress) -> None:
        if len(seen) < 3:
            time.sleep(0.6)
        seen.append(now)

    import warnings

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        unbudged.run(target, ["It is blue."], timeout=0.1, progress=slow)
    assert seen
    assert not [w for w in said if "event loop" in str(w.message)]


@pytest.mark.parametrize("what", ["asyncio.CancelledError", "BaseException"])
@pytest.mark.parametrize("width", [1, 4])
def test_a_call_that_swallows_its_cancellation_is_left_behind_and_the_scan_goes_on(
    tmp_path, what, width
):
    grader = write(tmp_path, SWALLOWING.format(what=what))
    start = time.monotonic()
    done = command("run", grader, "--timeout", "0.3", "--concurrency", width)
    assert time.monotonic() - start < 30
    assert done.returncode == 1
    assert "override.full_marks" in done.stdout
    assert "could not be interrupted" in done.stdout
    for line in done.stderr.splitlines():
        assert line.startswith("unbudged: "), done.stderr


def test_a_loop_of_the_users_own_does_not_wait_for_what_was_left_behind(tmp_path):
    script = tmp_path / "own_loop.py"
    script.write_text(
        textwrap.dedent(SWALLOWING.format(what="asyncio.CancelledError"))
        + textwrap.dedent(
            """
            import unbudged
            report = asyncio.run(unbudged.arun(target, baselines, timeout=0.2, concurrency=4))
            print({probe.reason for probe in report.unscorable}, len(report.findings) > 0)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "{'timeout'} True\n", done.stderr


def test_a_thread_that_an_async_target_waits_for_does_not_keep_the_command_from_ending(tmp_path):
    grader = write(
        tmp_path,
        """
        import asyncio, time
        baselines = ["It is blue."]
        async def target(text):
            if "[" in text:
                await asyncio.to_thread(time.sleep, 600)
            return 1.0
        """,
    )
    done = command("run", grader, "--timeout", "0.3", "--retries", "0", "-q")
    assert done.returncode == 1
    assert "could not be scored" in done.stderr


def test_the_threads_of_a_loop_are_those_asyncio_expects():
    async def use() -> list[int]:
        loop = asyncio.get_running_loop()
        pool = LoopThreads(3)
        loop.set_default_executor(pool)
        seen: set[str] = set()

        def work(n: int) -> int:
            seen.add(threading.current_thread().name)
            time.sleep(0.01)
            if n == 7:
                raise ValueError("seven")
            return n * n

        done = await asyncio.gather(
            *(asyncio.to_thread(work, n) for n in range(20)), return_exceptions=True
        )
        assert len(seen) == 3
        assert isinstance(done.pop(7), ValueError)
        pool.shutdown()
        with pytest.raises(RuntimeError):
            pool.submit(print)
        return done

    assert asyncio.run(use()) == [n * n for n in range(20) if n != 7]
    deadline = time.monotonic() + 5
    while any(t.name.startswith("unbudged-loop") for t in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
