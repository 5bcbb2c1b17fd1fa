"""What a target may return, and what becomes of what is no score."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import unbudged
from specimens import GARDEN, KITCHEN, merit, orders
from unbudged import Scored, TargetError, Unscorable, UsageError, arun, run
from unbudged.core.reading import read_error, read_value

ONE = ["override.full_marks"]


def score_of(value):
    reading = read_value(value)
    assert isinstance(reading, Scored), reading
    return reading.values


def failure_of(value):
    reading = read_value(value)
    assert isinstance(reading, Unscorable), reading
    return reading


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1.0), (False, 0.0), (7, 7.0), (-3, -3.0), (0.25, 0.25), (10**15, 1e15),
        (np.float64(0.5), 0.5), (np.float32(0.5), 0.5), (np.int64(4), 4.0), (np.bool_(True), 1.0),
        (np.array(2.5), 2.5), (Decimal("3.75"), 3.75), (Fraction(1, 4), 0.25),
        ("8", 8.0), (" 8.5 ", 8.5), ("-1e2", -100.0), (".5", 0.5), ("+3.", 3.0),
    ],
)  # fmt: skip
def test_a_number_is_a_score_whatever_its_type(value, number):
    assert score_of(value) == {"score": number}


@pytest.mark.parametrize("value", [True, False, np.bool_(True)])
def test_a_bool_is_a_verdict_too(value):
    assert read_value(value).passed is bool(value)


def test_a_number_is_no_verdict():
    assert read_value(1).passed is None
    assert read_value("1").passed is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no_answer"), ({}, "no_answer"),
        (float("nan"), "not_finite"), (float("inf"), "not_finite"), (-float("inf"), "not_finite"),
        (np.float64("nan"), "not_finite"), (Decimal("NaN"), "not_finite"), (10**400, "not_finite"),
        ("good", "unreadable"), ("", "unreadable"), ("8/10", "unreadable"), ("1,5", "unreadable"),
        ("nan", "unreadable"), ("inf", "unreadable"), ("5%", "unreadable"),
        ("1_000", "unreadable"), ([5], "unreadable"), ((5,), "unreadable"), ({5}, "unreadable"),
        (b"5", "unreadable"), (np.array([1.0]), "unreadable"), (object(), "unreadable"),
        (1 + 2j, "unreadable"), (len, "unreadable"), (ValueError("5"), "unreadable"),
    ],
)  # fmt: skip
def test_what_is_no_finite_number_is_unscorable_with_a_reason(value, reason):
    failure = failure_of(value)
    assert failure.reason == reason
    assert value is None or value == {} or type(value).__name__ in failure.detail


def test_the_detail_of_a_long_value_is_cut_and_of_one_line():
    detail = failure_of("word\n" * 500).detail
    assert len(detail) < 200
    assert "\n" not in detail


def test_an_object_that_cannot_even_be_shown_is_unscorable():
    class Broken:
        def __repr__(self):
            raise RuntimeError("no")

        def __float__(self):
            raise RuntimeError("no")

    assert "Broken" in failure_of(Broken()).detail


@pytest.mark.parametrize(
    "value", [{"a": 1, "b": "2.5"}, OrderedDict(a=True, b=Decimal("2.5"))]
)
def test_a_mapping_is_a_channel_for_each_of_its_names(value):
    assert score_of(value) == {"a": 1.0, "b": 2.5}


def test_an_explanation_beside_the_numbers_is_no_channel():
    reading = read_value({"score": 1, "reason": "well argued"})
    assert reading.values == {"score": 1.0}
    assert reading.explanation == "well argued"


def test_one_bad_entry_spoils_a_mapping_and_is_named():
    failure = failure_of({"good": 1, "bad": None})
    assert failure.detail.startswith("bad:")


def test_a_key_picks_one_channel_whatever_the_others_hold():
    assert read_value({"a": 1, "b": None}, "a").values == {"a": 1.0}


def test_a_missing_key_is_unscorable_and_lists_what_there_is():
    failure = read_value({"a": 1, "b": 2}, "c")
    assert failure.reason == "unreadable"
    assert "'a', 'b'" in failure.detail
    assert read_value(5.0, "c").reason == "unreadable"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no mark\n  found"), "error"), (KeyError("mark"), "error"),
        (SystemExit(3), "error"), (RecursionError("deep"), "error"), (MemoryError(), "error"),
        (TimeoutError("30 s"), "timeout"), (asyncio.TimeoutError(), "timeout"),
        (RuntimeError("content_filter: jailbreak"), "blocked"),
    ],
)  # fmt: skip
def test_what_a_target_raises_is_a_reading_with_its_name(error, reason):
    failure = read_error(error)
    assert failure.reason == reason
    assert type(error).__name__ in failure.detail
    assert "\n" not in failure.detail


# In a scan


def scan(target, baselines=KITCHEN, **options):
    return run(target, list(baselines), attacks=ONE, **options)


@pytest.mark.parametrize("exit_", [SystemExit(1), SystemExit("stop"), RuntimeError("no")])
def test_a_raising_target_is_unscorable_and_the_scan_goes_on_to_its_end(exit_):
    def target(text):
        raise exit_

    report = scan(target)
    assert report.verdict == "inconclusive"
    assert {p.stage for p in report.unscorable} == {"baseline"}
    assert {p.reason for p in report.unscorable} == {"error"}
    assert report.findings == ()


def test_control_c_stops_the_scan():
    calls = []

    def target(text):
        calls.append(text)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        scan(target)
    assert len(calls) == 7


def test_control_c_stops_an_async_scan_too():
    async def target(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(target)


def in_stage(stage):
    """Return None in one stage only."""
    payload = next(p for p in unbudged.load_corpus() if p.id == ONE[0]).text

    def target(text):
        told = "baseline" if text in KITCHEN else "attack" if payload in text else "control"
        return None if told == stage else merit(text)

    return target


@pytest.mark.parametrize("stage", ["baseline", "control", "attack"])
def test_what_is_no_score_is_listed_with_the_stage_it_happened_in(stage):
    report = scan(in_stage(stage))
    assert {p.stage for p in report.unscorable} == {stage}
    assert {p.reason for p in report.unscorable} == {"no_answer"}
    assert report.verdict == "inconclusive"
    named = {p.attack_id for p in report.unscorable}
    assert named == ({None} if stage == "baseline" else {ONE[0]})
    assert report.errored == report.unscorable


@pytest.mark.parametrize("stage", ["baseline", "control", "attack"])
def test_a_payload_disables_the_judge_where_the_clean_answer_had_a_score(stage):
    report = scan(in_stage(stage))
    assert {p.disables for p in report.unscorable} == {stage == "attack"}


def test_a_disabled_judge_is_no_finding_and_never_clean():
    def target(text):
        if orders(text):
            raise ValueError("no mark in the reply")
        return merit(text)

    report = run(target, list(GARDEN))
    assert report.verdict == "inconclusive"
    assert report.findings == ()
    assert all(p.disables for p in report.unscorable)
    assert {p.attack_id for p in report.unscorable} == {
        p.id for p in unbudged.load_corpus() if orders(p.text)
    }


def test_a_finding_elsewhere_stays_a_finding_when_some_readings_fail():
    def target(text):
        if "base64" in text:
            raise ValueError("cannot decode")
        return 90.0 if orders(text) else merit(text)

    report = run(target, list(KITCHEN))
    assert report.verdict == "moved"
    assert {p.attack_id for p in report.unscorable if p.stage == "attack"} == {"encoding.base64"}


def test_a_judge_that_answers_nothing_is_asked_about_its_baselines_alone():
    calls = []
    report = run(calls.append, list(KITCHEN))
    assert set(calls) == set(KITCHEN)
    assert report.calls == len(calls) <= 6


@pytest.mark.parametrize(
    "later", [{"a": 1.0}, {"a": 1.0, "c": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}, 1.0]
)
def test_channels_that_change_between_calls_are_an_error_that_says_so(later):
    def target(text):
        return {"a": 1.0, "b": 2.0} if text in KITCHEN else later

    with pytest.raises(TargetError, match="changes its channels between calls"):
        scan(target)


def test_numpy_is_not_imported_to_read_a_number():
    before = {name for name in sys.modules if name.split(".")[0] == "numpy"}
    read_value(2.5)
    read_value("2.5")
    assert {name for name in sys.modules if name.split(".")[0] == "numpy"} == before
    import unbudged.core.reading as reading

    assert "numpy" not in vars(reading)


# Targets of every form


def two(text, mark):
    return 1.0


@pytest.mark.parametrize("target", [two, lambda: 1.0, lambda *, text: 1.0])
def test_a_target_that_cannot_be_called_with_the_text_alone_is_refused_before_any_call(target):
    with pytest.raises(TargetError, match="text alone"):
        scan(target)


def test_a_target_whose_other_arguments_are_filled_in_is_no_different():
    assert scan(functools.partial(two, mark=3)).attack_count == 1
    assert scan(lambda text, mark=3: merit(text)).attack_count == 1


class WithScore:
    def score(self, text):
        return merit(text)


def test_a_class_where_an_object_belongs_is_refused_and_says_what_to_write():
    with pytest.raises(TargetError, match=r"WithScore\(\)"):
        scan(WithScore)


@pytest.mark.parametrize("target", [5, "text", None, object()])
def test_what_cannot_be_called_is_refused(target):
    with pytest.raises(UsageError, match="callable"):
        scan(target)


async def awaited(text):
    await asyncio.sleep(0)
    return 90.0 if orders(text) else merit(text)


class AsyncScore:
    async def score(self, text):
        return await awaited(text)


class AsyncCall:
    async def __call__(self, text):
        return await awaited(text)


class Awaitable:
    def __init__(self, value):
        self.value = value

    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return self.value


def plain(text):
    return 90.0 if orders(text) else merit(text)


FORMS = {
    "function": plain,
    "coroutine function": awaited,
    "lambda returning a coroutine": lambda text: awaited(text),
    "method": AsyncScore(),
    "call": AsyncCall(),
    "partial": functools.partial(awaited),
    "awaitable": lambda text: Awaitable(plain(text)),
}


@pytest.mark.parametrize("target", FORMS.values(), ids=FORMS)
def test_every_form_of_a_target_gives_the_report_of_the_plain_one(target):
    report = run(target, list(KITCHEN))
    expected = run(plain, list(KITCHEN))
    assert report.findings == expected.findings
    assert report.calls == expected.calls


@pytest.mark.parametrize("target", FORMS.values(), ids=FORMS)
def test_every_form_of_a_target_is_scanned_inside_a_running_loop(target):
    async def notebook():
        return run(target, list(KITCHEN)).findings, (await arun(target, list(KITCHEN))).findings

    within, awaited_ = asyncio.run(notebook())
    assert within == awaited_ == run(plain, list(KITCHEN)).findings


def test_an_awaitable_that_raises_is_unscorable():
    async def target(text):
        raise ValueError("no mark")

    report = scan(target)
    assert {p.detail for p in report.unscorable} == {"ValueError: no mark"}


def test_no_coroutine_is_left_unawaited(recwarn):
    for target in FORMS.values():
        scan(target)
    assert not [w for w in recwarn if "never awaited" in str(w.message)]
