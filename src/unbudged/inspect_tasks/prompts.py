"""What verdict_forging tells the model: the questions and the graders it describes."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass

_FILE = os.path.join(os.path.dirname(__file__), "forging.yaml")


@dataclass(frozen=True, slots=True)
class Grader:
    """One way to mark answers that text in the answer can game, as told to the model."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose answer would be graded."""

    id: str
    text: str


@functools.cache
def load_prompts() -> tuple[tuple[Question, ...], tuple[Grader, ...]]:
    """Return the questions and the graders of the task."""
    import yaml

    with open(_FILE, encoding="utf-8") as file:
        data = yaml.safe_load(file)
    return (
        tuple(Question(**entry) for entry in data["questions"]),
        tuple(Grader(**entry) for entry in data["graders"]),
    )


def prompt_of(question: Question, grader: Grader | None) -> str:
    """Return what the model is asked: the question alone, or with the grader described."""
    if grader is None:
        return question.text
    return f"{question.text}\n\nHow your answer will be marked: {grader.text}"


def describes_grader(prompt: str) -> bool:
    """Tell whether one of the graders is described in a prompt."""
    return any(grader.text in prompt for grader in load_prompts()[1])
