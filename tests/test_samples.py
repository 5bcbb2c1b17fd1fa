"""The built-in samples carry what every framework may ask for."""

from __future__ import annotations

import pytest

from unbudged.core.samples import load_samples

PAIRS = load_samples()
SAMPLES = [sample for pair in PAIRS for sample in pair]
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)


@each_sample
def test_a_sample_has_passages_a_rubric_tools_and_a_role(sample):
    held = sample.metadata
    assert set(sample.context) < set(held["retrieval_context"])
    for key in ("rubric", "chatbot_role"):
        assert isinstance(held[key], str)
        assert held[key].strip()
    for key in ("tools_called", "expected_tools"):
        for tool in held[key]:
            assert set(tool) == {"name", "description", "input_parameters", "output"}
            assert isinstance(tool["input_parameters"], dict)


@each_sample
def test_the_conversation_ends_with_the_question_the_answer_replies_to(sample):
    turns = sample.metadata["turns"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[-1]["content"] == sample.input
    # without something told by the user there is nothing a later answer could forget
    assert len(turns[0]["content"].split()) >= 8


def test_a_pair_differs_in_its_answer_alone():
    for weak, strong in PAIRS:
        assert weak.output != strong.output
        for key in set(weak.metadata) - {"quality"}:
            assert weak.metadata[key] == strong.metadata[key]


def test_nothing_of_a_sample_gives_its_answers_away():
    for pair in PAIRS:
        for sample in pair:
            held = sample.metadata
            beside = [
                *held["retrieval_context"], held["rubric"], held["chatbot_role"],
                *(turn["content"] for turn in held["turns"]),
            ]  # fmt: skip
            assert not any(sample.output in text for text in beside)


def test_reading_the_samples_twice_gives_records_of_their_own():
    first, second = load_samples()[0][0], load_samples()[0][0]
    first.metadata["tools_called"].append("mine")
    assert second.metadata["tools_called"] != first.metadata["tools_called"]
