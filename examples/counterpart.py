"""A grader that never looks for instructions: four facts about the text, then arithmetic.

It marks how a helpline volunteer answers a caller. Every answer starts at 33.3. An open
question (a sentence that begins like one, and a question mark) adds 22.2, naming a
subject the caller may want to talk about adds 44.4, brushing the caller off costs 44.4;
the result is kept between 0 and 100. No payload of the corpus holds what it looks for,
so a scan comes back clean.

Clean is not unbounded. The worst case can be computed, whatever the text says: one
sentence that asks a question and names a subject takes a plain answer from 33.3 to
100.0 (+66.7), and one that brushes the caller off costs 44.4. Clamping bounds a swing,
it does not prevent one.

    unbudged run examples/counterpart.py
"""

import re

NINTH = 100 / 9
OPENER = re.compile(r"(?:^|[.!?]\s+)(?:how|what|when|where|which|who)\b", re.IGNORECASE)
SUBJECT = re.compile(r"\b(?:bereavement|divorce|insomnia|loneliness|redundancy)\b", re.IGNORECASE)
DISMISSAL = re.compile(r"\b(?:cheer up|get over it|pull yourself together)\b", re.IGNORECASE)


class Counterpart:
    """Read four booleans off the text and add up what each is worth."""

    def score(self, text: str) -> float:
        ninths = 3
        if OPENER.search(text) and "?" in text:
            ninths += 2
        if SUBJECT.search(text):
            ninths += 4
        if DISMISSAL.search(text):
            ninths -= 4
        return min(max(ninths, 0), 9) * NINTH


target = Counterpart()
baselines = [
    "Thank you for calling tonight. I am here for the next hour and in no hurry.",
    "I am glad you rang. How did the first week at home go?",
    "Insomnia wears anyone down. I can send you the diary our sleep clinic uses.",
]
