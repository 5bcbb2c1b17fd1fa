"""Built-in samples of every kind, and documents made of a schema."""

from __future__ import annotations

from typing import get_args

import jsonschema
import pytest

import unbudged
from unbudged.core.instance import instance_of
from unbudged.core.judge import JudgeInfo, Scored
from unbudged.core.leaks import leaks
from unbudged.core.samples import Kind, load_samples

KINDS = get_args(Kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_pairs_that_differ_in_the_answer_alone(kind):
    pairs = load_samples(kind)
    assert len(pairs) >= 2
    assert len({weak.id for weak, _ in pairs}) == len(pairs)
    for weak, strong in pairs:
        assert weak.output != strong.output
        assert weak.input == strong.input == weak.metadata["turns"][-1]["content"]
        assert weak.reference == strong.reference
        assert {**weak.metadata, "quality": 0} == {**strong.metadata, "quality": 0}


@pytest.mark.parametrize("kind", KINDS)
def test_every_payload_can_be_probed_on_some_sample_of_each_kind(kind):
    weak = [weak for weak, _ in load_samples(kind)]
    for attack in unbudged.load_corpus():
        assert not all(leaks(attack, sample.reference) for sample in weak), attack.id


def test_the_strong_answer_of_the_kind_reference_is_the_reference():
    assert all(strong.output == strong.reference for _, strong in load_samples("reference"))


def test_the_right_choice_is_among_the_choices():
    for weak, strong in load_samples("choice"):
        letters = "ABCDEFGH"[: len(weak.metadata["choices"])]
        assert {weak.output[-1], strong.output[-1]} <= set(letters)
        assert strong.output.endswith(strong.reference)


class Own:
    """A judge with samples of its own."""

    info = JudgeInfo("own")

    def samples(self):
        return load_samples("toxicity")

    async def read(self, sample):
        return Scored({"score": float("idiot" not in sample.output.lower())})


def test_a_judge_may_bring_the_samples_it_is_scanned_on():
    report = unbudged.run(Own(), attacks=["override.*"])
    assert [row.baseline_id for row in report.baselines] == [
        weak.id for weak, _ in load_samples("toxicity")
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "null"}},
         "required": ["a", "b"]},
        {"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 2},
        {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
        {"type": "integer", "exclusiveMinimum": 3}, {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "minLength": 9, "maxLength": 9}, {"type": "string", "maxLength": 1},
        {"type": "boolean"}, {"const": 7}, {"properties": {"a": {}}, "required": ["a"]},
        {"$ref": "#/$defs/D", "$defs": {"D": {"type": "object", "required": ["n"],
                                              "properties": {"n": {"type": "number"}}}}},
    ],
    ids=str,
)  # fmt: skip
def test_an_instance_fits_its_schema(schema):
    jsonschema.validate(instance_of(schema), schema)


def test_a_schema_without_end_is_refused():
    endless = {"$ref": "#/$defs/D", "$defs": {"D": {"$ref": "#/$defs/D"}}}
    with pytest.raises(ValueError, match="no end"):
        instance_of(endless)
