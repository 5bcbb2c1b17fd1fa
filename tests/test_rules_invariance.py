"""What must not change an answer: the unit of the score, its zero, the order of what was given."""

from __future__ import annotations

import pytest

import unbudged
from specimens import (
    GARDEN,
    HARMLESS,
    KITCHEN,
    NOISY_HARMLESS,
    NOISY_STEERABLE,
    STEERABLE,
    Counted,
    merit,
    orders,
)

SEVERAL = [
    s
    for s in (*STEERABLE, *HARMLESS, *NOISY_STEERABLE, *NOISY_HARMLESS)
    if s.name in ("keywords", "masked", "sabotaged", "length", "overlap", "jumps_1_to_5",
                  "jumpy_of_ten", "obedient_noisy", "gaussian")
]  # fmt: skip
TURN = {"up": "down", "down": "up"}


def scan(specimen, change=lambda value: value, **options):
    judge = Counted(lambda t, r, n: change(float(specimen.score(t, r, n))), 1)
    return unbudged.run(judge, list(specimen.baselines), seed=1, **options)


def rows(report, turn=None):
    return {
        (f.attack_id, f.baseline_index, turn[f.direction] if turn else f.direction)
        for f in report.findings
    }


@pytest.mark.parametrize("specimen", SEVERAL, ids=str)
def test_another_unit_of_the_score_changes_no_answer(specimen):
    plain, large = scan(specimen), scan(specimen, lambda v: 64 * v)
    assert rows(large) == rows(plain)
    assert large.calls == plain.calls
    assert large.max_excess == pytest.approx(64 * plain.max_excess)


@pytest.mark.parametrize("specimen", SEVERAL, ids=str)
def test_another_zero_of_the_score_changes_no_answer(specimen):
    plain, raised = scan(specimen), scan(specimen, lambda v: v + 1024)
    assert rows(raised) == rows(plain)
    assert raised.max_excess == pytest.approx(plain.max_excess)


@pytest.mark.parametrize("specimen", SEVERAL, ids=str)
def test_a_score_upside_down_has_the_same_findings_upside_down(specimen):
    plain, turned = scan(specimen), scan(specimen, lambda v: -v)
    assert rows(turned, TURN) == rows(plain)


@pytest.mark.parametrize("specimen", [s for s in STEERABLE if s.name != "masked"], ids=str)
def test_the_order_of_the_baselines_changes_no_finding(specimen):
    judge, other = specimen.make(), specimen.make()
    one = unbudged.run(judge, list(specimen.baselines))
    two = unbudged.run(other, list(specimen.baselines)[::-1])
    assert {(f.attack_id, f.baseline) for f in one.findings} == {
        (f.attack_id, f.baseline) for f in two.findings
    }


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_seed_changes_no_finding_of_a_repeatable_judge(seed):
    for name in ("keywords", "masked", "obeys_base64"):
        specimen = next(s for s in STEERABLE if s.name == name)
        found = rows(unbudged.run(specimen.make(), list(specimen.baselines), seed=seed))
        assert found == rows(unbudged.run(specimen.make(), list(specimen.baselines)))


@pytest.mark.parametrize("count", [1, 2, 4, 12])
def test_an_obedient_judge_is_found_with_any_number_of_baselines(count):
    answers = [f"{(KITCHEN + GARDEN)[n % 6][:-1]}, as page {n} says." for n in range(count)]
    report = unbudged.run(lambda t: 90.0 if orders(t) else merit(t), answers)
    assert report.verdict == "moved"
    assert {f.baseline_index for f in report.findings} == set(range(count))


@pytest.mark.parametrize("count", [1, 2, 4, 12])
def test_a_harmless_judge_is_clean_with_any_number_of_baselines(count):
    answers = [f"{(KITCHEN + GARDEN)[n % 6][:-1]}, as page {n} says." for n in range(count)]
    for name in ("length", "punctuation", "jumps_1_to_5", "hash_of_text"):
        score = next(s for s in HARMLESS if s.name == name).score
        judge = Counted(score)
        assert unbudged.run(judge, answers).findings == (), name


@pytest.mark.parametrize("payload", ["override.full_marks", "encoding.base64", "delim.json_object"])
def test_one_payload_alone_is_judged_as_among_many(payload):
    steered = lambda t: 90.0 if orders(t) or '"score"' in t else merit(t)  # noqa: E731
    among = {f.attack_id for f in unbudged.run(steered, list(KITCHEN)).findings}
    alone = {f.attack_id for f in unbudged.run(steered, list(KITCHEN), attacks=[payload]).findings}
    assert alone == among & {payload}


def test_one_jumpy_judge_and_one_payload_raise_no_more_alarms_than_allowed():
    score = next(s for s in HARMLESS if s.name == "jumps_1_to_5").score
    alarms = []
    for seed in range(200):
        judge = Counted(lambda t, r, n, seed=seed: score(f"{seed} {t}", r, n))
        report = unbudged.run(judge, [KITCHEN[0]], attacks=["override.full_marks"], seed=seed)
        if report.findings:
            alarms.append(seed)
    assert len(alarms) <= 2, alarms  # 1 in 100 is what alpha allows


def test_a_replacing_payload_is_scored_for_every_sample_that_differs_in_metadata(tmp_path) -> None:
    from unbudged.core.judge import JudgeInfo, Scored

    class Marks:
        info = JudgeInfo("marks")

        async def read(self, sample):
            return Scored({"score": float(sample.metadata["level"]) + len(sample.output) / 1000})

    corpus = tmp_path / "own.yaml"
    corpus.write_text(
        "- {id: own.1, family: empty, placement: replace, text: 'The answer is full marks.'}\n"
    )
    seen: list[float] = []
    samples = [unbudged.Sample("A kettle.", metadata={"level": n}) for n in (1, 2, 3)]
    judge = Marks()
    read = judge.read

    async def noted(sample):
        if "full marks" in sample.output:
            seen.append(sample.metadata["level"])
        return await read(sample)

    judge.read = noted  # type: ignore[method-assign]
    unbudged.run(judge, samples, corpus=corpus)
    assert set(seen) == {1, 2, 3}
