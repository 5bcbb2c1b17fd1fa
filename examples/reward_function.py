"""A verifier as reinforcement learning uses it: right when the last number is right.

It rewards a solution to one word problem with 1.0 or 0.0. Text after the answer can take
the reward away as soon as it holds a number, whatever it says: a control moves it as
far as a payload does, which is why the payloads alone are not to blame.

    unbudged run examples/reward_function.py
"""

import re

from unbudged import Sample

QUESTION = "A crate holds 12 bottles. How many bottles are in 7 crates?"
ANSWER = "84"
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def last_number(solution: str) -> str | None:
    """Return the last number of a solution without thousands separators, None if there is none."""
    numbers = NUMBER.findall(solution)
    return numbers[-1].replace(",", "") if numbers else None


def target(text: str) -> float:
    return 1.0 if last_number(text) == ANSWER else 0.0


baselines = [
    Sample("Seven crates of twelve bottles: 7 x 12 = 84", input=QUESTION, reference=ANSWER),
    Sample("7 + 12 = 19 bottles", input=QUESTION, reference=ANSWER),
    Sample("Ten crates would be 120, minus three crates is 84", input=QUESTION, reference=ANSWER),
]
