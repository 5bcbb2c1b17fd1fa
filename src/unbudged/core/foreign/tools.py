"""Payloads in the files of other tools: garak, PyRIT, promptfoo, etb-scan."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Sequence
from typing import Any

from ...errors import CorpusError
from .entries import Entry, Found, kind, language, said
from .events import pieces

_GOALS = ("prompt", "goal", "objective", "request")
_SEEDS = ("seeds", "prompts")  # the second is what older files say
_TOLD = ("vars", "description", "metadata")
_VARIABLES = ("prompt", "payload", "injection", "query", "question", "input", "message", "text")


def read_garak(path: str, found: Found, column: str | None) -> None:
    """Add the payloads of a garak payload group; nothing in them is a slot."""
    shared: dict[str, Any] = {}
    number = 0
    for key, value, listed in pieces(path, found.shown, found.is_json):
        if key == "payloads" and listed:
            number += 1
            found.add(number, None, Entry(value, goal_mark=""))
        elif key == "payload_types" and listed:
            shared["note"] = ", ".join(filter(None, (shared.get("note"), said(value))))
        elif key is not None:
            shared[key] = value
    if not number and shared.get("payloads") != []:
        raise CorpusError(f"{found.shown}: has no list 'payloads', so it is no garak payload file")
    name = said(shared.get("garak_payload_name"))
    found.shared = Entry(
        "", None, name, said(shared.get("note")), None, language(shared.get("lang")),
        said(shared.get("source")) or (f"garak: {name}" if name else None), _licence(shared),
    )  # fmt: skip


def read_pyrit(path: str, found: Found, column: str | None) -> None:
    """Add the text seeds of a PyRIT dataset, or the one template a file is.

    A seed that declares parameters is a Jinja template: what it leaves open for the
    prompt is filled with the goal, a part marked as raw stays as it is.
    """
    shared: dict[str, Any] = {}
    seeds = 0
    for key, value, listed in pieces(path, found.shown, found.is_json):
        if key in _SEEDS and listed:
            seeds += 1
            _add_seed(found, seeds, value if isinstance(value, dict) else {"value": value})
        elif key is not None and listed:
            shared[key] = [*shared.get(key, ()), value]
        elif key is not None:
            shared[key] = value
    if "value" in shared:
        seeds += 1
        _add_seed(found, seeds, shared)
    if not seeds and all(shared.get(key) != [] for key in _SEEDS):
        problem = "has no 'seeds', no 'prompts' and no 'value', so it is no PyRIT file"
        raise CorpusError(f"{found.shown}: {problem}")
    found.shared = _seed(shared)


def _add_seed(found: Found, number: int, seed: dict[str, Any]) -> None:
    if (said(seed.get("data_type")) or "text") != "text":
        found.left_out["not text"] += 1
        return
    if "value" not in seed:
        found.fail(number, "value", "is missing")
    entry = _seed(seed)
    if isinstance(seed["value"], str) and seed.get("parameters"):
        declared = seed["parameters"]
        entry = _slotted(entry, declared if isinstance(declared, list) else [declared])
    found.add(number, "value", entry)


def _seed(seed: dict[str, Any]) -> Entry:
    category = seed.get("harm_categories") or seed.get("harm_category")
    first = category[0] if isinstance(category, list) and category else category
    return Entry(
        seed.get("value", ""), said(seed.get("name")),
        said(seed.get("dataset_name")) or said(first), said(seed.get("description")),
        None, language(seed.get("language")), said(seed.get("source")), _licence(seed), "",
    )  # fmt: skip


def _slotted(entry: Entry, declared: Sequence[Any]) -> Entry:
    """Return a template with one mark wherever it leaves the prompt open."""
    from jinja2 import Environment, TemplateSyntaxError

    goals = [name for name in declared if name in _GOALS] or list(declared)[:1]
    parts: list[str | None] = []  # None is the place of the goal
    held: list[tuple[str, str]] | None = None
    try:
        for _, token, text in Environment(keep_trailing_newline=True).lex(entry.text):
            if token == "variable_begin":
                held = [(token, text)]
            elif held is not None:
                held.append((token, text))
                if token == "variable_end":
                    inside = [pair for pair in held[1:-1] if pair[0] != "whitespace"]
                    kinds, words = [kind for kind, _ in inside], [word for _, word in inside]
                    if kinds == ["name"] and words[0] in goals:
                        parts.append(None)
                    elif kinds == ["string"]:  # a brace the template could not write plainly
                        parts.append(str(literal_eval(words[0])))
                    else:
                        parts.append("".join(part for _, part in held))
                    held = None
            elif token not in ("raw_begin", "raw_end"):
                parts.append(text)
    except TemplateSyntaxError:
        return entry
    literal = "".join(part for part in parts if part is not None)
    mark = "{{ prompt }}"
    while mark in literal:
        mark = mark.replace(" }", "  }", 1)
    text = "".join(mark if part is None else part for part in parts)
    return entry._replace(text=text, goal_mark=mark if None in parts else "")


def read_promptfoo(path: str, found: Found, column: str | None) -> None:
    """Add what the tests of a promptfoo file put into the variable that is attacked.

    That is the one named, else ``redteam.injectVar``, else the tests' only variable or
    one with a usual name. A list of values is as many payloads.
    """
    variable, tests = column, 0
    waiting: list[tuple[int, dict[str, Any]]] = []
    for key, value, listed in pieces(path, found.shown, found.is_json):
        if key == "redteam" and isinstance(value, dict):
            given = value.get("injectVar")
            variable = column or said(given[0] if isinstance(given, list) and given else given)
        elif key in (None, "tests") and (listed or value != []):
            tests += 1
            if key is None and not listed:
                problem = f"must hold tests, or keys and a list 'tests', not {kind(value)} alone"
                raise CorpusError(f"{found.shown}: {problem}")
            if isinstance(value, str):
                there = f"the tests stand in {value!r}: give that file as corpus"
                raise CorpusError(f"{found.shown}: {there}")
            if not isinstance(value, dict):
                found.fail(tests, None, f"must be a test with vars, not {kind(value)}")
            if variable is None:
                waiting.append((tests, {k: v for k, v in value.items() if k in _TOLD}))
            else:
                _add_test(found, tests, value, variable)
    if not tests:
        hint = "promptfoo's generated file has them; FILE@pyrit reads the prompts of a PyRIT file"
        raise CorpusError(f"{found.shown}: holds no tests ({hint})")
    if waiting:
        variable = variable or _guess(found, [test for _, test in waiting])
        for number, test in waiting:
            _add_test(found, number, test, variable)


def _guess(found: Found, tests: list[dict[str, Any]]) -> str:
    names: dict[str, None] = {}
    for test in tests:
        held = test.get("vars")
        names.update(dict.fromkeys(held if isinstance(held, dict) else ()))
    if len(names) == 1:
        return next(iter(names))
    for name in _VARIABLES:
        if name in names:
            return name
    there = ", ".join(map(repr, names)) or "none"
    problem = f"which of the tests' variables holds payloads? There are {there}"
    raise CorpusError(f"{found.shown}: {problem}: name it as FILE@promptfoo:NAME, or --column")


def _add_test(found: Found, number: int, test: dict[str, Any], variable: str) -> None:
    held = test.get("vars")
    if not isinstance(held, dict) or variable not in held:
        found.left_out[f"without {variable}"] += 1
        return
    told = test.get("metadata")
    metadata = told if isinstance(told, dict) else {}
    values = held[variable] if isinstance(held[variable], list) else [held[variable]]
    for value in values:
        if isinstance(value, str) and value.startswith("file://"):
            found.left_out["in a file of its own"] += 1
            continue
        entry = Entry(
            value, None, said(metadata.get("pluginId")), said(test.get("description")),
            None, language(metadata.get("language") or held.get("language")),
            said(metadata.get("source")), _licence(metadata), "",
        )  # fmt: skip
        found.add(number, variable, entry)


def read_etb_scan(path: str, found: Found, column: str | None) -> None:
    """Add the injections of etb-scan's scenarios, each where its candidate has it."""
    number, shared = 0, dict[str, Any]()
    for key, value, listed in pieces(path, found.shown, found.is_json):
        if key != "scenarios" or not listed:
            shared[key or ""] = value
            continue
        number += 1
        if not isinstance(value, dict):
            found.fail(number, None, f"must be a scenario, not {kind(value)}")
        if value.get("injected") is False:
            found.left_out["a control, without an injection"] += 1
            continue
        text, where = value.get("injection"), _where(value)
        if where == "replace":
            text = value.get("candidate")
        if text is None:
            found.fail(number, "injection", "is missing")
        entry = Entry(
            text, said(value.get("id")), said(value.get("family")), None, where,
            language(value.get("lang")), said(value.get("source")), _licence(value), "",
        )  # fmt: skip
        found.add(number, "injection", entry)
    if not number and shared.get("scenarios") != []:
        raise CorpusError(f"{found.shown}: has no list 'scenarios', so it is no etb-scan file")
    found.shared = Entry("", source=said(shared.get("source")), licence=_licence(shared))


def _where(scenario: dict[str, Any]) -> str:
    """Return where a candidate has its injection: the whole candidate when it has none of it."""
    injection, candidate = scenario.get("injection"), scenario.get("candidate")
    if not isinstance(injection, str) or not injection:
        return "replace"
    if not isinstance(candidate, str) or injection not in candidate:
        return "suffix"
    if candidate.endswith(injection):
        return "suffix"
    return "prefix" if candidate.startswith(injection) else "middle"


def _licence(told: dict[str, Any]) -> str | None:
    return said(told.get("licence")) or said(told.get("license"))
