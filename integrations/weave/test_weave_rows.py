"""What of a Sample reaches a scorer, under which name, as an Evaluation would hand it over."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

import pytest

import weave
from unbudged import Sample, Scored, TargetError, UsageError
from unbudged.adapters.weave import make_judge, scan_scorer

SAMPLE = Sample(
    "An answer.",
    input="A question?",
    reference="The answer.",
    context=("First passage.", "Second passage."),
    id="s1",
    metadata={"difficulty": 3, "topic": "leaves"},
)


def handed(scorer: Any, sample: Sample = SAMPLE, **options: Any) -> Any:
    """Return what ``scorer`` put into its ``seen`` list when it was read once."""
    judge = make_judge(scorer, **options)
    judge.check([sample])
    reading = asyncio.run(judge.read(sample))
    assert isinstance(reading, Scored), reading
    return reading


def test_fields_reach_a_scorer_under_the_names_people_give_them() -> None:
    seen = []

    def score(output, question, expected, context, difficulty, missing=7):  # type: ignore[no-untyped-def]
        seen.append((output, question, expected, context, difficulty, missing))
        return 1.0

    handed(score)
    passages = "First passage.\n\nSecond passage."
    assert seen == [("An answer.", "A question?", "The answer.", passages, 3, 7)]


@pytest.mark.parametrize("name", ["target", "ground_truth", "expected_output", "answer"])
def test_the_reference_has_many_names(name: str) -> None:
    scope: dict[str, Any] = {}
    exec(f"def score(output, {name}): return float({name} == 'The answer.')", scope)
    assert handed(scope["score"]).values == {"score": 1.0}


def test_a_column_of_the_samples_own_metadata_wins() -> None:
    sample = Sample("An answer.", reference="wrong", metadata={"target": "right"})

    def score(output: str, target: str) -> bool:
        return target == "right"

    assert handed(score, sample).values == {"score": 1.0}


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (list[str], ["First passage.", "Second passage."]),
        (Optional[list[str]], ["First passage.", "Second passage."]),  # noqa: UP045
        (str, "First passage.\n\nSecond passage."),
        (str | list[str], "First passage.\n\nSecond passage."),
        (Any, "First passage.\n\nSecond passage."),
    ],
)
def test_context_comes_as_the_scorers_annotation_says(hint: Any, expected: Any) -> None:
    seen = []

    def score(output: str, context: Any) -> float:
        seen.append(context)
        return 1.0

    score.__annotations__["context"] = hint
    handed(score)
    assert seen == [expected]


def test_a_scorer_that_takes_everything_gets_the_row_and_inputs() -> None:
    seen: dict[str, Any] = {}

    def score(output: str, **kwargs: Any) -> float:
        seen.update(kwargs)
        return 1.0

    handed(score)
    assert seen["input"] == "A question?"
    assert seen["topic"] == "leaves"
    assert seen["inputs"]["reference"] == "The answer."
    assert "output" not in seen


class Mapped(weave.Scorer):
    """Score 1 when the article arrives where column_map says."""

    @weave.op
    def score(self, *, output: str, input: str) -> float:
        return float(input == "The news.")


def test_a_column_map_is_followed() -> None:
    sample = Sample("An answer.", input="not this", metadata={"article": "The news."})
    assert handed(Mapped(column_map={"input": "article"}), sample).values == {"score": 1.0}


def test_a_mapped_column_the_sample_lacks_is_filled_from_the_field_it_stands_for() -> None:
    sample = Sample("An answer.", input="The news.")
    assert handed(Mapped(column_map={"input": "article"}), sample).values == {"score": 1.0}


def test_the_old_name_model_output_gets_the_judged_text() -> None:
    def score(model_output: str) -> float:
        return float(model_output == "An answer.")

    assert handed(score).values == {"score": 1.0}


def test_an_optional_argument_that_is_a_setting_keeps_its_default() -> None:
    def score(output: str, prompt: str = "Rate this") -> float:
        return float(prompt == "Rate this")

    assert handed(score).values == {"score": 1.0}


def test_output_key_hands_over_a_dict_with_the_text() -> None:
    def score(output: dict, target: str) -> bool:  # type: ignore[type-arg]
        return output["generated_text"] == "An answer."

    assert handed(score, output_key="generated_text").values == {"score": 1.0}
    with pytest.raises(TargetError, match="reads output as a dict, not as text"):
        make_judge(score)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("context", r"Sample\.context"),
        ("query", r"Sample\.input"),
        ("gold", r"Sample\.reference"),
        ("colour", r"Sample\.metadata\['colour'\]"),
    ],
)
def test_a_missing_field_is_one_error_before_any_call(name: str, where: str) -> None:
    calls: list[str] = []
    scope: dict[str, Any] = {"calls": calls}
    exec(f"def grade(output, {name}): calls.append(output); return 1.0", scope)
    with pytest.raises(UsageError, match=f"grade needs '{name}', which sample 1 lacks.*{where}"):
        scan_scorer(scope["grade"], ["An answer."])
    assert calls == []


def test_a_mapped_column_that_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match=r"Mapped needs 'input'.*Sample.input.*'article'"):
        make_judge(Mapped(column_map={"input": "article"})).check([Sample("An answer.")])


def test_a_column_map_weave_would_refuse_is_refused_before_any_call() -> None:
    judge = make_judge(Mapped(column_map={"wrong": "article", "input": "article"}))
    with pytest.raises(UsageError, match=r"Mapped cannot be called with sample s1.*wrong"):
        judge.check([SAMPLE])


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (Mapped, "Mapped is a class: give an object"),
        (lambda text: 1.0, "takes no argument named output"),
        (lambda output, model_output: 1.0, "output. and .model_output. at the same time"),
        (3, "Weave takes a Scorer object, an op or a function as a scorer, not this int"),
        (weave.Scorer(), "it has no score"),
    ],
)
def test_what_weave_takes_for_no_scorer_is_one_sentence(target: Any, said: str) -> None:
    with pytest.raises(TargetError, match=said) as raised:
        make_judge(target)
    assert "\n" not in str(raised.value)


def test_a_scorer_whose_score_is_no_op_is_one_sentence() -> None:
    class Bare(weave.Scorer):
        def score(self, *, output: str) -> float:  # type: ignore[override]
            return 1.0

    with pytest.raises(TargetError, match=r"Bare must implement `score` as a weave.op"):
        make_judge(Bare())


def test_the_row_is_the_one_an_evaluation_hands_over() -> None:
    """The same row through weave.Evaluation and through the adapter: the same arguments."""
    seen: list[dict[str, Any]] = []

    class Spy(weave.Scorer):
        @weave.op
        def score(self, *, output: str, question: str, **kwargs: Any) -> float:
            seen.append({"output": output, "question": question, **kwargs})
            return 1.0

    judge = make_judge(Spy())
    row = judge.columns.row(SAMPLE)
    asyncio.run(judge.read(SAMPLE))

    async def evaluate() -> None:
        evaluation = weave.Evaluation(dataset=[row], scorers=[Spy()])
        await evaluation.evaluate(weave.op(lambda question: "An answer."))

    asyncio.run(evaluate())
    assert len(seen) == 2
    assert seen[0] == seen[1]
