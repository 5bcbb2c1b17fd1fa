"""The checks that adapters must pass hold for a plain grader and can fail."""

from __future__ import annotations

import dataclasses
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
from judge_server import BROKEN, PERSONAS, JudgeServer, fill_schema, fold

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
        "from test_contract import grader, leaving\ntarget = grader(BASE_URL)\n"
    ),
)
FOR_ADAPTERS_ALONE = {
    contract.a_missing_framework_is_one_sentence,
    contract.a_version_under_the_floor_is_one_sentence_with_both,
}
#: a function of the text sees the text, and brings no fields that the built-in samples fit
NO_FUNCTION = {
    contract.a_judge_that_never_sees_the_text_stops_the_scan,
    contract.the_command_scans_it_on_the_built_in_samples,
}


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


def without(**changes):
    return dataclasses.replace(SUBJECT, **changes)


def stripping():
    seen: list[str] = []
    return (lambda text: float(len(seen.append(text.strip()) or ""))), seen


def one_score_for_all():
    return lambda text: 0.5


def remembering():
    first: list[float] = []
    return lambda text: (first.append(float(len(text))), first[0])[1]


def leaving(grade):
    def score(text: str) -> float:
        Path("left.txt").touch()
        return grade(text)

    return score


def zero_when_broken(base_url: str):
    honest = grader(base_url)

    def grade(text: str) -> float:
        try:
            return honest(text)
        except Exception:  # noqa: BLE001 the fault under test
            return 0.0

    return grade


@pytest.mark.parametrize(
    ("check", "subject"),
    [
        (contract.every_failure_is_unscorable, without(failing={"0 for None": one_score_for_all})),
        (contract.every_failure_is_unscorable, without(failing={})),
        (contract.the_text_arrives_byte_for_byte, without(recording=stripping)),
        (contract.twenty_at_once_score_as_twenty_alone, without(by_length=one_score_for_all)),
        (
            contract.a_scan_of_nothing_but_failures_is_not_held,
            without(failing={"scores": by_length}),
        ),
    ],
)
def test_a_check_fails_for_a_subject_that_breaks_it(check, subject):
    with pytest.raises(AssertionError):
        check(subject)


def test_state_that_leaks_between_calls_is_seen():
    shared = remembering()
    with pytest.raises(AssertionError):
        contract.twenty_at_once_score_as_twenty_alone(without(by_length=lambda: shared))


@pytest.mark.parametrize(
    ("check", "subject", "says"),
    [
        (
            contract.a_fair_judge_holds,
            without(judged=lambda url: grader(to("gullible", url))),
            "Moved",
        ),
        (
            contract.a_gullible_judge_is_moved,
            without(judged=lambda url: grader(to("fair", url))),
            "Held",
        ),
        (
            contract.a_payload_that_breaks_the_reply_is_its_own_outcome,
            without(judged=zero_when_broken),
            "Held",
        ),
        (contract.the_judged_text_reaches_the_judge, without(judged=lambda url: len), "never sent"),
        (
            contract.a_judge_that_never_sees_the_text_stops_the_scan,
            without(blind=grader, blind_reads="context"),
            "DID NOT RAISE",
        ),
        (
            contract.a_scan_leaves_no_trace,
            without(alone=SUBJECT.alone + "target = leaving(target)\n"),
            "left files behind",
        ),
        (
            contract.a_scan_leaves_no_trace,
            without(alone=SUBJECT.alone + "print('hello')\n"),
            "printed 'hello",
        ),
        (
            contract.a_scan_leaves_no_trace,
            without(
                alone=SUBJECT.alone
                + "import socket\ntry: socket.create_connection(('127.0.0.1', 9), 0.1)\n"
                + "except OSError: pass\n"
            ),
            "talked to",
        ),
    ],
)
def test_a_check_fails_for_a_judged_subject_that_breaks_it(check, subject, says, server):
    with pytest.raises((AssertionError, pytest.fail.Exception), match=says):
        check(subject, server)


def to(persona: str, url: str) -> str:
    return re.sub(r"/\w+/v1$", f"/{persona}/v1", url)


@pytest.mark.parametrize("persona", ["error500", "garbage", "cut"])
def test_a_failure_read_as_nought_is_seen(persona, server):
    with pytest.raises(AssertionError):
        contract.a_judge_of_this_persona_is_unscorable(
            without(judged=zero_when_broken), server, persona
        )


# the server


def test_every_persona_has_an_address_and_another_name_has_none(server):
    for persona in PERSONAS:
        assert server.url(persona).endswith(f"/{persona}/v1")
    assert set(BROKEN) < set(PERSONAS)
    with pytest.raises(ValueError, match="no persona 'kind'"):
        server.url("kind")


def test_escapes_do_not_hide_a_text_from_the_judge():
    text = "Line one,\nline \"two\"\tand caf\u00e9 \U0001f600."
    for escaped in (json.dumps(text), repr(text), json.dumps([repr(text)])):
        assert fold(escaped) == fold(text)


@pytest.mark.parametrize("favourable", [True, False])
def test_a_filled_schema_carries_the_opinion_and_fits(favourable):
    import jsonschema

    schema = {
        "type": "object",
        "properties": {
            "verdicts": {"type": "array", "items": {"$ref": "#/$defs/Verdict"}},
            "score": {"type": "number", "minimum": 1, "maximum": 10},
            "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "fine": {"type": "boolean"},
        },
        "required": ["verdicts", "score", "note", "fine"],
        "$defs": {
            "Verdict": {
                "type": "object",
                "properties": {"verdict": {"enum": ["yes", "no"]}, "reason": {"type": "string"}},
                "required": ["verdict", "reason"],
            }
        },
    }

    def choose(name, node, good):
        return "x" if name == "note" else None

    filled = fill_schema(schema, favourable, choose)
    jsonschema.validate(filled, schema)
    assert filled["score"] == (10 if favourable else 1)
    assert filled["verdicts"][0]["verdict"] == ("yes" if favourable else "no")
    assert filled["fine"] is favourable
    assert filled["note"] == "x"
