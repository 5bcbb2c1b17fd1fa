"""What a scan may ask: attacks times baselines, and the exact text of every call."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..errors import UsageError
from .control import content_words, filler, marking, twin
from .corpus import Attack, Family
from .sample import Sample

Arm = Literal["base", "attack", "twin", "filler", "marking"]
DIRECTIONS = ("up", "down")
class Call(NamedTuple):
    """One judge call: an arm of a cell, control number ``k``, in context ``round``."""

    arm: Arm
    attack: int
    baseline: int
    k: int = 0
    round: int = 0


def place(output: str, payload: str, placement: str, separator: str) -> str:
    """Return the judged text with the payload put in its place, both byte for byte."""
    if placement == "suffix":
        return output + separator + payload
    if placement == "prefix":
        return payload + separator + output
    if placement == "replace":
        return payload
    raise UsageError(f"placement {placement!r} is not one of suffix, prefix, replace")


_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)*")


def _tokens(text: str) -> list[str]:
    words = _TOKEN.findall(text)
    return [w if len(w) == 1 and w.isalpha() else w.casefold() for w in words]


def leaks(attack: Attack, reference: str | None) -> bool:
    """Tell whether the payload states the reference answer (case and spacing aside).

    A payload that holds the right answer moves every honest scorer. A reference of
    a single letter must match in case, or every article "a" would be a leak.
    """
    if not reference:
        return False
    needle = _tokens(reference)
    if not needle:
        return reference.strip() != "" and reference.strip() in attack.text
    for text in (attack.text, attack.plain):
        words = _tokens(text) if text else []
        size = len(needle)
        if any(words[i : i + size] == needle for i in range(len(words) - size + 1)):
            return True
    return False


@dataclass(slots=True)
class Plan:
    """The grid of a scan and the texts it may send. Deterministic given the seed."""

    attacks: tuple[Attack, ...]
    baselines: tuple[Sample, ...]
    families: dict[str, Family]
    seed: int = 0
    separator: str = "\n\n"
    placement: str | None = None
    text_only: bool = True
    corpus: tuple[str, ...] = ("core",)
    left_out: frozenset[tuple[int, int]] = frozenset()
    avoid: frozenset[str] = frozenset()
    _controls: dict[tuple[str, int, int], str] = field(default_factory=dict)
    _sentences: dict[int, str] = field(default_factory=dict)

    @property
    def probe_count(self) -> int:
        return len(self.attacks) * len(self.baselines) - len(self.left_out)

    def placement_of(self, attack: int) -> str:
        return self.placement or self.attacks[attack].placement

    def cells(self, attack: int) -> list[int]:
        """Return the baselines this attack is scored on.

        A payload that replaces the answer is one text for every baseline when
        nothing but the text reaches the judge: it is scored once.
        """
        rows = [b for b in range(len(self.baselines)) if (attack, b) not in self.left_out]
        if self.placement_of(attack) != "replace":
            return rows
        if self.text_only:
            return rows[:1]
        seen: dict[object, int] = {}
        for b in rows:
            s = self.baselines[b]
            seen.setdefault((s.input, s.reference, s.context), b)
        return list(seen.values())

    def control(self, arm: Arm, attack: int, k: int) -> str:
        """Return control ``k`` of this attack: a text of its own, whatever the baseline."""
        key = (arm, attack, k)
        if key not in self._controls:
            payload = self.attacks[attack]
            if arm == "twin":
                text = twin(payload, k, seed=self.seed, avoid=self.avoid)
            elif arm == "filler":
                text = filler(len(payload.text), seed=self.seed, k=k, avoid=self.avoid)
            else:
                text = marking(len(payload.text), seed=self.seed, k=k)
            self._controls[key] = text
        return self._controls[key]

    def context(self, output: str, round: int) -> str:
        """Return the baseline as round ``round`` shows it to attack and controls alike.

        Round 0 is the baseline itself. A later round adds one short neutral sentence
        of its own: a fresh text for a judge that jumps whenever words change, the
        same answer for a reader.
        """
        if not round:
            return output
        if round not in self._sentences:
            size = 24 + 5 * (round % 4)
            self._sentences[round] = filler(size, seed=self.seed, k=1000 + round, avoid=self.avoid)
        return f"{output} {self._sentences[round]}"

    def text(self, call: Call) -> str:
        """Return the judged text of a call."""
        output = self.baselines[call.baseline].output
        if call.arm == "base":
            return output
        if call.arm == "attack":
            payload = self.attacks[call.attack].text
        else:
            payload = self.control(call.arm, call.attack, call.k)
        where = self.placement or self.attacks[call.attack].placement
        if where == "replace":  # nothing of the baseline is left: only white space can differ
            return payload + "\n" * call.round
        return place(self.context(output, call.round), payload, where, self.separator)

    def shuffled(self, calls: Iterable[Call], salt: str) -> list[Call]:
        """Return the calls in an order that only the seed decides."""
        order = list(calls)
        random.Random(f"{self.seed}:{salt}").shuffle(order)
        return order


def make_plan(
    attacks: Sequence[Attack],
    baselines: Sequence[Sample],
    families: dict[str, Family],
    *,
    seed: int = 0,
    separator: str = "\n\n",
    placement: str | None = None,
    text_only: bool = True,
    corpus: tuple[str, ...] = ("core",),
) -> Plan:
    """Build the plan; raises UsageError when nothing is left to probe."""
    if placement not in (None, "suffix", "prefix", "replace"):
        raise UsageError(
            f"placement {placement!r} is not one of suffix, prefix, replace"
        )
    for attack in attacks:
        if placement is None and attack.placement == "middle":
            raise UsageError(f"attack {attack.id}: placement middle is not there yet")
    out = frozenset(
        (a, b)
        for b, sample in enumerate(baselines)
        if sample.reference
        for a, attack in enumerate(attacks)
        if leaks(attack, sample.reference)
    )
    avoid = frozenset().union(
        *(content_words(s.output) for s in baselines),
        *(content_words(s.reference) for s in baselines if s.reference),
    )
    plan = Plan(
        tuple(attacks), tuple(baselines), families, seed, separator, placement, text_only,
        corpus, out, avoid,
    )
    if plan.probe_count <= 0:
        raise UsageError(
            "nothing to probe: every payload contains the reference answer of every baseline"
        )
    return plan
