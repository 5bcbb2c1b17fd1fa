"""Many calls in flight: the same report, never more than allowed, and none idle for long."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time

import pytest

import unbudged
from unbudged.calling import Calling, under_way
from unbudged.calling.threads import Threads
from unbudged.core.target import make_judge

ANSWERS = [f"Answer number {n} gives one fact and two reasons." for n in range(6)]


def steerable(text: str) -> float:
    return 5.0 if "full marks" in text else 2.0


def jumpy(text: str) -> float:
    return int(hashlib.sha256(text.encode()).hexdigest()[:4], 16) / 65535


def shaped(text: str) -> float:
    return float(text.count("\n"))


def partly_broken(text: str) -> float:
    if "{" in text:
        raise ValueError("cannot parse")
    return 1.0 + ("award" in text.lower())


@pytest.mark.parametrize("target", [steerable, jumpy, shaped, partly_broken])
@pytest.mark.parametrize("width", [7, 64])
def test_any_concurrency_gives_the_report_of_one_call_at_a_time(target, width):
    alone = unbudged.run(target, ANSWERS)

    async def awaited(text: str) -> float:
        await asyncio.sleep(0.001 * (len(text) % 3))  # answers come back out of order
        return target(text)

    awaited.__name__ = target.__name__
    assert unbudged.run(awaited, ANSWERS, concurrency=width).to_json() == alone.to_json()
    assert unbudged.run(target, ANSWERS, concurrency=width).to_json() == alone.to_json()


class Watched:
    """Count the calls under way, and how long how many were."""

    def __init__(self) -> None:
        self.now = self.most = self.calls = 0
        self.lock = threading.Lock()

    def enter(self) -> None:
        with self.lock:
            self.now += 1
            self.calls += 1
            self.most = max(self.most, self.now)

    def leave(self) -> None:
        with self.lock:
            self.now -= 1

    def score(self, text: str) -> float:
        self.enter()
        time.sleep(0.005)
        self.leave()
        return 1.0


def test_as_many_async_calls_are_in_flight_as_allowed_and_never_more():
    watched = Watched()

    async def target(text: str) -> float:
        watched.enter()
        await asyncio.sleep(0.005)
        watched.leave()
        return 1.0

    unbudged.run(target, ANSWERS, concurrency=9)
    assert watched.most == 9


def test_as_many_threads_call_a_plain_target_as_allowed_and_never_more():
    watched = Watched()
    unbudged.run(watched.score, ANSWERS, concurrency=9)
    assert watched.most == 9


def test_many_threads_have_the_next_call_waiting_and_still_run_no_more_at_once_than_asked():
    watched = Watched()
    judge = make_judge(watched.score)
    assert under_way(judge, Calling(concurrency=32)) == 34
    for timed in (Calling(concurrency=32, timeout=9.0), Calling(concurrency=32, rate=9.0)):
        assert under_way(judge, timed) == 32  # a wait would count as lateness, or a late start
    unbudged.run(watched.score, ANSWERS, concurrency=32)
    assert watched.most == 32


def test_a_call_given_up_while_it_waits_for_a_thread_is_never_made():
    made, free = [], threading.Event()

    async def give_up() -> None:
        threads = Threads(1)
        busy = threads.start(free.wait)
        waiting = threads.start(lambda: made.append("given up"))
        waiting.cancel()
        after = threads.start(lambda: made.append("wanted"))
        free.set()
        await asyncio.gather(busy, after)
        threads.close()

    asyncio.run(give_up())
    assert made == ["wanted"]


def test_a_target_that_is_not_parallel_safe_is_called_once_at_a_time():
    watched = Watched()

    class Target:
        parallel_safe = False

        def score(self, text: str) -> float:
            watched.enter()
            time.sleep(0.001)
            watched.leave()
            return 1.0 + ("full marks" in text)

    report = unbudged.run(Target(), ANSWERS[:2], concurrency=9)
    assert watched.most == 1
    assert any("not parallel-safe" in note for note in report.notes)


@pytest.mark.parametrize("width", [1, 5, 64])
def test_a_cap_on_calls_holds_at_any_concurrency(width):
    watched = Watched()

    async def target(text: str) -> float:
        watched.enter()
        await asyncio.sleep(0.001)
        watched.leave()
        return jumpy(text)

    report = unbudged.run(target, ANSWERS, concurrency=width, max_calls=300)
    assert watched.calls <= 300
    assert report.calls == watched.calls
    assert report.verdict == "inconclusive"


def test_without_concurrency_a_plain_target_is_called_in_the_thread_of_the_scan():
    seen = set()

    def target(text: str) -> float:
        seen.add(threading.get_ident())
        return 1.0

    unbudged.run(target, ANSWERS[:2])
    assert seen == {threading.get_ident()}


def test_a_slow_call_holds_up_nothing_but_itself():
    """While one call takes as long as a hundred others, the others go on."""
    order: list[str] = []

    async def target(text: str) -> float:
        late = len(order) == 0 and not order.append("first")
        await asyncio.sleep(0.2 if late else 0.001)
        order.append("late" if late else "quick")
        return 1.0

    unbudged.run(target, ANSWERS, concurrency=4)
    # the first baseline is late, and the other baselines were not kept waiting for it
    assert order.index("late") > 4


def test_what_a_target_raises_to_stop_the_scan_stops_it_at_any_concurrency():
    async def target(text: str) -> dict[str, float]:
        await asyncio.sleep(0)
        return {"a": 1.0} if len(text) < 60 else {"b": 1.0}

    with pytest.raises(unbudged.TargetError, match="changes its channels"):
        unbudged.run(target, ANSWERS, concurrency=8)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "4", 10**6])
def test_a_concurrency_that_cannot_be_used_is_refused_before_any_call(bad):
    with pytest.raises(unbudged.UsageError, match="concurrency must be"):
        unbudged.run(lambda text: 1 / 0, ANSWERS, concurrency=bad)


def test_a_scan_inside_a_running_loop_uses_that_loop_and_its_concurrency():
    watched = Watched()

    async def target(text: str) -> float:
        watched.enter()
        await asyncio.sleep(0.002)
        watched.leave()
        return 1.0

    async def main() -> None:
        await unbudged.arun(target, ANSWERS, concurrency=6)
        unbudged.run(target, ANSWERS[:1], concurrency=2)

    asyncio.run(main())
    assert watched.most == 6


@pytest.mark.parametrize("seed", [1, 2])
def test_a_noisy_judge_is_read_ahead_of_the_rules_at_a_bounded_price(seed):
    """What was read ahead and not needed is counted, named and at most one call in twenty."""
    import random

    noise = random.Random(seed)
    calls = 0

    async def target(text: str) -> float:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.001)
        return noise.gauss(5 + 3 * ("full marks" in text), 1)

    report = unbudged.run(target, ANSWERS[:3], concurrency=32)
    assert report.calls == calls
    assert report.findings
    unneeded = [int(note.split()[0]) for note in report.notes if "ahead of the rules" in note]
    assert sum(unneeded) <= 0.05 * calls + 32


def test_a_judge_that_repeats_itself_is_never_read_ahead():
    async def target(text: str) -> float:
        await asyncio.sleep(0.001)
        return jumpy(text)

    report = unbudged.run(target, ANSWERS, concurrency=64)
    assert not any("ahead of the rules" in note for note in report.notes)
