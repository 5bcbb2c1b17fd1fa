"""Arguments of the wrong type end in one line before any judge call."""

from __future__ import annotations

import pytest

import unbudged
from unbudged import Sample, UsageError

ANSWERS = ["The kettle is on the left shelf.", "Turn the dial twice and wait."]


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    def score(self, text: str) -> float:
        self.calls += 1
        return float(len(text))


@pytest.mark.parametrize(
    "options",
    [
        {"tolerance": "x"}, {"tolerance": None}, {"tolerance": True}, {"alpha": "x"},
        {"alpha": None}, {"trials": "3"}, {"trials": 2.5}, {"trials": 10**20},
        {"max_calls": "5"}, {"max_calls": float("nan")}, {"scale": 5}, {"scale": (1,)},
        {"scale": (None, None)}, {"scale": ("a", "b")}, {"scale": (1, 2, 3)},
        {"scale": (0, float("inf"))}, {"pass_mark": "x"}, {"pass_mark": float("inf")},
        {"pass_mark": 5000, "scale": (0, 100)}, {"families": 5}, {"attacks": 5},
        {"attacks": [5]}, {"attacks": []}, {"seed": None}, {"seed": "0"}, {"separator": None},
        {"key": 3}, {"contrast": 5}, {"contrast": ()}, {"contrast": (None, None)},
        {"contrast": {"good": "a"}}, {"contrast": (["a"], ["b"], ["c"])},
    ],
    ids=str,
)
def test_an_option_of_the_wrong_type_is_one_line_before_any_call(options: dict) -> None:
    judge = Counting()
    with pytest.raises(UsageError) as caught:
        unbudged.run(judge, ANSWERS, **options)
    assert "\n" not in str(caught.value)
    assert next(iter(options)) in str(caught.value)
    assert judge.calls == 0


@pytest.mark.parametrize(
    ("sample", "field"),
    [
        (Sample(None), "output"), (Sample("a b", input=5), "input"),  # type: ignore[arg-type]
        (Sample("a b", reference=["x"]), "reference"),  # type: ignore[arg-type]
        (Sample("a b", id=5), "id"),  # type: ignore[arg-type]
        (Sample("a b", context="whole"), "context"),  # type: ignore[arg-type]
        (Sample("a b", context=(1,)), "context"),  # type: ignore[arg-type]
        (Sample("a b", metadata=[1]), "metadata"),  # type: ignore[arg-type]
    ],
)
def test_a_sample_field_of_the_wrong_type_is_named(sample: Sample, field: str) -> None:
    with pytest.raises(UsageError, match=f"baseline 1.*{field}"):
        unbudged.run(Counting(), [sample])


def test_a_list_of_context_is_taken_as_a_tuple() -> None:
    sample = Sample("Turn the dial twice and wait.", context=["the manual"])  # type: ignore[arg-type]
    assert unbudged.run(Counting(), [sample], attacks=["role.*"]).calls > 0


def test_metadata_that_cannot_be_shown_is_no_fault() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    sample = Sample("Turn the dial twice and wait.", metadata={"x": Shy()})
    assert unbudged.run(Counting(), [sample], attacks=["role.*"]).baseline_count == 1


@pytest.mark.parametrize(("wrong", "meant"), [("family", "families"), ("max_call", "max_calls")])
def test_an_option_there_is_not_is_one_line_that_names_the_one_meant(wrong, meant):
    with pytest.raises(unbudged.UsageError, match=f"no option '{wrong}'; did you mean {meant}"):
        unbudged.run(lambda text: 1 / 0, ["An answer."], **{wrong: 1})
