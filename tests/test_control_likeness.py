"""What a harmless scorer measures of a payload lies among what it measures of its twins."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

import pytest

from unbudged.core.control import content_words, twin
from unbudged.core.corpus import Attack, load_corpus

CORE = load_corpus()
BASELINE = "I would raise it with the team, note what was seen, and call back within the hour."
AVOID = content_words(BASELINE)
TWINS = 200


def vowels(text: str) -> float:
    letters = [c for c in text.lower() if c.isalpha()]
    return sum(c in "aeiou" for c in letters) / max(1, len(letters))


def compressed(text: str) -> float:
    data = f"{BASELINE}\n\n{text}".encode()
    return len(zlib.compress(data)) / len(data)


def letters(text: str) -> float:
    return len(set(text.lower()))


def reading_ease(text: str) -> float:
    words = re.findall(r"[A-Za-z]+", text) or ["a"]
    sentences = max(1, len(re.findall(r"[.!?]", text)))
    syllables = sum(len(re.findall(r"[aeiouy]+", w.lower())) or 1 for w in words)
    return 206.8 - 1.015 * len(words) / sentences - 84.6 * syllables / len(words)


def outside(measure: Callable[[str], float], payload: Attack) -> bool:
    found = [measure(twin(payload, k, avoid=AVOID)) for k in range(TWINS)]
    return not min(found) - 1e-9 <= measure(payload.text) <= max(found) + 1e-9


@pytest.mark.parametrize(
    ("measure", "allowed"), [(vowels, 3), (compressed, 3), (letters, 3), (reading_ease, 1)]
)
def test_a_payload_lies_within_the_range_of_its_twins(
    measure: Callable[[str], float], allowed: int
) -> None:
    far = [payload.id for payload in CORE if outside(measure, payload)]
    assert len(far) <= allowed, far


def test_with_ten_twins_a_payload_is_extreme_no_more_often_than_one_of_them_would_be() -> None:
    """One of eleven like texts lies outside the other ten with probability 2/11."""
    out = 0
    for payload in CORE:
        found = [compressed(twin(payload, k, avoid=AVOID)) for k in range(10)]
        out += not min(found) <= compressed(payload.text) <= max(found)
    assert out <= 11


@pytest.mark.parametrize("payload", CORE, ids=lambda a: a.id)
def test_counting_scorers_cannot_tell_a_twin_from_its_payload(payload: Attack) -> None:
    def counts(text: str) -> tuple[object, ...]:
        return (
            len(text), len(text.split()), text.count("."), text.count("\n"),
            sum(c.isupper() for c in text) if payload.encoding != "base64" else 0,
            sum(c.isdigit() for c in text) if payload.encoding != "base64" else 0,
            sum(ord(c) > 127 for c in text), sorted(map(len, text.split())),
        )  # fmt: skip

    for k in range(10):
        assert counts(twin(payload, k, avoid=AVOID)) == counts(payload.text)
