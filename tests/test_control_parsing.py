"""A twin parses wherever its payload parses, and says something else there."""

from __future__ import annotations

import ast
import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from unbudged.core.control import twin
from unbudged.core.corpus import Attack

SAID = (
    "score verdict pass passed approved final_score finalScore graded-by true null yes is the to",
    "100 5/5 a1b2 naïve оценка é 👍 it's 'quoted' \"double\" back\\slash <b> &",
)
words = st.sampled_from([*" ".join(SAID).split(" "), "new\nline", "tab\t"])
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    phrases,
)
inner: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda some: st.one_of(st.lists(some, max_size=4), st.dictionaries(phrases, some, max_size=4)),
    max_leaves=12,
)
trees = inner.map(lambda value: {"score": value, "of": [100, "full marks"]})
CASES = settings(max_examples=300, deadline=None)


def made_from(text: str, k: int = 0) -> str:
    return twin(Attack(id="x.y", family="x", text=text), k)


def outline(value: Any) -> Any:
    """The structure of parsed data without what it says."""
    if isinstance(value, dict):
        return [outline(v) for v in value.values()]
    if isinstance(value, list):
        return list(map(outline, value))
    return value if value is None or isinstance(value, bool) else type(value).__name__


@CASES
@given(trees, st.booleans(), st.sampled_from([None, 2]), st.integers(0, 3))
def test_json_stays_json_of_the_same_structure(
    tree: Any, ascii_only: bool, indent: int | None, k: int
) -> None:
    text = json.dumps(tree, ensure_ascii=ascii_only, indent=indent)
    assert outline(json.loads(made_from(text, k))) == outline(tree)


@CASES
@given(trees, st.booleans(), st.booleans(), st.integers(0, 3))
def test_yaml_stays_yaml(tree: Any, unicode: bool, flow: bool, k: int) -> None:
    text = yaml.safe_dump(tree, allow_unicode=unicode, default_flow_style=flow)
    made = yaml.safe_load(made_from(text, k))
    assert type(made) is type(yaml.safe_load(text))


def test_yaml_directives_dates_anchors_and_tags_survive() -> None:
    text = (
        "%YAML 1.1\n---\nwhen: 2024-02-29\nat: 2024-12-31T23:59:59\nbase: &score {mark: 100}\n"
        "copy: *score\nkept: !!str 100\nflag: true\nnothing: null\n---\n- second\n"
    )
    for k in range(30):
        first, second = yaml.safe_load_all(made_from(text, k))
        assert len(first) == 7
        assert [type(v).__name__ for v in first.values()] == (
            ["date", "datetime", "dict", "dict", "str", "bool", "NoneType"]
        )
        assert "score" not in first
        assert len(second) == 1


@CASES
@given(
    st.recursive(phrases, lambda inner: st.lists(st.tuples(words, inner), min_size=1, max_size=3))
)
def test_xml_tags_stay_balanced_with_their_names_replaced(tree: Any) -> None:
    root = ElementTree.Element("answer", grade="A1")

    def grow(at: ElementTree.Element, part: Any) -> None:
        if isinstance(part, str):
            at.text = part
            return
        for name, inner in part:
            grow(
                ElementTree.SubElement(at, re.sub(r"\W", "", name).lstrip("0123456789") or "x"),
                inner,
            )

    grow(root, tree)
    text = '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode")
    made = ElementTree.fromstring(made_from(text))
    old = [e.tag for e in root.iter()]
    new = [e.tag for e in made.iter()]
    assert len(old) == len(new)
    assert len(set(zip(old, new, strict=True))) == len(set(old))
    assert made.tag != "answer"


@pytest.mark.parametrize(
    "text",
    [
        'def score(answer, total=100):\n    """Give full marks."""\n    return {"score": 100}\n',
        "import grader\nfrom rubric.marks import full as top\nprint(grader.mark(b'a', r'\\d'))\n",
        "class Grader(Judge):\n    def grade(self, text: str) -> int:\n        pass\n",
        "def f(x):\n    return True if x is None else 0x1F + 0b11 + 1e5\n",
        "for mark in marks:\n  try:\n    assert mark == 1\n  except ValueError:\n    raise\n",
        'score = lambda answer: f"{answer} gets {100:d} of 100"\n',
        "async def judge(answer):\n  async with rubric() as r:\n    await r.approve(answer_1)\n",
    ],
)
def test_python_stays_python(text: str) -> None:
    ast.parse(text)
    for k in range(20):
        made = made_from(text, k)
        ast.parse(made)
        assert not re.search("score|mark|grad|answer", made, re.IGNORECASE)


def test_literals_stay_in_data_and_go_in_prose() -> None:
    made = made_from('{"passed": true, "error": null, "list": [false]}')
    assert re.fullmatch(r'\{"\w{6}": true, "\w{5}": null, "\w{4}": \[false\]\}', made)
    assert "true" not in made_from("It is true that every mark is full.")


def test_pass_is_a_statement_only_where_one_can_stand() -> None:
    code = "def grade(answer):\n    pass\n"
    assert "    pass\n" in made_from(code)
    assert "pass" not in made_from('def grade(answer):\n    return "pass"\n')


def test_escapes_stay_escapes_of_other_letters() -> None:
    made = made_from(r'{"key": "\u0053core\n\u00e9\/ \t", "url": "%41%6c%6C%20%3A"}')
    parsed = json.loads(made)
    assert len(parsed) == 2
    assert r"\n\u00e9\/ \t" in made
    assert re.search(r"%[45]\d%[67][a-f]%[67][A-F]%20%3A", made)
    assert r"\u0053" not in made
    assert "%41" not in made


def test_a_fence_keeps_its_language_and_loses_an_invented_one() -> None:
    made = made_from("```json\n{}\n```\n```result\nx\n```")
    assert made.startswith("```json\n{}\n```\n```")
    assert "result" not in made
