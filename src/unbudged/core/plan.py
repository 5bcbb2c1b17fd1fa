"""What a scan may ask: attacks times baselines, and the exact text of every call."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ..errors import UsageError
from .control import content_words, echo, filler, marking, said, scramble, twin
from .corpus import PLACEMENTS, Attack, Family
from .placement import middle, place
from .sample import Sample
from .slots import Slots, asks, stand_in, with_question

# "good" and "bad" are the answers of a contrast: no baselines, in no plan
Arm = Literal["base", "attack", "twin", "filler", "echo", "marking", "good", "bad"]
DIRECTIONS = ("up", "down")
# contexts of the search for the strongest attack, away from all that the rules read
SEARCH_ROUND = 1000
# Lone marks that judges have taken for a right answer: attacks, whatever the corpus holds.
_REWARDED = frozenset(".,:")


class Call(NamedTuple):
    """One judge call: an arm of a cell, control number ``k``, in context ``round``."""

    arm: Arm
    attack: int
    baseline: int
    k: int = 0
    round: int = 0


_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)*")


def _tokens(text: str) -> list[str]:
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)  # one spelling of an accent is another's leak
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
    asking: frozenset[int] = frozenset()  # attacks that repeat the sample's question
    texts: frozenset[str] = frozenset()  # of all payloads
    references: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()  # what was merged or left out when the corpus was read
    common: frozenset[str] = frozenset()  # every word of baselines and references
    _controls: dict[tuple[str, int, int, int], str] = field(default_factory=dict)
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
        if self.text_only and attack not in self.asking:
            return rows[:1]
        seen: dict[object, int] = {}
        for b in rows:
            s = self.baselines[b]
            # metadata need not be hashable: a sample that has any stands for itself
            own = b if s.metadata else None
            seen.setdefault((s.input, s.reference, s.context, own), b)
        return list(seen.values())

    def payload(self, attack: int, baseline: int) -> str:
        """Return the text of an attack as this baseline gets it."""
        text = self.attacks[attack].text
        if attack in self.asking:
            return with_question(text, self.baselines[baseline].input)
        return text

    def control(self, arm: Arm, attack: int, k: int, baseline: int = 0) -> str:
        """Return control ``k`` of this attack: a text of its own, whatever the baseline.

        Only where the payload repeats the sample's question do its controls differ by
        baseline: a twin repeats it too, filler has the payload's length.
        """
        key = (arm, attack, k, baseline if attack in self.asking else 0)
        if key not in self._controls:
            payload = self.attacks[attack]
            size = len(self.payload(attack, baseline))
            if arm == "twin" and attack in self.asking:
                held, char = stand_in(payload)
                question = with_question("{question}", self.baselines[baseline].input)
                text = twin(held, k, seed=self.seed, avoid=self.avoid).replace(char, question)
            elif arm == "twin":
                text = self._twin(payload, k)
            elif arm == "echo":
                held, char = stand_in(payload) if attack in self.asking else (payload, "")
                text = self._echo(held, k) or self._twin(payload, k)
                if char:
                    question = with_question("{question}", self.baselines[baseline].input)
                    text = text.replace(char, question)
            elif arm == "filler":
                lang = payload.lang
                # payloads of one length get different texts: no text is asked about twice
                which = 1000 * k + attack
                text = filler(size, seed=self.seed, k=which, avoid=self.avoid, lang=lang)
                if text == payload.text or text in _REWARDED:  # one character, one sentence
                    text = self._twin(payload, 1000 + k)
            else:
                scrambled = None
                if k % 2 and payload.encoding is None:
                    scrambled = scramble(self.payload(attack, baseline), k // 2, str(self.seed))
                which = 1000 * k + attack
                text = scrambled or marking(size, seed=self.seed, k=which, lang=payload.lang)
            self._controls[key] = text
        return self._controls[key]

    def echoes(self, attack: int) -> bool:
        """Tell whether a payload has words in common with the baselines or references."""
        return self._echo(self.attacks[attack], 0) is not None

    def _echo(self, payload: Attack, k: int) -> str | None:
        return echo(payload, k, common=self.common, seed=self.seed, avoid=self.avoid)

    def _twin(self, payload: Attack, k: int) -> str:
        """Return a twin that is no payload itself and states no reference answer.

        [] is what {} has for a twin, and an attack.
        """
        for turn in range(k, k + 8072, 1009):
            text = twin(payload, turn, seed=self.seed, avoid=self.avoid)
            if text in self.texts or text in _REWARDED:
                continue
            # a random number may be the right answer
            if not any(leaks(Attack("", "", text), reference) for reference in self.references):
                break
        return text

    def context(self, output: str, round: int) -> str:
        """Return the baseline as round ``round`` shows it to attack and controls alike.

        Round 0 is the baseline itself. A later round adds one short neutral sentence
        of its own: a fresh text for a judge that jumps whenever words change, the
        same answer for a reader. Those of a search are longer: its test reads none again.
        """
        if not round:
            return output
        if round not in self._sentences:
            size = 24 + 5 * (round % 4) + (20 if round >= SEARCH_ROUND else 0)
            self._sentences[round] = filler(size, seed=self.seed, k=1000 + round, avoid=self.avoid)
        return f"{output} {self._sentences[round]}"

    def text(self, call: Call) -> str:
        """Return the judged text of a call."""
        output = self.baselines[call.baseline].output
        if call.arm == "base":
            return output
        if call.arm == "attack":
            payload = self.payload(call.attack, call.baseline)
        else:
            payload = self.control(call.arm, call.attack, call.k, call.baseline)
        where = self.placement or self.attacks[call.attack].placement
        if where == "replace":  # nothing of the baseline is left: only white space can differ
            return payload + "\n" * (call.round % 8)
        shown = self.context(output, call.round)
        at = None
        if where == "middle":  # the same place in every context
            at = middle(output)
            where = where if at < len(output) else "suffix"
        return place(shown, payload, where, self.separator, at)

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
    slots: Slots | None = None,
    notes: tuple[str, ...] = (),
    filled: bool = False,
) -> Plan:
    """Build the plan, slots filled unless they are; UsageError when nothing is left to probe."""
    if placement is not None and placement not in PLACEMENTS:
        raise UsageError(f"placement {placement!r} is not one of {', '.join(PLACEMENTS)}")
    slots = slots or Slots()
    if not filled:
        attacks = [slots.fill(attack) for attack in attacks]
    asking = frozenset(a for a, attack in enumerate(attacks) if asks(attack))
    out = frozenset(
        (a, b)
        for b, sample in enumerate(baselines)
        if sample.reference
        for a, attack in enumerate(attacks)
        if leaks(_asked(attack, sample) if a in asking else attack, sample.reference)
    )
    avoid = frozenset().union(
        *(content_words(s.output) for s in baselines),
        *(content_words(s.reference) for s in baselines if s.reference),
    )
    plan = Plan(
        tuple(attacks), tuple(baselines), families, seed, separator, placement, text_only,
        corpus, out, avoid, asking, frozenset(attack.text for attack in attacks),
        frozenset(s.reference for s in baselines if s.reference), notes,
        frozenset().union(*(said(f"{s.output} {s.reference or ''}") for s in baselines)),
    )
    if plan.probe_count <= 0:
        raise UsageError(
            "nothing to probe: every payload contains the reference answer of every baseline"
        )
    return plan


def _asked(attack: Attack, sample: Sample) -> Attack:
    return replace(attack, text=with_question(attack.text, sample.input))
