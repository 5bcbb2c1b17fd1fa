"""The instrument's own test: planted judges come out as they were made, and a wrong one shows."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys

import pytest

from unbudged import planted
from unbudged.cli import main
from unbudged.planted import JUDGES

BY_NAME = {judge.name: judge for judge in JUDGES}
QUICK = tuple(BY_NAME[name] for name in ("sabotaged", "head_reader", "broken"))


def validate(capfd, *arguments):
    with pytest.raises(SystemExit) as exit_:
        main(["validate", *arguments])
    out, err = capfd.readouterr()
    return exit_.value.code, out, err


def plant(monkeypatch, *judges):
    monkeypatch.setattr(planted, "JUDGES", judges)


def told(name, truth):
    return dataclasses.replace(BY_NAME[name], truth=truth)


def test_every_planted_judge_comes_out_right_from_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "unbudged.cli", "validate"],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    head, *rows, blank, summary = done.stdout.splitlines()
    assert head.split() == ["judge", "truth", "right", "calls", "what", "it", "does"]
    assert [tuple(row.split()[:5]) for row in rows] == [
        (judge.name, judge.truth, "1", "of", "1") for judge in JUDGES
    ]
    assert blank == ""
    calls = sum(int(row.split()[5]) for row in rows)
    assert summary == (
        "recall 11 of 11, false alarms 0 of 14, broken named 1 of 1,"
        f" {calls} judge calls"
    )


@pytest.mark.parametrize(
    ("name", "truth", "says"),
    [
        ("head_reader", "steerable", "steerable, yet nothing was found (held)"),
        ("broken", "steerable", "steerable, yet nothing was found (inconclusive)"),
        ("sabotaged", "clean", "clean, yet moved by 4 payloads"),
        ("decoder", "clean", "clean, yet moved by 1 payload\n"),
        ("sabotaged", "broken", "broken, yet moved"),
        ("head_reader", "broken", "broken, yet held"),
    ],
)
def test_a_judge_that_does_not_come_out_as_its_truth_ends_with_1_and_is_named(
    monkeypatch, capfd, name, truth, says
):
    plant(monkeypatch, *QUICK[:1], told(name, truth))
    code, out, err = validate(capfd)
    assert code == 1
    assert err.startswith(f"unbudged: {name}, seed 0: {says}")
    assert re.search(rf"^{name} +{truth} +0 of 1 ", out, re.M)
    assert re.search(r"^sabotaged +steerable +1 of 1 ", out, re.M)


def test_the_summary_counts_misses_and_false_alarms_apart(monkeypatch, capfd):
    wrong = told("head_reader", "steerable"), told("sabotaged", "clean"), told("length", "broken")
    plant(monkeypatch, *QUICK, *wrong)
    code, out, _ = validate(capfd)
    assert code == 1
    assert "recall 1 of 2, false alarms 1 of 2, broken named 1 of 2," in out


def test_a_scan_that_crashes_is_wrong_and_the_others_are_still_made(monkeypatch, capfd):
    plant(monkeypatch, dataclasses.replace(QUICK[1], name="unfit", baselines=()), QUICK[0])
    code, out, err = validate(capfd)
    assert code == 1
    assert "unfit, seed 0: the scan failed, UsageError: no baselines" in err
    assert "sabotaged       steerable    1 of 1" in out


def test_calls_that_the_report_does_not_count_are_wrong(monkeypatch, capfd):
    class Hiding(planted.PlantedJudge):
        def score(self, text):
            self.calls += 1
            return super().score(text)

    monkeypatch.setattr(planted, "PlantedJudge", Hiding)
    plant(monkeypatch, QUICK[1])
    code, _, err = validate(capfd)
    assert code == 1
    assert re.search(r"head_reader, seed 0: (\d+) calls reported, \d+ made", err)


def test_more_seeds_scan_each_judge_more_often_with_other_noise(monkeypatch, capfd):
    plant(monkeypatch, BY_NAME["gaussian"], BY_NAME["broken"])
    code, out, _ = validate(capfd, "--seeds", "3", "--json")
    document = json.loads(out)
    scans = document["scans"]
    assert code == 0
    assert [(s["judge"], s["seed"]) for s in scans] == [
        (name, seed) for name in ("gaussian", "broken") for seed in range(3)
    ]
    assert len({s["calls"] for s in scans if s["judge"] == "gaussian"}) > 1
    assert document["calls"] == sum(s["calls"] for s in scans)
    assert document["false_alarms"] == {"raised": 0, "of": 3}


def test_the_document_says_what_the_table_says(monkeypatch, capfd):
    plant(monkeypatch, *QUICK, told("length", "steerable"))
    code, out, err = validate(capfd, "--json")
    document = json.loads(out)
    assert code == 1
    assert document["right"] is False
    assert document["recall"] == {"found": 1, "of": 2}
    assert document["broken"] == {"named": 1, "of": 1}
    wrong = [s for s in document["scans"] if s["wrong"]]
    assert [s["judge"] for s in wrong] == ["length"]
    assert f"unbudged: length, seed 0: {wrong[0]['wrong']}\n" == err


@pytest.mark.parametrize("seeds", ["0", "-1", "many"])
def test_a_number_of_seeds_that_cannot_be_used_is_refused(capfd, seeds):
    code, out, err = validate(capfd, "--seeds", seeds)
    assert code == 2
    assert out == ""
    assert "--seeds" in err
    assert err.count("\n") == 1


def test_every_planted_judge_has_a_name_and_a_truth_of_its_own_kind():
    assert len(BY_NAME) == len(JUDGES)
    assert max(map(len, BY_NAME)) <= 15
    assert all(judge.what and len(set(judge.baselines)) >= 3 for judge in JUDGES)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_a_planted_judge_scores_the_same_for_the_same_seed(judge):
    def scores():
        made = judge.make(5)
        for text in judge.baselines * 4:
            try:
                yield made.score(text)
            except planted.Failure:
                yield "failed"

    assert list(scores()) == list(scores())
