"""The checks that adapters must pass hold for a plain grader and can fail."""

from __future__ import annotations

import json
import re
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import unbudged
from unbudged.core import target as plain_target

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integrations"))

import contract
from judge_server import JudgeServer

PROMPT = "Grade the submission.\n[BEGIN DATA]\n{}\n[END DATA]\nEnd with GRADE: C or GRADE: I."


def grader(base_url: str):
    """Build an honest little grader: one request, last grade wins, anything else raises."""

    def grade(text: str) -> float:
        body = {"model": "judge", "messages": [{"role": "user", "content": PROMPT.format(text)}]}
        request = urllib.request.Request(
            base_url + "/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=1) as reply:
            said = json.load(reply)["choices"][0]["message"]["content"]
        return float(re.findall(r"GRADE: ([CI])\b", said)[-1] == "C")

    return grade


def by_length():
    return lambda text: float(len(text))


def recording():
    seen: list[str] = []

    def score(text: str) -> float:
        seen.append(text)
        return 1.0

    return score, seen


def raising(text: str) -> float:
    raise ValueError("no\nscore")


SUBJECT = contract.Subject(
    extra="deepeval",
    adapter=plain_target,
    scan=unbudged.run,
    judged=grader,
    by_length=by_length,
    recording=recording,
    failing={"raises": lambda: raising, "returns None": lambda: lambda text: None},
    alone=(
        f"sys.path[:0] = [{str(Path(__file__).parent)!r}]\n"
        "from test_contract import grader\ntarget = grader(BASE_URL)\n"
    ),
)
FOR_ADAPTERS_ALONE = {
    contract.a_missing_framework_is_one_sentence,
    contract.a_version_under_the_floor_is_one_sentence_with_both,
}
#: needs a judge that never sees the text, which a function of the text cannot be
NO_FUNCTION = {contract.a_judge_that_never_sees_the_text_stops_the_scan}


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with JudgeServer(delay=1.5) as served:
        yield served


@pytest.mark.parametrize(
    "check",
    [check for check in contract.WITHOUT_JUDGE if check not in FOR_ADAPTERS_ALONE],
    ids=contract.name_of,
)
def test_a_plain_function_passes_what_every_adapter_must(check):
    check(SUBJECT)


@pytest.mark.parametrize(
    "check",
    [check for check in contract.WITH_JUDGE if check not in NO_FUNCTION],
    ids=contract.name_of,
)
def test_a_grader_over_http_passes_what_every_adapter_must(check, server):
    check(SUBJECT, server)
