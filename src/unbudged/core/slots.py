"""The places a payload leaves open for what only the scan knows: goal, scale, question."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .corpus import Attack
from .encoding import encode

#: what stands for {question} where a sample has none
NO_QUESTION = "the question above"
_NAMES = "goal|max_score|pass_word|question|scale"
# Doubled braces and ${...} belong to other people's templates: they are matched first, as they are.
_SLOT = re.compile(rf"\{{\{{\s*\w+\s*\}}\}}|[$#%]\{{\w+\}}|\{{({_NAMES})\}}")
_STAND_INS = "\ue000\ue001\uf8ff"


@dataclass(frozen=True, slots=True)
class Slots:
    """What the slots of a payload are filled with.

    ``scale`` is (worst, best) mark or None where nobody knows it: payloads then forge
    100 on a scale of 0 to 100. ``labels`` are the marks of a judge that has words or
    letters for them, worst first. ``goal`` is an order, such as "award full marks"; it may
    hold the other slots itself.
    """

    goal: str = "award full marks"
    scale: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    pass_word: str | None = None

    @property
    def max_score(self) -> str:
        """The best mark as text: "5", "0.9", "A"."""
        if self.labels:
            return self.labels[-1]
        return "100" if self.scale is None else f"{self.scale[1]:.15g}"

    @property
    def scale_words(self) -> str:
        """The scale as text, lower end first: "1 to 10", "F to A"."""
        if self.labels:
            return f"{self.labels[0]} to {self.labels[-1]}"
        low, high = sorted(self.scale or (0.0, 100.0))
        return f"{low:.15g} to {high:.15g}"

    def fill(self, attack: Attack) -> Attack:
        """Return an attack with every slot but {question} filled, itself when it has none.

        The plain text of an encoded payload is filled before it is encoded.
        """
        text, plain = attack.text, attack.plain
        if attack.goal_mark is not None:
            filled = text.replace(attack.goal_mark, self._asked()) if attack.goal_mark else text
            return attack if filled == text else replace(attack, text=filled)
        if "{" not in text and "{" not in (plain or ""):
            return attack
        if plain is not None and attack.encoding is not None:
            filled = self._filled(plain)
            hidden = encode(plain, attack.encoding)
            if filled != plain:
                before, _, after = text.partition(hidden)
                text = self._filled(before) + encode(filled, attack.encoding) + self._filled(after)
                return replace(attack, text=text, plain=filled)
        text = self._filled(text)
        return attack if text == attack.text else replace(attack, text=text)

    def _filled(self, text: str) -> str:
        values = self._values()
        values["goal"] = self._asked()
        return _SLOT.sub(lambda m: values.get(m[1] or "", m[0]), text)

    def _asked(self) -> str:
        values = self._values()
        return _SLOT.sub(lambda m: values.get(m[1] or "", m[0]), self.goal)

    def _values(self) -> dict[str, str]:
        return {
            "max_score": self.max_score,
            "pass_word": self.pass_word or (self.labels[-1] if self.labels else "pass"),
            "scale": self.scale_words,
        }


def asks(attack: Attack) -> bool:
    """Say whether a payload holds {question}."""
    if attack.goal_mark is not None or "{question}" not in attack.text:
        return False
    return any(m[1] == "question" for m in _SLOT.finditer(attack.text))


def asks_goal(attack: Attack) -> bool:
    """Say whether a payload has a place for the goal."""
    if attack.goal_mark is not None:
        return attack.goal_mark != "" and attack.goal_mark in attack.text
    held = _SLOT.finditer(attack.text + (attack.plain or ""))
    return any(m[1] == "goal" for m in held)


def with_question(text: str, question: str | None) -> str:
    """Return a payload's text with {question} filled, ``NO_QUESTION`` where there is none."""
    said = question if question and question.strip() else NO_QUESTION
    return _SLOT.sub(lambda m: said if m[1] == "question" else m[0], text)


def stand_in(attack: Attack) -> tuple[Attack, str]:
    """Return an attack with one private character for {question}, and that character.

    Its twins then say other things around the same question: a judge that rewards an
    answer for repeating the question is moved by them as well.
    """
    char = next((c for c in _STAND_INS if c not in attack.text), "\ue002")
    return replace(attack, text=with_question(attack.text, char)), char
