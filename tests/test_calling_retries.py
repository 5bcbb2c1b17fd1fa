"""What happens when a judge behind HTTP is slow, overloaded, broken or gone."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import unbudged
from unbudged.calling import pace, retry
from unbudged.calling.buyer import DOWN_AFTER
from unbudged.core.reading import read_error

ANSWERS = ["It is blue.", "It is green, for two reasons."]


class Judge:
    """A real HTTP server: ``plan`` says what it does with its n-th request, from 0."""

    def __init__(self) -> None:
        self.plan: dict[int, tuple[int, dict[str, str]]] = {}
        self.always: tuple[int, dict[str, str]] | None = None
        self.at: list[float] = []
        self.bodies: list[str] = []
        self.lock = threading.Lock()
        judge = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers["content-length"])).decode()
                with judge.lock:
                    number = len(judge.at)
                    judge.at.append(time.monotonic())
                    judge.bodies.append(text)
                status, headers = judge.always or judge.plan.get(number, (200, {}))
                if status == 0:  # drop the connection
                    self.connection.close()
                    return
                body = json.dumps({"score": 2.0 if "full marks" in text else 1.0}).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def score(self, text: str) -> float:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.server.server_port}/", text.encode(), method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=5) as reply:
                return json.load(reply)["score"]
        except http.client.RemoteDisconnected as error:
            raise ConnectionError(str(error)) from error


@pytest.fixture
def judge(monkeypatch) -> Iterator[Judge]:
    monkeypatch.setattr(retry, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(pace, "PAUSE", 0.05)
    made = Judge()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.mark.parametrize("fault", [429, 500, 502, 503, 408, 0])
@pytest.mark.parametrize("width", [1, 8])
def test_a_fault_that_passes_is_repeated_and_changes_no_result(judge, fault, width):
    calm = unbudged.run(judge.score, ANSWERS)
    before = len(judge.at)
    judge.plan = {before + n: (fault, {"retry-after": "0"}) for n in (0, 9, 20)}
    report = unbudged.run(judge.score, ANSWERS, concurrency=width)
    assert [f.attack_id for f in report.findings] == [f.attack_id for f in calm.findings]
    assert not report.unscorable
    assert report.calls == len(judge.at) - before == calm.calls + 3
    assert any("3 calls repeated" in note for note in report.notes)


def test_a_fault_that_does_not_pass_is_not_repeated(judge):
    judge.plan = {5: (400, {}), 6: (401, {}), 7: (404, {})}
    report = unbudged.run(judge.score, ANSWERS)
    assert len(report.unscorable) == 3
    assert report.calls == len(judge.at)


def test_without_retries_a_fault_is_unscorable_at_once(judge):
    judge.plan = {5: (500, {})}
    report = unbudged.run(judge.score, ANSWERS, retries=0)
    assert [probe.reason for probe in report.unscorable] == ["error"]
    assert report.calls == len(judge.at)


def test_what_keeps_failing_is_unscorable_after_its_retries_and_the_scan_goes_on(judge):
    class Picky:
        def score(self, text: str) -> float:
            if "<" in text:
                raise TimeoutError("no reply")
            return judge.score(text)

    report = unbudged.run(Picky(), ANSWERS, retries=1)
    assert {probe.reason for probe in report.unscorable} == {"timeout"}
    assert report.findings


def test_the_judge_is_left_alone_as_long_as_it_asks_and_by_all_calls(judge):
    judge.plan = {40: (429, {"retry-after": "0.6"})}
    unbudged.run(judge.score, ANSWERS, concurrency=4)
    told = judge.at[40]
    # three more may have been under way when it answered
    resumed = [at for at in judge.at[41:] if at - told > 0.1]
    assert min(resumed) - told >= 0.6
    assert sum(1 for at in judge.at[41:] if at - told <= 0.1) <= 8


def test_an_http_date_is_understood_too():
    from datetime import datetime, timedelta, timezone
    from email.utils import format_datetime
    from urllib.error import HTTPError

    when = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20), usegmt=True)
    headers = http.client.HTTPMessage()
    headers["Retry-After"] = when
    reading = read_error(HTTPError("http://x", 503, "busy", headers, None))
    assert reading.retry_after is not None
    assert 15 < reading.retry_after <= 20
    headers.replace_header("Retry-After", "90000")  # a day is not waited for
    assert read_error(HTTPError("http://x", 429, "busy", headers, None)).retry_after is None


def test_an_account_without_money_is_not_asked_again():
    class RateLimitError(Exception):
        status_code = 429
        code = "insufficient_quota"

    assert read_error(RateLimitError("You exceeded your quota")).retry_after is None


def test_a_content_filter_is_not_asked_again_whatever_status_it_answers_with():
    class InternalServerError(Exception):
        status_code = 500

    reading = read_error(InternalServerError("blocked by content_filter"))
    assert (reading.reason, reading.retry_after) == ("blocked", None)


def test_an_exception_whose_attributes_raise_is_read_all_the_same():
    class Sly(Exception):
        @property
        def response(self):
            raise RuntimeError("no response yet")

    assert read_error(Sly("oops")).detail == "Sly: oops"


@pytest.mark.parametrize("width", [1, 8])
def test_a_judge_that_goes_down_stops_the_scan_which_says_so(judge, width):
    judge.plan = {n: (503, {"retry-after": "0"}) for n in range(30, 10_000)}
    report = unbudged.run(judge.score, ANSWERS, concurrency=width, retries=1)
    # each of these calls twice, and what was in flight when the circuit opened
    assert len(judge.at) <= 30 + 2 * (DOWN_AFTER + width)
    assert report.verdict == "inconclusive"
    assert any("the judge is down" in row.why for row in report.undecided)


def test_a_payload_on_which_the_judge_hangs_up_does_not_count_as_down(judge):
    class Hanging:
        def score(self, text: str) -> float:
            if text.count("\n") > 1:
                raise ConnectionError("reset by peer")
            return judge.score(text)

    report = unbudged.run(Hanging(), ANSWERS, retries=0)
    assert not any("is down" in row.why for row in report.undecided)
    assert {p.disables for p in report.unscorable if p.stage == "attack"} == {True}


@pytest.mark.parametrize("width", [1, 6])
def test_calls_start_no_faster_than_the_rate(width):
    at = []

    def target(text: str) -> float:
        at.append(time.monotonic())
        return 1.0

    only = ["instruction_override"]
    unbudged.run(target, ["It is blue."], families=only, rate=100, concurrency=width)
    took = at[-1] - at[0]
    assert took >= (len(at) - 1) / 100 * 0.95


def test_a_cap_on_calls_counts_the_repeated_ones(judge):
    judge.plan = {n: (500, {}) for n in range(3, 10_000, 5)}
    least = unbudged.api.plan_scan(judge.score, ANSWERS).least_calls
    report = unbudged.run(judge.score, ANSWERS, max_calls=least, retries=3)
    assert len(judge.at) <= least
    assert report.verdict == "inconclusive"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("retries", -1), ("retries", 1.0), ("rate", 0), ("rate", "fast"), ("rate", 1e-9),
        ("timeout", 0),
        ("timeout", float("inf")), ("isolate", 1), ("executor", "pool"),
    ],
)  # fmt: skip
def test_an_option_that_cannot_be_used_is_one_line_before_any_call(option, value):
    with pytest.raises(unbudged.UsageError, match=f"{option} must be"):
        unbudged.run(lambda text: 1 / 0, ANSWERS, **{option: value})
