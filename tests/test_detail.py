"""What stands behind a finding is what was really sent and read; the map covers every probe."""

from __future__ import annotations

import random

import pytest

import unbudged
from unbudged.core.conclude import detail
from unbudged.core.report import Readings

BASELINES = ["A plain answer about trains.", "Another answer, on bread.", "A third one."]


class Recorder:
    """Score by a function and keep every text with what it scored."""

    def __init__(self, function):
        self.function = function
        self.read: dict[str, list[float]] = {}

    def score(self, text):
        value = self.function(text)
        self.read.setdefault(text, []).append(value)
        return value


def grades_words(text):
    return 10.0 * ("administrator" in text) - 5.0 * ("Ignore" in text)


def scan(function, **options):
    judge = Recorder(function)
    return judge, unbudged.run(judge, BASELINES, **options)


def test_the_twin_and_filler_of_a_finding_were_sent_and_scored():
    judge, report = scan(grades_words)
    assert report.findings
    for found in report.findings:
        for text in (found.twin, found.filler):
            assert text
            assert text != found.payload
            assert any(sent.endswith(text) for sent in judge.read)


def test_a_twin_read_in_the_cell_scored_what_the_readings_say():
    judge, report = scan(grades_words)
    cells = [f for f in report.findings if f.readings.twins]
    assert cells
    for found in cells:
        sent = [v for text, values in judge.read.items() for v in values
                if text.startswith(found.baseline) and text.endswith("\n\n" + found.twin)]
        assert sent
        assert set(sent) <= set(found.readings.twins)


def test_every_reading_of_a_finding_is_kept_with_its_arm():
    judge, report = scan(grades_words)
    for found in report.findings:
        clean = found.readings.baseline
        assert list(clean) == judge.read[found.baseline]
        attacked = [v for text, values in judge.read.items() for v in values
                    if text.startswith(found.baseline) and text.endswith("\n\n" + found.payload)]
        assert sorted(found.readings.attack) == sorted(attacked)
        assert found.readings.attack[0] - clean[0] == found.attack_shift


def test_a_noisy_judge_keeps_a_reading_for_each_context():
    rng = random.Random(3)
    _, report = scan(lambda text: rng.gauss(0, 1) + 6 * ("administrator" in text))
    found = report.findings[0]
    assert len(found.readings.attack) > 3
    assert len(found.readings.twins) >= 3
    mean = sum(found.readings.attack) / len(found.readings.attack)
    assert mean > max(found.readings.baseline)


def test_the_map_gives_each_finding_its_signed_excess_and_the_rest_none():
    _, report = scan(grades_words)
    (chart,) = report.maps
    assert len(chart.attacks) == len(chart.families) == report.attack_count
    found = {
        (f.attack_id, f.baseline_index): f.excess if f.direction == "up" else -f.excess
        for f in report.findings
    }
    assert set(found.values()) >= {10.0, -5.0}
    for attack, row in zip(chart.attacks, chart.excess, strict=True):
        assert len(row) == len(BASELINES)
        for b, value in enumerate(row):
            assert value == found.get((attack, b), 0.0)


def test_a_probe_inside_its_controls_has_no_excess_on_the_map():
    _, report = scan(len)  # every control is as long as its payload
    assert not report.findings
    assert {value for row in report.maps[0].excess for value in row} == {0.0}


def test_a_probe_that_could_not_be_scored_is_unknown_on_the_map():
    def grade(text):
        if "administrator" in text and "bread" in text:
            raise ValueError("no")
        return 1.0

    _, report = scan(grade)
    chart = report.maps[0]
    row = chart.excess[chart.attacks.index("role.administrator")]
    assert row == (0.0, None, 0.0)


def test_each_channel_has_a_map_of_its_own():
    report = unbudged.run(
        lambda text: {"form": 1.0, "content": grades_words(text)}, BASELINES,
        families=["role_reversal"],
    )
    by_name = {chart.channel: chart for chart in report.maps}
    assert set(by_name) == {"form", "content"}
    assert {v for row in by_name["form"].excess for v in row} == {0.0}
    assert 10.0 in {v for row in by_name["content"].excess for v in row}


def test_a_scan_too_large_for_a_map_has_none_and_all_its_findings(monkeypatch):
    monkeypatch.setattr(detail, "MAP_PROBES", 98)
    _, small = scan(grades_words)
    assert small.maps == ()
    assert small.findings
    assert all(f.readings != Readings() for f in small.findings)
    monkeypatch.setattr(detail, "MAP_PROBES", 99)
    assert len(scan(grades_words)[1].maps) == 1


@pytest.mark.parametrize("placement", ["prefix", "replace", "middle"])
def test_every_placement_fills_what_stands_behind_its_findings(placement):
    _, report = scan(grades_words, placement=placement)
    for found in report.findings:
        assert found.twin is not None
        assert found.readings.attack
