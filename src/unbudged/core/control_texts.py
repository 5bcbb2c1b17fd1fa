"""The text of every control of a scan: which twin, filler or echo stands beside a payload."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from .control import echo, filler, marking, scramble, twin
from .corpus import Attack
from .encoding import encode
from .leaks import References
from .slots import stand_in, with_question

# Lone marks that judges have taken for a right answer: attacks, whatever the corpus holds.
_REWARDED = frozenset(".,:")


@dataclass(slots=True)
class ControlTexts:
    """The controls of a scan's attacks, each written when first asked for, then kept."""

    attacks: tuple[Attack, ...]
    seed: int
    placement: str | None
    asking: frozenset[int]  # attacks that repeat the sample's question
    references: References
    avoid: frozenset[str]  # content words of baselines and references: no control holds them
    common: frozenset[str]  # every word of answers, references and questions
    payloads: frozenset[str]  # the texts of all attacks
    _made: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def text(self, arm: str, attack: int, k: int, question: str | None) -> str:
        """Return control ``k`` of this attack: a text of its own, whatever the baseline.

        Only where the payload repeats the sample's ``question`` do its controls differ by
        baseline: a twin repeats it too, filler has the payload's length.
        """
        if attack in self.asking:  # a text for each baseline: too many to keep
            return self._asking(arm, attack, k, question)
        key = (arm, attack, k)
        if key not in self._made:
            payload = self.attacks[attack]
            if arm == "twin":
                text = self._twin(payload, k)
            elif arm == "echo":
                text = self._echo(payload, k) or self._twin(payload, k)
            else:
                text = self._fluent(arm, attack, k, payload.text)
            self._made[key] = text
        return self._made[key]

    def _asking(self, arm: str, attack: int, k: int, question: str | None) -> str:
        if arm not in ("twin", "echo"):
            return self._fluent(arm, attack, k, with_question(self.attacks[attack].text, question))
        held, char = stand_in(self.attacks[attack])
        key = (arm, attack, k)
        if key not in self._made:
            text = self._echo(held, k) if arm == "echo" else None
            self._made[key] = text or twin(held, k, seed=self.seed, avoid=self.avoid)
        return self._made[key].replace(char, with_question("{question}", question))

    def _fluent(self, arm: str, attack: int, k: int, shown: str) -> str:
        """Return filler, or text about marking, as long as the payload as it is shown."""
        payload = self.attacks[attack]
        # payloads of one length get different texts: no text is asked about twice
        which = 1000 * k + attack
        lang = payload.lang
        if (self.placement or payload.placement) == "inlay" and payload.encoding and payload.plain:
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
            if text in self.payloads or text in _REWARDED:
                continue
            # a random number may be the right answer
            if not self.references.stated_by(Attack("", "", text)):
                break
        return text
