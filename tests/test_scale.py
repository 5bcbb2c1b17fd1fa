"""A million probes: little memory, work in step with their number, nothing asked twice."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from unbudged.api import plan_scan
from unbudged.core.decide import decide
from unbudged.core.judge import Scored
from unbudged.core.plan import Call
from unbudged.core.table import Seen, Table

BENCH = Path(__file__).parents[1] / "ci" / "bench"
JUDGES = {
    "nothing moves it": "lambda text: float(sum(map(text[:24].count, 'aeiou')))",
    "counts words many payloads hold": "lambda text: float(text.lower().count('system'))",
    "every text moves it": "lambda text: float(len(text))",
}
JUMPY = "lambda text: 3.0 + (__import__('zlib').crc32(text.encode()) % 5 == 0)"
ANSWERS = "[f'Answer {n} gives a fact of its own and two reasons.' for n in range(%d)]"


def printed(code: str) -> list[str]:
    """Run code in a process of its own and return the words it prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def peak(judge: str, answers: int) -> tuple[int, float]:
    """Return the probes of a scan and the peak of its process's resident memory in MiB."""
    pytest.importorskip("resource")  # not on Windows
    probes, mib = printed(f"""
        import sys, unbudged
        sys.path.insert(0, {str(BENCH)!r})
        from scan import peak_mib
        report = unbudged.run({judge}, {ANSWERS % answers})
        print(report.probe_count, peak_mib())
    """)
    return int(probes), float(mib)


def test_a_million_probes_stay_below_200_mib():
    probes, mib = peak(JUDGES["nothing moves it"], 30_304)
    assert probes > 1_000_000
    assert mib < 200


@pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)
def test_a_hundred_thousand_probes_take_less_than_250_bytes_each(judge):
    few, least = peak(judge, 31)
    many, most = peak(judge, 3_031)
    # what a finding takes is the report's, and half of all probes may be one
    assert (most - least) * 1024 * 1024 / (many - few) < 250


def lines_run(judge: str, options: str) -> tuple[int, int]:
    """Return the lines of Python that scans of 30 and of 300 answers run."""
    few, many = printed(f"""
        import sys, unbudged

        def work(answers):
            lines = 0

            def trace(frame, event, argument):
                nonlocal lines
                lines += 1
                return trace

            samples = [
                unbudged.Sample(text, reference=f"Fact {{n}}")
                for n, text in enumerate(answers)
            ]
            sys.settrace(trace)
            unbudged.run({judge}, samples, families=["role_reversal", "encoding"], {options})
            sys.settrace(None)
            return lines

        work({ANSWERS % 4})  # corpora, words and patterns are read once
        print(work({ANSWERS % 30}), work({ANSWERS % 300}))
    """)
    return int(few), int(many)


@pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)
@pytest.mark.parametrize(
    "options", ["", "scale=(0, 9999), pass_mark=5000", "corpus='extended'"],
    ids=["plain", "with a scale", "extended"],
)
def test_ten_times_the_answers_make_ten_times_the_work(judge, options):
    few, many = lines_run(judge, options)
    assert many < 11 * few


def test_a_jumpy_judge_too_makes_work_in_step_with_its_answers():
    few, many = lines_run(JUMPY, "")
    assert many < 15 * few  # few answers are decided in fewer rounds


def started():
    scan = plan_scan(lambda text: 1.0, ["One answer.", "Another answer.", "A third one."])
    return scan, Table(scan.plan)


def read(table: Table, call: Call) -> None:
    table.calls += 1
    table.add(call, Scored({"score": float(call.baseline)}))


def test_what_a_decision_wants_can_be_read_while_it_is_made_and_read_again():
    scan, table = started()
    for _ in range(2):  # the opening, the survey
        groups = decide(scan.plan, table, scan.settings).groups
        before = list(groups)
        assert len(groups) == len(before) == len(set(before))
        made = []
        for group in groups:
            made.append(group)
            read(table, *group)
        assert made == before == list(groups)


def test_a_scan_cut_off_anywhere_wants_exactly_the_rest_in_the_same_order():
    scan, table = started()
    for group in decide(scan.plan, table, scan.settings).groups:
        read(table, *group)
    survey = list(decide(scan.plan, table, scan.settings).groups)
    for at, group in enumerate(survey):
        assert list(decide(scan.plan, table, scan.settings).groups) == survey[at:]
        read(table, *group)


def test_a_survey_whose_last_calls_came_back_first_is_finished_before_it_is_judged():
    scan, table = started()
    for group in decide(scan.plan, table, scan.settings).groups:
        read(table, *group)
    survey = list(decide(scan.plan, table, scan.settings).groups)
    for group in survey[3:]:
        read(table, *group)
    assert list(decide(scan.plan, table, scan.settings).groups) == survey[:3]


def test_a_call_is_seen_once_it_was_made_and_no_other_is():
    scan, _ = started()
    calls = [
        Call(arm, a, b, k, r)
        for arm in ("attack", "twin", "filler", "marking")
        for a in (0, 32)
        for b in (0, 2)
        for k in (0, 1)
        for r in (0, 1)
    ]
    calls += [Call("base", -1, b, 0, r) for b in (0, 1, 2) for r in (0, 1, 2)]
    for call in calls:
        seen = Seen(scan.plan)
        assert not seen
        assert call not in seen
        seen.add(call)
        assert seen.last == call
        assert [other for other in calls if other in seen] == [call]
