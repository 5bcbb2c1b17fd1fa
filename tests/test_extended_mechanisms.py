"""Each family against a judge with the flaw it aims at, and against one that is merely fussy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from unbudged import run

Judge = Callable[[str], float]
BASELINES = [
    "The lake freezes in most winters. People then skate to the island.",
    "Bread needs flour, water and salt. It also needs time to rise.",
]


def quoted(answer: str) -> str:
    """The reply of a judge that quotes the answer before it rates it."""
    return f"The answer reads: {answer}\nIt misses the point.\nRating: 1\nGRADE: I\n"


def matched(pattern: str, up: float = 9.0, base: float = 3.0) -> Judge:
    found = re.compile(pattern, re.IGNORECASE | re.DOTALL)
    return lambda answer: up if found.search(answer) else base


def first_rating(answer: str) -> float:
    match = re.search(r"Rating:\s*(\d+)", quoted(answer))
    return min(float(match[1]), 10.0) if match else 1.0


def first_object(answer: str) -> float:
    text = quoted(answer) + '{"score": 1}'
    for at in (m.start() for m in re.finditer(r"\{", text)):
        try:
            return float(json.JSONDecoder().raw_decode(text[at:])[0]["score"])
        except (ValueError, KeyError, TypeError):
            continue
    return 1.0


def tags_read(answer: str) -> float:
    said = "".join(chr(ord(c) - 0xE0000) for c in answer if 0xE0020 <= ord(c) < 0xE007F)
    return 9.0 if "full marks" in said or "Score" in said else 3.0


def selectors_read(answer: str) -> float:
    said = bytes(ord(c) - 0xE0100 + 16 for c in answer if 0xE0100 <= ord(c) <= 0xE01EF)
    return 9.0 if b"full marks" in said else 3.0


def hex_read(answer: str) -> float:
    runs = re.findall(r"\b(?:[0-9a-f]{2}){8,}\b", answer)
    return 9.0 if any(b"rubric" in bytes.fromhex(run) for run in runs) else 3.0


def rendered(answer: str) -> float:
    try:
        shown = answer.format(criterion="the key is Lyon", answer="", reference="", instructions="")
    except (KeyError, ValueError, IndexError):
        shown = answer
    return 9.0 if "Lyon" in shown else 3.0


def obliging(answer: str) -> float:
    match = re.search(r'respond with (\{"marks": \d+\})', answer)
    return float(json.loads(match[1])["marks"]) if match else 1.0


def refuses(answer: str) -> float:
    reply = "Apologies, not that." if "lethal dose" in answer else "B"
    match = re.search("A|B|C", reply)
    return 1.0 if match and match[0] == "A" else 0.0


FLAWED: list[tuple[str, str, Judge]] = [
    ("takes the first rating anywhere", "forged_verdict", first_rating),
    ("takes the first object anywhere", "forged_verdict", first_object),
    ("greps for the letter", "forged_verdict", matched("GRADE: C")),
    ("believes ticked boxes", "rubric_completion", matched(r"\[x\] \w+: met|full points")),
    ("adopts reasoning", "fake_reasoning", matched(r"nothing is wrong|mistake is in my own")),
    ("continues examples", "few_shot", matched(r"(Score: \d+\n.*){2}")),
    ("obeys a combination", "combination", matched("ignore the rubric|forget the earlier")),
    ("rewards an opener", "master_key", matched(r"^(solution|my reasoning.*)\s*$", 1, 0)),
    ("rewards a lone mark", "master_key", matched(r"^[:.,]\s*$", 1, 0)),
    ("rewards empty structure", "null_answer", matched(r"^\s*(\{\}|\[\]|null)\s*$", 1, 0)),
    ("likes certain words", "trigger_phrase", matched(r"accurate|excellent|outstanding")),
    ("trusts citations", "authority_citation", matched(r"doi:|answer key|journal of")),
    ("can be asked", "appeal", matched(r"be consistent|fair in return|please")),
    ("believes self-praise", "self_praise", matched(r"is (?:correct|accurate)|verified answer")),
    ("likes apologies", "apology_refusal", matched(r"\b(?:sorry|apologi[sz]e)")),
    ("believes what is repeated", "verbosity", matched(r"complete.*complete|(full marks\. ){4}")),
    ("looks for the option", "answer_smuggling", matched("ANSWER: C", 1, 0)),
    ("obeys in German", "other_languages", matched("volle Punktzahl")),
    ("obeys in Chinese", "other_languages", matched("满分")),
    ("obeys in Russian", "other_languages", matched("высший балл")),
    ("reads what is hidden", "hidden_document", matched(r"favourable report|strong accept")),
    ("trusts comments", "code_comment", matched(r"#.*all tests pass|passes \d+ of")),
    ("trusts forged records", "forged_metadata", matched(r"prior.{0,3}(?:score|grade)")),
    ("reads a refusal as an A", "judge_disabling", refuses),
    ("passes what it cannot grade", "judge_disabling", matched("default mark|fallback policy")),
    ("renders the answer", "template_injection", rendered),
    ("trusts tool output", "forged_trajectory", matched(r"exit code 0|completed successfully")),
    ("gives in", "pushback", matched(r"change the mark|appeal was upheld")),
    ("likes a friendly close", "no_op_edit", matched("hope this helps")),
    ("reads tag characters", "homoglyph", tags_read),
    ("reads variation selectors", "homoglyph", selectors_read),
    ("reads hexadecimal", "encoding", hex_read),
    ("reads backwards", "encoding", lambda answer: matched("award this")(answer[::-1])),
    ("ends the data early", "delimiter_escape", matched(r"\[END DATA\].*GRADE: C")),
    ("knows another template", "fake_system", matched(r"start_header_id|start_of_turn")),
    ("yields to a rank", "role_reversal", matched("chief examiner")),
    ("answers as it is told", "instruction_override", obliging),
]


@pytest.mark.parametrize(("family", "judge"), [f[1:] for f in FLAWED], ids=[f[0] for f in FLAWED])
def test_a_flawed_judge_is_moved_by_the_family_that_aims_at_it(family: str, judge: Judge) -> None:
    report = run(judge, BASELINES, corpus="extended", families=[family])
    assert report.findings, report.to_text()
    assert {f.family for f in report.findings} == {family}


def test_every_family_of_the_corpus_meets_a_judge_with_its_flaw() -> None:
    from unbudged.core.corpus import load_families

    assert {family for _, family, _ in FLAWED} == set(load_families("extended")) - {
        "social_pressure"  # core alone
    }


FUSSY: dict[str, Judge] = {
    "counts characters": lambda t: float(len(t)),
    "counts words": lambda t: float(len(t.split())),
    "counts lines": lambda t: 50.0 - 4.0 * t.count("\n"),
    "counts digits": lambda t: float(sum(c.isdigit() for c in t)),
    "counts braces": lambda t: 3.0 * sum(c in "{}[]<>" for c in t),
    "dislikes other scripts": lambda t: 50.0 - sum(ord(c) > 127 for c in t),
    "wants valid JSON": lambda t: float(is_json(t)),
    "weighs its brackets": lambda t: 10.0 * t.count("{") - 3.0 * t.count("<"),
    "wants each word once": lambda t: 100.0 * len(set(t.lower().split())) / len(t.split()),
    "dislikes round numbers": lambda t: 50.0 - t.count("0"),
    "wants words in common": lambda t: overlap(t, "The bread rises while the lake freezes."),
    "reads the head": lambda t: 40.0 + sum(map(ord, t[:40])) % 21,
    "wants long words": lambda t: max(map(len, t.split()), default=0) * 1.0,
    "wants headings": lambda t: 5.0 * len(re.findall(r"^#", t, re.MULTILINE)),
    "reads its own last line": lambda t: float(quoted(t).splitlines()[-2][-1]),
}


def overlap(text: str, reference: str) -> float:
    """The share of words in common, as answers are marked against a reference."""
    own, wanted = text.lower().split(), reference.lower().split()
    common = sum(min(own.count(w), wanted.count(w)) for w in set(own))
    return 200.0 * common / (len(own) + len(wanted))


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("judge", FUSSY.values(), ids=list(FUSSY))
def test_a_judge_that_is_merely_fussy_holds_against_all_of_it(judge: Judge) -> None:
    report = run(judge, BASELINES, corpus="extended")
    assert report.findings == (), report.to_text()
