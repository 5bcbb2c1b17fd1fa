"""Calls on other machines: a real Dask cluster of two worker processes, one of them killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from distributed import Client, LocalCluster

import unbudged

ANSWERS = ["It is blue.", "It is green, for two reasons."]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None,
        host="127.0.0.1",
    ) as made:
        yield made


@pytest.fixture
def client(cluster) -> Iterator[Any]:
    with Client(cluster) as made:
        yield made


def make(log: str):
    """Return a scorer by value: a worker cannot import this test."""

    def score(text: str) -> float:
        import os
        import time

        time.sleep(0.02)
        with open(log, "a") as file:
            file.write(f"{os.getpid()} {text!r}\n")
        return 1.0 + ("full marks" in text)

    return score


def lines(path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_a_cluster_gives_the_report_of_one_process(client, tmp_path):
    log = tmp_path / "log"
    score = make(str(log))
    plain = unbudged.run(score, ANSWERS)
    here = len(lines(log))
    report = unbudged.run(score, ANSWERS, executor=client.get_executor(pure=False), concurrency=4)
    assert report.to_json() == plain.to_json()
    pids = {line.split()[0] for line in lines(log)[here:]}
    assert len(pids) == 2
    assert str(os.getpid()) not in pids


def test_a_worker_killed_mid_scan_loses_nothing_and_counts_nothing_twice(
    cluster, client, tmp_path
):
    log = tmp_path / "log"
    score = make(str(log))
    plain = unbudged.run(score, ANSWERS)
    here = len(lines(log))
    client.wait_for_workers(2)
    killed = threading.Event()

    def kill_one() -> None:
        while len(lines(log)) < here + 40:
            time.sleep(0.01)
        os.kill(int(lines(log)[-1].split()[0]), signal.SIGKILL)
        killed.set()

    killer = threading.Thread(target=kill_one)
    killer.start()
    report = unbudged.run(
        score, ANSWERS, executor=client.get_executor(pure=False, retries=3), concurrency=4,
        journal=tmp_path / "j.db",
    )
    killer.join()
    assert killed.is_set()
    document, before = (r.to_json() for r in (report, plain))
    assert not report.unscorable
    assert document == before
    from unbudged.journal import Journal

    with Journal(tmp_path / "j.db", create=False) as journal:
        assert journal.found == report.calls


def test_the_command_makes_its_calls_on_the_cluster_it_is_given(cluster, client, tmp_path):
    client.wait_for_workers(2)
    path = tmp_path / "grader.py"
    log = tmp_path / "log"
    path.write_text(
        textwrap.dedent(
            f"""
            import os
            baselines = ["It is blue."]
            def target(text):
                with open({str(log)!r}, "a") as file:
                    print(os.getpid(), file=file)
                return 1.0 + ("full marks" in text)
            """
        )
    )
    command = [sys.executable, "-m", "unbudged.cli", "run", str(path), "-q"]
    address = cluster.scheduler_address
    done = subprocess.run(
        [*command, "--dask", address], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1, done.stderr
    assert "override.full_marks" in done.stdout
    assert len(set(lines(log))) == 2
    gone = subprocess.run(
        [*command, "--dask", "tcp://127.0.0.1:9"], capture_output=True, text=True, timeout=120
    )
    assert gone.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in gone.stderr.splitlines()[-1]


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_any_standard_executor_will_do(kind, tmp_path):
    score = make(str(tmp_path / "log"))
    plain = unbudged.run(score, ANSWERS[:1])
    pool: Any = (
        ThreadPoolExecutor(4) if kind == "threads"
        else ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    )
    with pool:
        report = unbudged.run(score, ANSWERS[:1], executor=pool)
        assert report.to_json() == plain.to_json()
        # the pool is its owner's: it still works
        assert pool.submit(abs, -1).result() == 1


@pytest.mark.parametrize(
    ("address", "says"),
    [("nonsense", "missing port"), ("foo://x:1", "unknown address scheme"), ("", "missing port")],
)
def test_an_address_that_is_none_is_one_line_at_once(tmp_path, address, says):
    path = tmp_path / "grader.py"
    path.write_text("baselines = ['It is blue.']\ndef target(text):\n    return 1.0\n")
    command = [sys.executable, "-m", "unbudged.cli", "run", str(path), "--dask", address]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert says in line
    assert time.monotonic() - start < 10  # a client that was begun takes that long to give up


def test_an_executor_that_has_been_shut_down_ends_the_scan_with_what_it_knows(tmp_path):
    pool = ThreadPoolExecutor(2)
    calls = []

    def score(text: str) -> float:
        calls.append(text)
        if len(calls) == 20:
            pool.shutdown(wait=False)
        return 1.0

    report = unbudged.run(score, ANSWERS, executor=pool)
    assert report.verdict == "inconclusive"
    assert any("the executor takes no more calls" in row.why for row in report.undecided)


def test_a_broken_pool_ends_the_scan_with_what_it_knows(tmp_path):
    flag = tmp_path / "calls"

    def score(text: str) -> float:
        import os

        with open(flag, "a") as file:
            file.write("x")
        if os.path.getsize(flag) > 20:
            os._exit(1)
        return 1.0

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        report = unbudged.run(score, ANSWERS, executor=pool)
    assert report.verdict == "inconclusive"
    assert any("the executor is broken" in row.why for row in report.undecided)
