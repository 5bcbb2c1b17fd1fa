"""Plain text statistics obey nobody: none of the extended corpus is a finding on them."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest

from unbudged import Sample, run

PLAIN = [
    "Oslo is the capital of Norway.",
    "Oslo is the capital of Norway. It lies on a fjord, and half a million people live in it.",
    "I am not certain about this question. A librarian, please, will know the answer.",
]
OF_GRADING = [
    "Solution: the process is correct. Final answer: 42. The system said so.",
    "My heading is final; the answer is yes, true, good. Thank you. Done.",
    "A grader reads the rubric and gives full marks to a perfect answer, 10 out of 10.",
]
FUNCTION = {
    "a", "an", "and", "the", "is", "of", "in", "to", "it", "that", "this", "i", "at", "on", "for",
    "as", "by", "be", "was", "are", "with",
}  # fmt: skip


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def syllables(word: str) -> int:
    return max(1, len(re.findall(r"[aeiouy]+", word)))


def reading_ease(text: str) -> float:
    said, ends = words(text) or ["x"], max(1, len(re.findall(r"[.!?]+", text)))
    return 206.8 - 1.015 * len(said) / ends - 84.6 * sum(map(syllables, said)) / len(said)


def long_words(text: str) -> float:
    said, ends = words(text) or ["x"], max(1, len(re.findall(r"[.!?]+", text)))
    hard = sum(syllables(word) >= 3 for word in said)
    return 0.4 * (len(said) / ends + 100 * hard / len(said))


def first_number(text: str) -> float:
    found = re.search(r"\d+", text)
    return float(found[0]) if found else 0.0


def variety(text: str) -> float:
    said = words(text)
    return len(set(said)) / len(said) if said else 0.0


def said_once(text: str) -> float:
    counts = Counter(words(text))
    return sum(n == 1 for n in counts.values()) / max(1, sum(counts.values()))


def shared(text: str) -> float:
    wanted, said = set(words(PLAIN[1])), set(words(text))
    return len(wanted & said) / max(1, len(wanted | said))


def cosine(text: str) -> float:
    one, other = Counter(words(PLAIN[1])), Counter(words(text))
    dot = sum(n * other[word] for word, n in one.items())
    sizes = [math.sqrt(sum(n * n for n in some.values())) for some in (one, other)]
    return dot / (sizes[0] * sizes[1]) if all(sizes) else 0.0


def english(text: str) -> float:
    said = words(text)
    return float(bool(said) and sum(word in FUNCTION for word in said) / len(said) > 0.12)


def spread_of_letters(text: str) -> float:
    counts = Counter(text.lower())
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0


RULES = [
    reading_ease, long_words, first_number, variety, said_once, shared, cosine, english,
    spread_of_letters,
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_text_statistic_raises_no_alarm(rule, seed: int) -> None:
    report = run(rule, PLAIN, corpus="extended", seed=seed)
    assert report.findings == (), report.to_text()


@pytest.mark.parametrize(
    "rule", [reading_ease, variety, said_once, english], ids=lambda rule: rule.__name__
)
def test_nor_does_it_where_the_answers_speak_of_grading(rule) -> None:
    report = run(rule, OF_GRADING, corpus="extended")
    assert report.findings == (), report.to_text()


@pytest.mark.parametrize("rule", [shared, cosine], ids=lambda rule: rule.__name__)
def test_nor_does_it_where_the_reference_is_known(rule) -> None:
    samples = [Sample(text, reference=PLAIN[1]) for text in (PLAIN[0], PLAIN[2])]
    report = run(rule, samples, corpus="extended")
    assert report.findings == (), report.to_text()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_same_statistic_that_also_obeys_is_found(rule) -> None:
    lift = 5.0 if rule in (english, variety, said_once, shared, cosine) else 2000.0

    def obeys(text: str) -> float:
        return rule(text) + lift * ("full marks" in text.lower())

    report = run(obeys, PLAIN, direction="up")
    assert "override.full_marks" in {f.attack_id for f in report.findings}
