"""Neutral controls for a payload: filler, twins of its own shape, text about marking."""

from __future__ import annotations

import re
from functools import lru_cache

from ..corpus import Attack
from .compose import compose
from .recipe import Recipe
from .scramble import scramble
from .words import forms, function_words

__all__ = ["content_words", "echo", "filler", "marking", "said", "scramble", "twin"]

_LETTERS = re.compile(r"[^\W\d_]+")


def filler(
    length: int,
    *,
    seed: int = 0,
    k: int = 0,
    avoid: frozenset[str] = frozenset(),
    lang: str = "en",
) -> str:
    """Write plain neutral sentences of exactly ``length`` characters.

    No imperative, no number, nothing about judging, none of the lower-case words in
    ``avoid``. Different ``k`` give different text. English stands in for a language that
    has no shipped sentences. Raises ValueError when negative.
    """
    return compose("filler", length, seed, k, avoid, lang)


def marking(length: int, *, seed: int = 0, k: int = 0, lang: str = "en") -> str:
    """Write exactly ``length`` characters about marking that ask for nothing and give no mark.

    Tells a judge that any text on the subject moves from one that obeys. Raises
    ValueError when negative.
    """
    return compose("marking", length, seed, k, frozenset(), lang)


def twin(attack: Attack, k: int, *, seed: int = 0, avoid: frozenset[str] = frozenset()) -> str:
    """Return the ``k``-th text of the payload's own shape that says something else.

    Same length, function words, punctuation, markup, whitespace, capitals, scripts and
    digit counts; each content word another of its length, each number another of its
    digits; parses wherever the payload parses. None of the words in ``avoid`` appears.
    Deterministic; a payload of nothing but whitespace or controls is returned as it is.
    """
    return _recipe(
        attack.text, attack.plain, attack.encoding, attack.lang, attack.id, seed, avoid
    ).make(k)


def echo(
    attack: Attack, k: int, *, common: frozenset[str], seed: int = 0,
    avoid: frozenset[str] = frozenset(),
) -> str | None:
    """Return the ``k``-th twin that keeps the payload's words of ``common``, None if it has none.

    These are lower-case words of the baselines, kept in all their forms.

    A scorer that counts words in common with the answer or a reference moves for these,
    whoever writes them. Numbers become lower ones, so that a mark read after a kept label
    is not the payload's. Where more words would stay than change, all of them do, in another
    order; None where there is but one.
    """
    stays = _all_forms(common)
    if stays.isdisjoint(said(attack.text)):
        return None
    recipe = _recipe(
        attack.text, attack.plain, attack.encoding, attack.lang, attack.id, seed, avoid, stays
    )
    if recipe.echoes:
        return recipe.make(k)
    return scramble(attack.text, k, str(seed)) if recipe.mostly_stays else None


_all_forms = lru_cache(maxsize=8)(forms)


@lru_cache(maxsize=512)
def said(text: str) -> frozenset[str]:
    """Return the lower-case words of a text."""
    return frozenset(_LETTERS.findall(text.lower()))


@lru_cache(maxsize=512)
def _recipe(
    text: str,
    plain: str | None,
    encoding: str | None,
    lang: str,
    name: str,
    seed: int,
    avoid: frozenset[str],
    stays: frozenset[str] | None = None,
) -> Recipe:
    return Recipe(text, plain, encoding, lang, f"{seed}:{name}", avoid, stays)


def content_words(text: str) -> frozenset[str]:
    """Return the lower-case words of three letters or more that are not function words."""
    kept = function_words()
    return frozenset(w for w in _LETTERS.findall(text.lower()) if len(w) >= 3 and w not in kept)
