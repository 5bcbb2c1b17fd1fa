"""What a scan may ask: attacks times baselines, and the exact text of every call."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterable, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from ..errors import UsageError
from .cells import Cell, CellSet
from .control import content_words, filler, said
from .control_texts import ControlTexts
from .corpus import PLACEMENTS, Attack, Family
from .leaks import References
from .placement import middle, place
from .sample import Sample
from .slots import Slots, asks, with_question

# "good" and "bad" are the answers of a contrast: no baselines, in no plan; "every" is one text
# with every payload
Arm = Literal["base", "attack", "twin", "filler", "echo", "marking", "good", "bad", "every"]
# contexts of the search for the strongest attack, away from all that the rules read
SEARCH_ROUND = 1000


class Call(NamedTuple):
    """One judge call: an arm of a cell, control number ``k``, in context ``round``."""

    arm: Arm
    attack: int
    baseline: int
    k: int = 0
    round: int = 0


def first_call(arm: Arm, attack: int, baseline: int) -> Call:
    """Return control 0, or the attack, in round 0; at half the cost of ``Call``, which
    shows where a million are made."""
    return tuple.__new__(Call, (arm, attack, baseline, 0, 0))


@dataclass(slots=True)
class Plan:
    """The grid of a scan and the texts it may send. Deterministic given the seed."""

    attacks: tuple[Attack, ...]
    baselines: tuple[Sample, ...]
    families: dict[str, Family]
    control_texts: ControlTexts
    seed: int = 0
    separator: str = "\n\n"
    placement: str | None = None
    text_only: bool = True
    corpus: tuple[str, ...] = ("core",)
    left_out: AbstractSet[Cell] = frozenset()
    avoid: frozenset[str] = frozenset()
    asking: frozenset[int] = frozenset()  # attacks that repeat the sample's question
    notes: tuple[str, ...] = ()  # what was merged or left out when the corpus was read
    # which of the baselines given these are, by index; empty where they are all of them
    chosen: tuple[int, ...] = ()
    # the controls of the survey, once they are drawn
    survey_controls: list[Call] = field(default_factory=list, repr=False, compare=False)
    _cells: dict[int, Sequence[int]] = field(default_factory=dict)
    _order: array[int] = field(default_factory=lambda: array("I"))
    _sentences: dict[int, str] = field(default_factory=dict)

    @property
    def probe_count(self) -> int:
        return len(self.attacks) * len(self.baselines) - len(self.left_out)

    def given(self, baseline: int) -> int:
        """Return the index a baseline has in the order the user gave them."""
        return self.chosen[baseline] if self.chosen else baseline

    def placement_of(self, attack: int) -> str:
        return self.placement or self.attacks[attack].placement

    def cells(self, attack: int) -> Sequence[int]:
        """Return the baselines this attack is scored on, in ascending order.

        A payload that replaces the answer is one text for every baseline when
        nothing but the text reaches the judge: it is scored once.
        """
        if attack not in self._cells:
            self._cells[attack] = self._scored_on(attack)
        return self._cells[attack]

    def _scored_on(self, attack: int) -> Sequence[int]:
        rows: Sequence[int] = range(len(self.baselines))
        if self.left_out:
            rows = array("q", (b for b in rows if (attack, b) not in self.left_out))
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
        return array("q", seen.values())

    def baseline_order(self) -> array[int]:
        """Return the baselines in the order a scan opens with, which only the seed decides."""
        if not self._order:
            self._order.extend(range(len(self.baselines)))
            self.shuffle(self._order, "open")
        return self._order

    def payload(self, attack: int, baseline: int) -> str:
        """Return the text of an attack as this baseline gets it."""
        text = self.attacks[attack].text
        if attack in self.asking:
            return with_question(text, self.baselines[baseline].input)
        return text

    def control(self, arm: Arm, attack: int, k: int, baseline: int = 0) -> str:
        """Return control ``k`` of this attack, as this baseline gets it."""
        return self.control_texts.text(arm, attack, k, self.baselines[baseline].input)

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
        arm, attack, baseline, k, round = call
        output = self.baselines[baseline].output
        if arm == "base":
            return output
        if arm == "attack":
            payload = self.payload(attack, baseline)
        else:
            payload = self.control(arm, attack, k, baseline)
        where = self.placement or self.attacks[attack].placement
        if where == "replace":  # nothing of the baseline is left: only white space can differ
            return payload + "\n" * (round % 8)
        shown = self.context(output, round) if round else output
        if where == "suffix":
            return shown + self.separator + payload
        at = None
        if where == "middle":  # the same place in every context
            at = middle(output)
            where = where if at < len(output) else "suffix"
        return place(shown, payload, where, self.separator, at)

    def shuffled(self, calls: Iterable[Call], salt: str) -> list[Call]:
        """Return the calls in an order that only the seed decides."""
        order = list(calls)
        self.shuffle(order, salt)
        return order

    def shuffle(self, items: MutableSequence[Any], salt: str) -> None:
        """Bring items, or the numbers that stand for them, into the order of ``shuffled``."""
        random.Random(f"{self.seed}:{salt}").shuffle(items)


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
    chosen: tuple[int, ...] = (),
) -> Plan:
    """Build the plan, slots filled unless they are; UsageError when nothing is left to probe.

    ``chosen`` are the indexes of the baselines among those given, where they are not all.
    """
    if placement is not None and placement not in PLACEMENTS:
        raise UsageError(f"placement {placement!r} is not one of {', '.join(PLACEMENTS)}")
    slots = slots or Slots()
    if not filled:
        attacks = [slots.fill(attack) for attack in attacks]
    asking = frozenset(a for a, attack in enumerate(attacks) if asks(attack))
    references = References({s.reference for s in baselines if s.reference})
    # one sample's words after another: all of them at once would outweigh the scan
    avoid = frozenset(
        word
        for s in baselines
        for text in (s.output, s.reference)
        if text
        for word in content_words(text)
    )
    control_texts = ControlTexts(
        tuple(attacks), seed, placement, asking, references, avoid,
        _common(baselines, bool(asking)), frozenset(attack.text for attack in attacks),
    )
    plan = Plan(
        control_texts.attacks, tuple(baselines), families, control_texts, seed, separator,
        placement, text_only, corpus, _leaking(attacks, baselines, asking, references), avoid,
        asking, notes, chosen,
    )
    if plan.probe_count <= 0:
        raise UsageError(
            "nothing to probe: every payload contains the reference answer of every baseline"
        )
    return plan


def _common(baselines: Sequence[Sample], asked: bool) -> frozenset[str]:
    """Return every word of answers, references and questions; of what stands for a question
    that is missing, too, where payloads ask it."""
    words: set[str] = set()
    for s in baselines:
        question = with_question("{question}", s.input) if asked else s.input
        words |= said(" ".join(filter(None, (s.output, s.reference, question))))
    return frozenset(words)


def _leaking(
    attacks: Sequence[Attack], baselines: Sequence[Sample], asking: frozenset[int],
    references: References,
) -> AbstractSet[Cell]:
    """Return the cells whose payload states the reference answer of the baseline."""
    if not references:
        return frozenset()
    out = CellSet(len(attacks), len(baselines))
    for a, attack in enumerate(attacks):
        stated = references.stated_by(attack)
        for b, sample in enumerate(baselines):
            if a in asking and sample.reference:
                asked = replace(attack, text=with_question(attack.text, sample.input))
                stated = References((sample.reference,)).stated_by(asked)
            if sample.reference in stated:
                out.add((a, b))
    return out
