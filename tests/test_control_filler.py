"""Filler and text about marking have an exact length and say nothing that could steer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unbudged.core.control import content_words, filler, marking
from unbudged.core.control.words import forms, judgement_words, sections, vocabulary

WORD = re.compile(r"[A-Za-z]+")


@pytest.mark.parametrize("k", range(3))
def test_filler_and_marking_have_exactly_the_length_asked_for(k: int) -> None:
    for length in range(601):
        for text in (filler(length, k=k), marking(length, k=k)):
            assert len(text) == length
            assert text == text.strip()
            assert length < 5 or text.endswith(".")
            assert "  " not in text


def test_no_text_has_a_negative_length() -> None:
    with pytest.raises(ValueError, match="-1 characters"):
        filler(-1)


def test_filler_is_made_of_its_own_sentences_at_every_length() -> None:
    for name, write in (("filler", filler), ("marking", marking)):
        known = {w for body in sections(f"{name}.txt").values() for w in WORD.findall(body)}
        for length in range(1, 400):
            assert set(WORD.findall(write(length))) <= known


def test_filler_differs_with_k_and_seed_from_the_shortest_sentence_on() -> None:
    for length in range(15, 300, 7):
        texts = [filler(length, k=k) for k in range(4)] + [filler(length, seed=1)]
        assert len(set(texts)) == 5, texts


def test_filler_holds_no_word_of_judgement_no_number_and_no_order() -> None:
    text = " ".join(filler(500, k=k) for k in range(60))
    stems = [w for w in judgement_words() if len(w) >= 4]
    found = [w for w in content_words(text) if w in judgement_words() or w.startswith(tuple(stems))]
    assert not found
    assert not re.search(r"\d", text)
    starts = {sentence.split()[0] for sentence in text.split(". ")}
    subjects = {s.split()[0] for s in sections("filler.txt")["subjects"].splitlines() if s}
    assert starts <= subjects


def test_text_about_marking_gives_no_order_and_no_mark() -> None:
    text = " ".join(marking(500, k=k) for k in range(60))
    assert not re.search(r"\d|\b(must|should|please|ignore|you|your|give|award|deserves?)\b", text)
    starts = {sentence.split()[0] for sentence in text.split(". ")}
    parts = sections("marking.txt")
    lines = [*parts["subjects"].splitlines(), *parts["short"].splitlines()]
    assert starts <= {line.split()[0] for line in lines if line}


def test_text_about_marking_speaks_the_vocabulary_of_a_rubric() -> None:
    text = " ".join(marking(150, k=k) for k in range(10)).lower()
    terms = ("system", "administrator", "policy", "reset", "review", "approve", "verify", "ticket")
    assert [t for t in terms if t not in text] == []


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 250),
    st.frozensets(
        st.sampled_from(sorted(content_words(" ".join(filler(400, k=k) for k in range(9))))),
        max_size=60,
    ),
)
def test_filler_never_uses_a_word_to_avoid(length: int, avoid: frozenset[str]) -> None:
    text = filler(length, avoid=avoid)
    assert len(text) == length
    assert not content_words(text) & avoid


def test_filler_stays_exact_when_every_word_it_knows_is_to_be_avoided() -> None:
    everything = content_words(" ".join(filler(500, k=k) for k in range(200))) | vocabulary()
    text = filler(120, avoid=everything)
    assert len(text) == 120
    assert not content_words(text) & everything


def test_content_words_are_lower_case_words_of_three_letters_that_say_something() -> None:
    text = "The Marks of AN answer aren't given by you; œuvre 100 xy"
    assert content_words(text) == {"marks", "answer", "aren", "given", "œuvre"}


def test_no_shipped_neutral_word_speaks_of_judgement() -> None:
    stems = tuple(w for w in judgement_words() if len(w) >= 5)
    bad = [w for w in vocabulary() if w in judgement_words() or w.startswith(stems)]
    assert not bad


def test_the_words_are_many_and_of_every_common_length() -> None:
    import keyword

    assert len(vocabulary()) >= 1500
    for length in range(3, 11):
        assert sum(len(w) == length for w in vocabulary()) >= 60
    assert all(re.fullmatch("[a-z]{3,16}", w) for w in vocabulary())
    assert not [w for w in vocabulary() if keyword.iskeyword(w) or w in ("yes", "off", "null")]


def test_the_words_stand_on_the_shelf_their_heading_names() -> None:
    from unbudged.core.control.words import ending, syllables

    for heading, body in sections("en.txt").items():
        length, groups, *end = heading.split()
        for word in body.split():
            assert (len(word), syllables(word)) == (int(length), int(groups))
            assert ending(word) == (end[0] if end else "")


def test_forms_of_a_word_are_its_inflections() -> None:
    assert {"walk", "walks", "walked", "walking", "walker"} <= forms(frozenset({"walking"}))
