"""What a scan may ask: attacks times baselines, and the exact text of every call."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterable, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple

from ..errors import UsageError
from .cells import Cell, CellSet
from .control import content_words, echo, filler, marking, said, scramble, twin
from .corpus import PLACEMENTS, Attack, Family
from .encoding import encode
from .leaks import References
from .placement import middle, place
from .sample import Sample
from .slots import Slots, asks, stand_in, with_question

# "good" and "bad" are the answers of a contrast: no baselines, in no plan; "every" is one text
# with every payload
Arm = Literal["base", "attack", "twin", "filler", "echo", "marking", "good", "bad", "every"]
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
    seed: int = 0
    separator: str = "\n\n"
    placement: str | None = None
    text_only: bool = True
    corpus: tuple[str, ...] = ("core",)
    left_out: AbstractSet[Cell] = frozenset()
    avoid: frozenset[str] = frozenset()
    asking: frozenset[int] = frozenset()  # attacks that repeat the sample's question
    texts: frozenset[str] = frozenset()  # of all payloads
    references: References = field(default_factory=lambda: References(()))
    notes: tuple[str, ...] = ()  # what was merged or left out when the corpus was read
    common: frozenset[str] = frozenset()  # every word of answers, references and questions
    # the controls of the survey, once they are drawn
    survey_controls: list[Call] = field(default_factory=list, repr=False, compare=False)
    _cells: dict[int, Sequence[int]] = field(default_factory=dict)
    _order: array[int] = field(default_factory=lambda: array("I"))
    _controls: dict[tuple[Arm, int, int], str] = field(default_factory=dict)
    _sentences: dict[int, str] = field(default_factory=dict)

    @property
    def probe_count(self) -> int:
        return len(self.attacks) * len(self.baselines) - len(self.left_out)

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
        """Return control ``k`` of this attack: a text of its own, whatever the baseline.

        Only where the payload repeats the sample's question do its controls differ by
        baseline: a twin repeats it too, filler has the payload's length.
        """
        if attack in self.asking:  # a text for each baseline: too many to keep
            return self._asking_control(arm, attack, k, baseline)
        key = (arm, attack, k)
        if key not in self._controls:
            payload = self.attacks[attack]
            if arm == "twin":
                text = self._twin(payload, k)
            elif arm == "echo":
                text = self._echo(payload, k) or self._twin(payload, k)
            else:
                text = self._fluent(arm, attack, k, payload.text)
            self._controls[key] = text
        return self._controls[key]

    def _asking_control(self, arm: Arm, attack: int, k: int, baseline: int) -> str:
        if arm not in ("twin", "echo"):
            return self._fluent(arm, attack, k, self.payload(attack, baseline))
        held, char = stand_in(self.attacks[attack])
        key = (arm, attack, k)
        if key not in self._controls:
            text = self._echo(held, k) if arm == "echo" else None
            self._controls[key] = text or twin(held, k, seed=self.seed, avoid=self.avoid)
        question = with_question("{question}", self.baselines[baseline].input)
        return self._controls[key].replace(char, question)

    def _fluent(self, arm: Arm, attack: int, k: int, shown: str) -> str:
        """Return filler, or text about marking, as long as the payload as it is shown."""
        payload = self.attacks[attack]
        # payloads of one length get different texts: no text is asked about twice
        which = 1000 * k + attack
        lang = payload.lang
        if self.placement_of(attack) == "inlay" and payload.encoding and payload.plain:
            # what no eye sees is compared with what no eye sees: letters would spell other words
            size = len(payload.plain)
            write = partial(filler, avoid=self.avoid) if arm == "filler" else marking
            return encode(write(size, seed=self.seed, k=which, lang=lang), payload.encoding)
        if arm == "filler":
            text = filler(len(shown), seed=self.seed, k=which, avoid=self.avoid, lang=lang)
            if text == payload.text or text in _REWARDED:  # one character, one sentence
                return self._twin(payload, 1000 + k)
            return text
        if k % 2 and payload.encoding is None:
            scrambled = scramble(shown, k // 2, str(self.seed))
            if scrambled:
                return scrambled
        return marking(len(shown), seed=self.seed, k=which, lang=lang)

    def echoes(self, attack: int) -> bool:
        """Tell whether a payload has words in common with answers, references or questions."""
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
            if not self.references.stated_by(Attack("", "", text)):
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
) -> Plan:
    """Build the plan, slots filled unless they are; UsageError when nothing is left to probe."""
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
    plan = Plan(
        tuple(attacks), tuple(baselines), families, seed, separator, placement, text_only,
        corpus, _leaking(attacks, baselines, asking, references), avoid, asking,
        frozenset(attack.text for attack in attacks), references, notes,
        _common(baselines, bool(asking)),
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
