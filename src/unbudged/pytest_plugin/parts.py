"""One test item per family or attack of a scan that is made once."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast, get_args

import pytest

from ..core.report import Report
from ..errors import UnbudgedError, UsageError
from .narrow import narrow
from .once import made_once
from .scan import keep_page, tell, with_command_line

Per = Literal["family", "attack", "scan"]
_FIXTURE = "unbudged_part"
#: options with which a scan has other attacks than its corpus
_CHOOSING = ("budget", "compose", "worst")


@dataclass(frozen=True)
class Asked:
    """What one mark asks for; ``attacks`` are the ids of the whole scan, in corpus order."""

    target: Any
    baselines: Any
    options: Mapping[str, Any]
    attacks: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """The part of a scan that one test item answers for."""

    asked: Asked
    name: str
    attacks: tuple[str, ...]


def split(metafunc: pytest.Metafunc) -> None:
    """Make the items of a marked test; a mark that cannot be used is a collection error."""
    __tracebackhide__ = True
    marks = [mark for mark in metafunc.definition.own_markers if mark.name == "unbudged"]
    if len(marks) > 1:
        _refuse("a test takes one mark; write a test for each target")
    mark = metafunc.definition.get_closest_marker("unbudged")
    assert mark is not None  # the caller saw it
    try:
        asked, per, families = _read(metafunc.config, *mark.args, **mark.kwargs)
    except (UnbudgedError, TypeError) as error:
        _refuse(str(error).replace("_read()", "the mark"))
    groups: dict[str, list[str]] = {}
    for id in asked.attacks:
        name = {"family": families[id], "attack": id, "scan": "scan"}[per]
        groups.setdefault(name, []).append(id)
    parts = [Part(asked, name, tuple(ids)) for name, ids in groups.items()]
    if _FIXTURE not in metafunc.fixturenames:  # the body need not ask for it
        metafunc.fixturenames.append(_FIXTURE)
    metafunc.parametrize(_FIXTURE, parts, indirect=True, ids=[part.name for part in parts])


def _read(
    config: pytest.Config, target: Any, baselines: Any = None, *, per: str = "family",
    **options: Any,
) -> tuple[Asked, Per, dict[str, str]]:
    """Return what a mark asks for, and the family of each attack; raises what is wrong with it."""
    from inspect import signature

    from ..api import run
    from ..arguments import names, pick_attacks
    from ..core.corpus import read_corpus

    per = config.getoption("unbudged_per") or per
    if per not in get_args(Per):
        raise UsageError(f"per={per!r} is not one of {', '.join(get_args(Per))}")
    signature(run).bind(target, baselines, **options)
    options = with_command_line(config, options)
    if per != "scan" and (choosing := [name for name in _CHOOSING if options.get(name)]):
        raise UsageError(
            f"{choosing[0]} has the scan choose its attacks, which are not known before: use"
            " per='scan'"
        )
    corpus = read_corpus(
        options.get("corpus", "core"), names("families", options.get("families"))
    )
    picked = pick_attacks(corpus.attacks, names("attacks", options.get("attacks")))
    asked = Asked(target, baselines, options, tuple(attack.id for attack in picked))
    return asked, cast(Per, per), {attack.id: attack.family for attack in picked}


def part_of(request: pytest.FixtureRequest) -> Report:
    """Return the item's part of the report, scanning first where nobody has."""
    __tracebackhide__ = True
    part = getattr(request, "param", None)
    if not isinstance(part, Part):
        _refuse(f"{_FIXTURE} is for tests marked unbudged; others use unbudged_scan")
    group = _group(request.node)
    parts = [_part(item) for item in request.session.items if _group(item) == group]
    wanted = {id for each in parts if each is not None for id in each.attacks}
    wanted |= set(part.attacks)

    def scan() -> Report:
        from ..api import run

        asked = part.asked
        options = dict(asked.options)
        if len(wanted) < len(asked.attacks):  # calls are money: deselected attacks get none
            options["attacks"] = [glob.escape(id) for id in asked.attacks if id in wanted]
        report = run(_value(request, asked.target), _value(request, asked.baselines), **options)
        keep_page(request.node, report)
        return report

    try:
        report = made_once(request, repr(group), scan)
    except UnbudgedError as error:
        _refuse(str(error))
    if set(part.attacks) == wanted:
        return report
    return narrow(report, part.name, part.attacks)


def prepare_item(item: pytest.Item) -> None:
    """Have a marked item ask for its part; fails one that is no test function."""
    __tracebackhide__ = True
    if _part(item) is None:
        _refuse("the mark is for test functions, and methods of plain classes; nothing was scanned")
    names: list[str] = item.fixturenames  # type: ignore[attr-defined]
    if _FIXTURE not in names:  # pytest forgets, once it has parametrized, what no argument names
        names.append(_FIXTURE)


def check_item(item: pytest.Item) -> None:
    """Fail a marked item whose part of the scan did not hold."""
    __tracebackhide__ = True
    tell(item, item.funcargs[_FIXTURE])  # type: ignore[attr-defined]


def _part(item: pytest.Item) -> Part | None:
    callspec = getattr(item, "callspec", None)
    part = None if callspec is None else callspec.params.get(_FIXTURE)
    return part if isinstance(part, Part) else None


def _group(item: pytest.Item) -> tuple[Any, ...] | None:
    """Name the scan an item belongs to: the test and its other parameters, alike in every
    process; None for an item of no scan."""
    if _part(item) is None:
        return None
    indices = item.callspec.indices  # type: ignore[attr-defined]
    others = sorted((name, index) for name, index in indices.items() if name != _FIXTURE)
    return (item.nodeid.split("[")[0], *others)


def _value(request: pytest.FixtureRequest, given: Any) -> Any:
    """Return what a mark gave, or the value of the fixture it named."""
    if not isinstance(given, str):
        return given
    try:
        return request.getfixturevalue(given)
    except pytest.FixtureLookupError as error:
        if error.argname != given:
            raise
        raise UsageError(f"no fixture {given!r}: a text names the fixture to use") from None


def _refuse(why: str) -> NoReturn:
    __tracebackhide__ = True
    # without the error behind it, which says the same
    raise pytest.fail.Exception(f"unbudged: {why}", pytrace=False) from None
