"""What a report says beside its findings: room, flips, channels, the judge's own state."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

import unbudged
from specimens import GARDEN, KITCHEN, Counted, merit, orders
from unbudged import JudgeInfo, Sample, Scored, run
from unbudged.core.report import FORMATS
from unbudged.core.samples import load_samples

PAYLOADS = unbudged.load_corpus()
ORDERS = {p.id for p in PAYLOADS if orders(p.text)}
STRONG = {strong.output for _, strong in load_samples()}


def notes_of(report):
    return "\n".join(report.notes)


# Room on the scale


def test_a_baseline_at_the_end_of_the_scale_is_undecided_in_that_direction():
    full = lambda text: 100.0 if text.startswith(KITCHEN[0]) else merit(text)  # noqa: E731
    report = run(full, list(KITCHEN), scale=(0, 100))
    rows = [(row.attack_id, row.baseline_index, row.direction) for row in report.undecided]
    assert rows == [("*", 0, "up")]
    assert "100" in report.undecided[0].why
    assert "no room to move: baseline 1 up" in notes_of(report)


def test_a_scan_that_left_no_room_upward_is_inconclusive_and_asks_for_a_weaker_answer():
    report = run(lambda text: 100.0 - 100.0 * ("\n\n\n" in text), list(KITCHEN), scale=(0, 100))
    assert report.verdict == "inconclusive"
    assert {(r.baseline_index, r.direction) for r in report.undecided} == {
        (b, "up") for b in range(3)
    }
    assert "weaker answer" in notes_of(report)


def test_a_baseline_beyond_the_end_of_the_scale_leaves_no_room_either():
    report = run(lambda text: 12.0, list(KITCHEN), scale=(0, 10))
    rows = [row for row in report.undecided if row.attack_id == "*"]
    assert {(row.direction, row.why) for row in rows} == {
        ("up", "its controls already stand beyond 10, the end of the scale")
    }


def test_without_a_scale_nothing_is_known_of_room():
    report = run(lambda text: 90.0 + len(text) % 2, list(KITCHEN))
    assert not any(row.attack_id == "*" for row in report.undecided)
    assert "no room" not in notes_of(report)


def test_looking_down_alone_needs_no_room_upward():
    judge = lambda text: 100.0 - 3 * (len(text.split(",")[0]) > 26)  # noqa: E731
    assert run(judge, list(KITCHEN), scale=(0, 100)).verdict == "held"
    full = run(lambda text: 100.0, list(KITCHEN), scale=(0, 100), direction="down")
    assert not full.undecided


def test_a_judge_that_padding_alone_lowers_had_room_upward():
    report = run(lambda text: 100.0 if text in KITCHEN else 60.0, list(KITCHEN), scale=(0, 100))
    assert report.undecided == ()
    assert report.verdict == "held"


def test_bools_are_a_scale_of_their_own():
    report = run(lambda text: "crust sounds" in text, list(KITCHEN))
    ways = {(row.baseline_index, row.direction) for row in report.undecided}
    assert ways == {(0, "up"), (1, "down"), (2, "down")}
    assert report.verdict == "held"


def test_a_judge_that_passes_everything_is_inconclusive():
    report = run(lambda text: True, list(KITCHEN))
    assert report.verdict == "inconclusive"


class Penalty:
    """A judge whose lower scores are better, as penalties are."""

    info = JudgeInfo(name="penalty", scale=(0.0, 10.0), pass_mark=3.0, higher_is_better=False)
    text_only = True

    async def read(self, sample):
        return Scored({"score": 0.0 if orders(sample.output) else 7.0 + len(sample.output) % 2})


def test_where_less_is_better_a_lowered_score_is_the_flip_to_pass():
    report = run(Penalty(), list(KITCHEN))
    assert {f.direction for f in report.findings} == {"down"}
    assert {f.flipped for f in report.findings} == {"fail_to_pass"}


# Flips


def test_flips_stand_side_by_side_for_attack_and_control_with_intervals():
    report = run(lambda text: 90.0 if orders(text) else 40.0, list(KITCHEN), pass_mark=60)
    rows = {(row.level, row.name): row for row in report.flips}
    assert {name for level, name in rows if level == "attack"} == {p.id for p in PAYLOADS}
    assert {name for level, name in rows if level == "family"} == {p.family for p in PAYLOADS}
    for (level, name), row in rows.items():
        if level == "attack":
            assert row.fail_to_pass.hits == (row.fail_to_pass.n if name in ORDERS else 0)
        assert row.control_fail_to_pass.hits == row.pass_to_fail.n == 0
        for rate in (row.fail_to_pass, row.control_fail_to_pass):
            if rate.n:
                ci = binomtest(rate.hits, rate.n).proportion_ci(0.95, "wilson")
                assert (rate.low, rate.high) == pytest.approx((ci.low, ci.high), abs=1e-6)
            else:
                assert (rate.low, rate.high) == (0.0, 1.0)
    assert rows["family", "instruction_override"].control_fail_to_pass.n > 0


def test_a_control_that_flips_as_often_is_shown_beside_its_attack():
    # longer passes: attack and control alike
    report = run(lambda text: float(len(text) > 100), list(KITCHEN), pass_mark=1)
    assert report.findings == ()
    for row in report.flips:
        assert row.fail_to_pass.hits == row.fail_to_pass.n
        assert row.control_fail_to_pass.hits == row.control_fail_to_pass.n > 0


def test_the_rate_per_trial_and_any_of_k_are_apart_and_k_is_stated():
    judge = Counted(lambda t, r, n: r.random() < 0.3, 5)
    report = run(judge, list(KITCHEN), trials=6)
    rows = [row for row in report.flips if row.level == "attack"]
    for row in rows:
        assert row.k == 6
        assert row.fail_to_pass.n + row.pass_to_fail.n == 18
        assert row.any_of.n == 3
    per_trial = sum(row.fail_to_pass.hits for row in rows) / max(
        1, sum(row.fail_to_pass.n for row in rows)
    )
    any_of = sum(row.any_of.hits for row in rows) / sum(row.any_of.n for row in rows)
    # noise alone: any of six rises by itself, a single trial does not
    assert per_trial < 0.4 < 0.75 < any_of


def test_without_a_pass_mark_there_are_no_flips():
    report = run(lambda text: 90.0 if orders(text) else 40.0, list(KITCHEN))
    assert report.flips == ()
    assert {f.flipped for f in report.findings} == {None}


def test_a_finding_says_which_way_its_verdict_flipped():
    up = run(lambda text: 90.0 if orders(text) else 40.0, list(KITCHEN), pass_mark=60)
    down = run(lambda text: 10.0 if orders(text) else 70.0, list(KITCHEN), pass_mark=60)
    within = run(lambda text: 50.0 if orders(text) else 40.0, list(KITCHEN), pass_mark=60)
    assert {f.flipped for f in up.findings} == {"fail_to_pass"}
    assert {f.flipped for f in down.findings} == {"pass_to_fail"}
    assert {f.flipped for f in within.findings} == {None}


def test_a_score_at_the_pass_mark_passes():
    report = run(lambda text: 60.0 if orders(text) else 59.0, list(KITCHEN), pass_mark=60)
    assert {f.flipped for f in report.findings} == {"fail_to_pass"}


def test_bools_have_a_pass_mark_without_being_told():
    report = run(orders, list(KITCHEN))
    assert {f.flipped for f in report.findings} == {"fail_to_pass"}
    assert report.flips


# Channels


def both(text):
    return {"tone": merit(text), "truth": 90.0 if orders(text) else 30.0}


def test_every_channel_is_tested_and_a_finding_names_its_own():
    report = run(both, list(KITCHEN))
    assert set(report.channels) == {"tone", "truth"}
    assert {f.channel for f in report.findings} == {"truth"}
    assert {f.attack_id for f in report.findings} == ORDERS


def test_a_key_tests_one_channel_alone():
    assert run(both, list(KITCHEN), key="tone").verdict == "held"
    report = run(both, list(KITCHEN), key="truth")
    assert report.channels == ("truth",)
    assert report.verdict == "moved"


def test_several_channels_cost_no_call_more():
    counts = []
    for score in (merit, lambda text: {"a": merit(text), "b": merit(text) / 2, "c": 1.0}):
        counts.append(run(score, list(KITCHEN)).calls)
    assert counts[0] == counts[1]


def test_the_error_rate_is_shared_among_channels():
    # the same evidence counts for less where more questions were asked
    one = run(lambda text: 90.0 if orders(text) else 30.0, list(KITCHEN), seed=3)
    ten = run(
        lambda text: {f"c{n}": 90.0 if orders(text) and n == 0 else 30.0 for n in range(10)},
        list(KITCHEN), seed=3,
    )  # fmt: skip
    single = {f.attack_id: f.evidence for f in one.findings}
    for f in ten.findings:
        assert f.channel == "c0"
        assert f.evidence.real <= ten.alpha
        before = single[f.attack_id]
        if f.evidence.contexts == before.contexts:
            assert f.evidence.real == pytest.approx(10 * before.real, rel=1e-6)
        else:
            assert f.evidence.contexts > before.contexts


def test_the_error_rate_is_shared_among_channels_under_noise_too():
    def noisy(names):
        def score(text, r, n):
            marked = 30.0 + 60 * orders(text) + r.gauss(0, 4)
            return {name: marked if name == "c0" else 1.0 for name in names}

        return run(Counted(score, 2), list(KITCHEN), trials=6, seed=3)

    alone, shared = noisy(["c0"]), noisy([f"c{i}" for i in range(10)])
    single = {f.attack_id: f.evidence.real for f in alone.findings}
    assert {f.attack_id for f in shared.findings} == set(single) == ORDERS
    for f in shared.findings:
        assert f.evidence.real == pytest.approx(10 * single[f.attack_id], rel=1e-6)


def test_ten_noisy_channels_raise_no_alarm():
    for seed in range(2):
        judge = Counted(lambda t, r, n: {f"c{i}": r.gauss(50, 6) for i in range(10)}, seed)
        assert run(judge, list(KITCHEN), seed=seed).findings == ()


def test_a_channel_that_jumps_leaves_the_steady_one_its_findings():
    judge = Counted(lambda t, r, n: {"noise": r.gauss(50, 6), "truth": both(t)["truth"]})
    report = run(judge, list(KITCHEN))
    assert {f.channel for f in report.findings} == {"truth"}


# Alive and able to tell


def strong(text):
    return any(text.startswith(answer) for answer in STRONG)


JUDGES = {
    "dead": lambda text: None,
    "constant": lambda text: 5.0,
    "inverted": lambda text: 1.0 if strong(text) else 4.0,
}


def raises(text):
    raise RuntimeError("no model")


@pytest.mark.parametrize(
    ("judge", "says", "options"),
    [
        (lambda text: None, "none of the strong or weak answers", {}),
        (raises, "none of the strong or weak answers", {}),
        (lambda text: 5.0, "the same score", {}),
        (lambda text: 10.0, "the best score there is", {"scale": (0, 10)}),
        (lambda text: 0.0, "the same score", {"scale": (0, 10)}),
        (lambda text: 1.0 if strong(text) else 4.0, "weak answers above strong", {}),
    ],
    ids=["dead", "raising", "constant", "saturated", "floored", "inverted"],
)
def test_a_judge_that_cannot_tell_the_built_in_answers_apart_is_named(judge, says, options):
    report = run(judge, **options)
    assert report.verdict == "inconclusive"
    assert says in notes_of(report)
    assert report.findings == ()
    # only what shows it was paid for, and an inversion was made sure of
    assert report.calls <= (6 if "above" in says else 2) * len(load_samples())


def test_strong_and_weak_answers_without_a_score_are_unscorable_with_reason_and_detail():
    report = run(raises)
    rows = [(row.stage, row.reason, row.detail, row.attack_id) for row in report.unscorable]
    assert set(rows) == {("contrast", "error", "RuntimeError: no model", None)}
    assert len(rows) == report.calls == 2 * len(load_samples())
    answers = {answer.output for pair in load_samples() for answer in pair}
    assert {row.baseline for row in report.unscorable} == answers
    assert "8 contrast readings" in report.to_text()
    for format in FORMATS:
        assert "no model" in report.render(format), format


def test_a_secret_in_what_a_dead_judge_said_of_them_stays_out_of_the_report():
    def leaky(text):
        raise RuntimeError("refused: api_key=hunter2hunter2hunter2")

    report = run(leaky)
    assert report.unscorable[0].stage == "contrast"
    for format in FORMATS:
        assert "hunter2" not in report.render(format), format


def test_one_strong_answer_without_a_score_is_not_dropped_from_the_count():
    first = load_samples()[0][1].output
    report = run(lambda text: None if text == first else 8.0 if strong(text) else 3.0)
    assert [row.baseline for row in report.unscorable] == [first]
    assert report.verdict == "inconclusive"


def test_a_judge_that_scores_every_strong_and_weak_answer_has_no_such_row():
    assert run(lambda text: 5.0).unscorable == ()


def test_a_judge_that_tells_them_apart_is_scanned_on_the_weak_answers():
    report = run(lambda text: 8.0 if strong(text) else 3.0 + orders(text))
    assert report.baseline_count == len(load_samples())
    assert {f.attack_id for f in report.findings} == ORDERS
    assert all(f.attack_shift == 1.0 for f in report.findings)


def test_a_robust_judge_holds_on_the_built_in_answers():
    judge = Counted(lambda t, r, n: 8.0 if strong(t) else 3.0)
    report = run(judge)
    assert report.verdict == "held"
    assert report.calls == judge.calls


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        (lambda text: None, "none of the strong"),
        (lambda text: 5.0, "the same score"),
        (lambda text: 9.0 - 8.0 * text.startswith("It is 42"), "weak answers above strong"),
    ],
    ids=["dead", "constant", "inverted"],
)
def test_a_contrast_of_the_users_own_does_the_same(judge, says):
    report = run(judge, list(KITCHEN), contrast=("It is 42.", "It is 7."))
    assert report.verdict == "inconclusive"
    assert says in notes_of(report)
    assert report.calls <= (6 if "above" in says else 2)


def test_a_contrast_shows_alive_what_never_moved():
    judge = lambda text: 9.0 if text.startswith("It is 42") else 2.0  # noqa: E731
    report = run(judge, list(KITCHEN), contrast=("It is 42.", "It is 7."))
    assert report.verdict == "held"
    assert run(judge, list(KITCHEN)).verdict == "inconclusive"


def test_a_contrast_may_be_samples_and_several_a_side():
    good = [Sample("It is 42.", input="Six times seven?"), "It is 42, so to speak."]
    judge = lambda text: 9.0 if "42" in text else 2.0  # noqa: E731
    assert run(judge, list(KITCHEN), contrast=(good, ["It is 7."])).verdict == "held"


def test_a_noisy_judge_that_can_tell_is_not_called_inverted():
    judge = Counted(lambda t, r, n: 50 + 30 * strong(t) + r.gauss(0, 5))
    report = run(judge)
    assert report.verdict == "held", report.notes


def test_a_score_that_never_moved_gets_a_note_and_the_flag_to_try():
    report = run(merit, list(GARDEN))
    assert report.verdict == "held"
    assert "reads only the head" in notes_of(report).replace("may read", "reads")
    assert "--placement prefix" in notes_of(report)


def test_a_score_that_moved_gets_no_such_note():
    assert "never moved" not in notes_of(run(lambda text: float(len(text)), list(GARDEN)))


def test_a_cached_verdict_is_not_clean():
    # keyed without the answer: after the first call every text gets the first verdict
    cache = {}
    report = run(lambda text: cache.setdefault("question", merit(text)), list(KITCHEN))
    assert report.verdict == "inconclusive"
    assert "cached" in notes_of(report)


@pytest.mark.parametrize(
    ("placement", "advised"), [(None, True), ("middle", True), ("prefix", False)]
)
def test_a_place_that_was_tried_already_is_not_advised(placement, advised) -> None:
    report = unbudged.run(
        lambda text: float("rice" in text), ["One word of rice.", "Another."], placement=placement
    )
    (note,) = [note for note in report.notes if "never moved for anything added" in note]
    assert ("--placement prefix" in note) == advised
